"""What a call gives back: an answer or a failure, as structured content and the same JSON as text (edge)."""

from collections.abc import Mapping
from typing import Any

import mcp_types as types

from groupx.kernel.errors import GroupXError
from groupx.kernel.problems import error_body
from rooms.envelope import dump

_LINE_ENDS = {ord(mark): f"\\u{ord(mark):04x}" for mark in "\u0085\u2028\u2029"}
"""Clients that cut text into lines by Unicode's rules would cut the JSON; in it they stand only within strings."""


def answered(answer: Mapping[str, Any]) -> types.CallToolResult:
    return _result(dict(answer), is_error=False)


def failed(error: GroupXError) -> types.CallToolResult:
    """`{code, message, details?}`"""
    return _result(dict(error_body(error)["error"]), is_error=True)


def _result(content: dict[str, Any], *, is_error: bool) -> types.CallToolResult:
    text = types.TextContent(type="text", text=dump(content).translate(_LINE_ENDS))
    return types.CallToolResult(content=[text], structured_content=content, is_error=is_error)
