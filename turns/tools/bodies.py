"""Bodies that the SDK would refuse as no JSON, made such that a tool can refuse them in words (edge)."""

import json
import re

from rooms.asgi_json import Receive

_ESCAPED_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_NUL = r"\u0000"


def with_readable_body(receive: Receive) -> Receive:
    """Half of a surrogate pair, as JavaScript writes a text cut within an emoji, becomes a NUL: both are refused."""
    is_read = False

    async def read() -> dict[str, object]:
        nonlocal is_read
        if is_read:
            return await receive()
        is_read, parts = True, []
        while True:
            message = await receive()
            if message["type"] == "http.disconnect":
                return message
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                return {"type": "http.request", "body": _readable(b"".join(parts)), "more_body": False}

    return read


def _readable(body: bytes) -> bytes:
    if not _ESCAPED_SURROGATE.search(body):
        return body
    try:
        text = json.dumps(json.loads(body), ensure_ascii=False)
    except (ValueError, RecursionError):
        return body  # no JSON at all: the SDK says so
    return _SURROGATE.sub(lambda _: _NUL, text).encode()
