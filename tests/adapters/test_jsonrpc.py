"""JSON-RPC 2.0 message kinds (https://www.jsonrpc.org/specification), lenient where nothing depends on it."""

from typing import Any

import pytest

from adapters import jsonrpc
from adapters.jsonrpc import Notification, ProtocolViolation, Request, Response, RpcError, Unrelated, read_message


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        ({"jsonrpc": "2.0", "method": "m", "params": {"a": 1}}, Notification("m", {"a": 1})),
        ({"method": "m"}, Notification("m")),
        ({"method": "m", "params": None}, Notification("m")),
        ({"method": "m", "params": [1]}, Notification("m")),
        ({"id": 0, "method": "m"}, Request(0, "m")),
        ({"id": "x", "method": "m"}, Request("x", "m")),
        ({"id": None, "method": "m"}, Notification("m")),
        ({"id": 1, "result": {"a": 1}}, Response(1, {"a": 1})),
        ({"id": 1, "result": None}, Response(1)),
        ({"id": 1}, Response(1)),
        ({"id": 1, "error": None, "result": 2}, Response(1, 2)),
        ({"id": 1, "error": {"code": -1, "message": "no"}}, Response(1, None, RpcError(-1, "no"))),
        ({"id": 1, "error": {"code": "E1"}}, Response(1, None, RpcError(0, ""))),
        ({"id": 1, "error": "no"}, Response(1, None, RpcError(0, "no"))),
        ({"id": None, "error": {"code": -32700, "message": "parse"}}, Unrelated()),
        ({"level": "info", "msg": "a log line"}, Unrelated()),
    ],
)
def test_each_kind_of_message_is_told_apart(frame: dict[str, Any], message: object):
    assert read_message(frame) == message


@pytest.mark.parametrize(
    "frame",
    [
        {"method": 5},
        {"method": None, "id": 1},
        {"method": "m", "params": "text"},
        {"method": "m", "id": {}},
        {"method": "m", "id": True},
        {"id": [], "result": 1},
        {"id": 1.5, "result": 1},
        {"id": 1, "error": 5},
    ],
)
def test_a_wrong_type_where_we_need_it_breaks_the_protocol(frame: dict[str, Any]):
    with pytest.raises(ProtocolViolation):
        read_message(frame)


def test_what_we_write_can_be_read_back():
    assert read_message(jsonrpc.request(1, "m", {"a": 1})) == Request(1, "m", {"a": 1})
    assert read_message(jsonrpc.notification("m", {})) == Notification("m", {})
    assert read_message(jsonrpc.result(1, {"a": 1})) == Response(1, {"a": 1})
    refused = read_message(jsonrpc.refusal("r", "fs/read_text_file"))
    assert isinstance(refused, Response) and refused.error is not None
    assert refused.error.code == jsonrpc.METHOD_NOT_FOUND
