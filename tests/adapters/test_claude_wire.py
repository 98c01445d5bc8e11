"""Claude Code's control requests and answers, and all that is told without one, as messages of a connection."""

import json
from typing import Any

import pytest

from adapters.claude import wire
from adapters.jsonrpc import Message, Notification, ProtocolViolation, Request, Response, RpcError, Unrelated


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"type": "system", "subtype": "init"}, Notification("system", {"type": "system", "subtype": "init"})),
        ({"type": "invented"}, Notification("invented", {"type": "invented"})),
        ({"level": "info"}, Unrelated()),
        (
            {"type": "control_request", "request_id": "r", "request": {"subtype": "can_use_tool", "input": {}}},
            Request("r", "can_use_tool", {"subtype": "can_use_tool", "input": {}}),
        ),
        (
            {"type": "control_response", "response": {"subtype": "success", "request_id": "groupx-7", "response": {}}},
            Response(7, {}),
        ),
        ({"type": "control_response", "response": {"request_id": "groupx-7"}}, Response(7, None)),
        ({"type": "control_response", "response": {"request_id": "groupx-x"}}, Response("groupx-x", None)),
        ({"type": "control_response", "response": {"request_id": "7"}}, Response("7", None)),
    ],
    ids=str,
)
def test_a_frame_is_a_message(frame: dict[str, Any], message: Message):
    assert wire.read_message(frame) == message


def test_an_error_keeps_what_was_told_with_it():
    answer = {"subtype": "error", "request_id": "groupx-1", "error": "no", "error_code": "bypass_not_launched"}
    assert wire.read_message({"type": "control_response", "response": answer}) == Response(
        1, error=RpcError(0, "no", answer)
    )


@pytest.mark.parametrize(
    "frame",
    [
        {"type": 5},
        {"type": "control_request", "request_id": "r"},
        {"type": "control_request", "request_id": "r", "request": {}},
        {"type": "control_request", "request_id": 5, "request": {"subtype": "interrupt"}},
        {"type": "control_request", "request": {"subtype": "interrupt"}},
        {"type": "control_response"},
        {"type": "control_response", "response": {}},
        {"type": "control_response", "response": {"request_id": 5}},
    ],
    ids=str,
)
def test_a_wrong_type_where_it_matters_breaks_the_protocol(frame: dict[str, Any]):
    with pytest.raises(ProtocolViolation):
        wire.read_message(frame)


def test_our_own_requests_are_known_by_their_answers():
    asked = wire.request(3, "interrupt", {})
    assert asked == {"type": "control_request", "request_id": "groupx-3", "request": {"subtype": "interrupt"}}
    assert wire.read_message(wire.result(asked["request_id"], {})) == Response(3, {})
    refused = wire.read_message(wire.refusal(asked["request_id"], "interrupt"))
    assert isinstance(refused, Response) and refused.id == 3 and refused.error is not None


def test_what_we_send_is_json():
    for frame in (wire.request(1, "a", {}), wire.notification("user", {"a": 1}), wire.refusal("x", "y")):
        assert json.loads(json.dumps(frame)) == frame
