"""Bodies that the SDK would refuse in a way of its own: readable for a tool, or refused in our words (edge)."""

import json
import re

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.asgi_json import Receive

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NUL = r"\u0000"


async def with_readable_body(receive: Receive) -> Receive:
    """The body is read, and given on in one piece. Half of a surrogate pair, as JavaScript writes a text cut within an
    emoji, becomes a NUL: both are refused.

    Raises:
        GroupXError: INVALID_ENVELOPE for a batch, which MCP has given up.
    """
    first = await _whole_body(receive)
    is_read = False

    async def read() -> dict[str, object]:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read = True
        return first

    return read


async def _whole_body(receive: Receive) -> dict[str, object]:
    parts = []
    while True:
        message = await receive()
        if message["type"] == "http.disconnect":
            return message
        parts.append(message.get("body", b""))
        if not message.get("more_body"):
            break
    body = b"".join(parts)
    if body.lstrip().startswith(b"["):
        raise GroupXError(
            ErrorCode.INVALID_ENVELOPE, "Send each message in a request of its own; batches are not taken."
        )
    return {"type": "http.request", "body": _readable(body), "more_body": False}


def _readable(body: bytes) -> bytes:
    if not _ESCAPED_SURROGATE.search(body):
        return body
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False)
    except (ValueError, RecursionError):
        return body  # no JSON at all: the SDK says so
    return _SURROGATE.sub(lambda _: _NUL, text).encode()
