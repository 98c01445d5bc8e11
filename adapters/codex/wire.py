"""JSON-RPC as the app server of Codex speaks it: without the member `jsonrpc`, in both directions. Pure."""

from typing import Any

from adapters import jsonrpc
from adapters.jsonrpc import RequestId, read_message

__all__ = ["notification", "read_message", "refusal", "request", "result"]


def request(id: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
    return _bare(jsonrpc.request(id, method, params))


def notification(method: str, params: dict[str, Any]) -> dict[str, Any]:
    return _bare(jsonrpc.notification(method, params))


def result(id: RequestId, value: object) -> dict[str, Any]:
    return _bare(jsonrpc.result(id, value))


def refusal(id: RequestId, method: str) -> dict[str, Any]:
    return _bare(jsonrpc.refusal(id, method))


def _bare(frame: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in frame.items() if name != "jsonrpc"}
