"""Frames of Claude Code's stream-json as messages of a connection. Pure.

Control requests and their answers run both ways beside the stream; everything else is told without an answer, the end
of a turn too. A frame's type becomes the method of what is told, a control request's subtype that of what is asked.
"""

from typing import Any

from adapters.jsonrpc import Message, Notification, ProtocolViolation, Request, RequestId, Response, RpcError, Unrelated
from adapters.reading import as_object

_OURS = "groupx-"


def read_message(frame: dict[str, Any]) -> Message:
    """Raises ProtocolViolation when a message has a wrong type where we need it."""
    match frame.get("type"):
        case None:
            return Unrelated()
        case "control_request":
            asked = as_object(frame.get("request"), "a control request")
            if not isinstance(asked.get("subtype"), str):
                raise ProtocolViolation("a control request without a subtype")
            return Request(_read_id(frame), asked["subtype"], asked)
        case "control_response":
            return _read_response(as_object(frame.get("response"), "a control response"))
        case str() as kind:
            return Notification(kind, frame)
        case _:
            raise ProtocolViolation("a type that is no string")


def request(id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"type": "control_request", "request_id": f"{_OURS}{id}", "request": {"subtype": method, **params}}


def notification(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"type": method, **params}


def result(id: RequestId, value: dict[str, Any]) -> dict[str, Any]:
    response = {"subtype": "success", "request_id": id, "response": value}
    return {"type": "control_response", "response": response}


def refusal(id: RequestId, method: str) -> dict[str, Any]:
    response = {"subtype": "error", "request_id": id, "error": f"Unsupported control request: {method}"}
    return {"type": "control_response", "response": response}


def _read_response(response: dict[str, Any]) -> Response:
    request_id = _read_id(response)
    own_number = request_id.removeprefix(_OURS)
    id = int(own_number) if own_number != request_id and own_number.isdecimal() else request_id
    if response.get("subtype") != "error":
        return Response(id, response.get("response"))
    error = response.get("error")
    return Response(id, error=RpcError(0, error if isinstance(error, str) else "", response))


def _read_id(frame: dict[str, Any]) -> str:
    request_id = frame.get("request_id")
    if not isinstance(request_id, str):
        raise ProtocolViolation("a request id that is no string")
    return request_id
