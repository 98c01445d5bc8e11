"""JSON-RPC 2.0 message kinds and their validation. Pure; knows no method of anybody.

Lenient where nothing depends on it (a missing `jsonrpc`, a missing or null result, an error that is only a
string), strict where we would otherwise guess.
"""

from dataclasses import dataclass, field
from typing import Any

METHOD_NOT_FOUND = -32601

type RequestId = int | str


class ProtocolViolation(Exception):
    """A frame that contradicts the protocol. `reason` is a short phrase of ours, without the frame's content."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


@dataclass(frozen=True)
class RpcError:
    code: int
    message: str
    data: object = None


@dataclass(frozen=True)
class Request:
    id: RequestId
    method: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Notification:
    method: str
    params: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Response:
    id: RequestId
    result: object = None
    error: RpcError | None = None


@dataclass(frozen=True)
class Unrelated:
    """An object that is no message at all (a log line in JSON), or an error about no request in particular."""


type Message = Request | Notification | Response | Unrelated


def read_message(frame: dict[str, Any]) -> Message:
    """Raises ProtocolViolation when a message has a wrong type where we need it."""
    if "method" in frame:
        method, params = frame["method"], frame.get("params")
        if not isinstance(method, str):
            raise ProtocolViolation("a method that is no string")
        if isinstance(params, list):
            params = {}  # by position: legal, used by nobody, and no method of ours has such parameters
        if params is not None and not isinstance(params, dict):
            raise ProtocolViolation("parameters that are no object")
        if frame.get("id") is None:
            return Notification(method, params or {})
        return Request(_read_id(frame["id"]), method, params or {})
    if frame.get("id") is None:
        return Unrelated()
    return Response(_read_id(frame["id"]), frame.get("result"), _read_error(frame.get("error")))


def request(id: RequestId, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "method": method, "params": params}


def notification(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "method": method, "params": params}


def result(id: RequestId, value: object) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id, "result": value}


def refusal(id: RequestId, method: str) -> dict[str, Any]:
    """The answer to a request that we don't know."""
    return {"jsonrpc": "2.0", "id": id, "error": {"code": METHOD_NOT_FOUND, "message": f"Method not found: {method}"}}


def _read_id(value: object) -> RequestId:
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise ProtocolViolation("an id that is neither a number nor a string")
    return value


def _read_error(value: object) -> RpcError | None:
    match value:
        case None:
            return None
        case str():
            return RpcError(0, value)
        case dict():
            code, message = value.get("code"), value.get("message")
            return RpcError(
                code if isinstance(code, int) else 0, message if isinstance(message, str) else "", value.get("data")
            )
        case _:
            raise ProtocolViolation("an error that is no object")
