"""The event stream's frames and its cursor rules (docs/protocol.md, "Events"). Pure.

Only durable events have an `id:` line, which is the plain seq; there is no `event:` line, since the type stands
in the envelope. A cursor that cannot be one is refused before the stream starts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from groupx.kernel.errors import invalid
from groupx.kernel.shapes import parse_query

from .requests import MAX_SEQ, StreamQuery

RETRY = b"retry: 1000\n\n"
"""First on every stream: reconnect after a second."""
HEARTBEAT = b": heartbeat\n\n"
RESYNC = b'data: {"type":"stream.resync"}\n\n'
"""The cursor means nothing in this log; the stream ends after it."""

_DECIMAL = re.compile(r"[0-9]{1,19}")


@dataclass(frozen=True, kw_only=True)
class StreamRequest:
    after_seq: int
    epoch: str | None
    room_id: str


def frame(json_text: str, seq: int | None = None) -> bytes:
    """One event; `json_text` is JSON on one line."""
    data = f"data: {json_text}\n\n" if seq is None else f"id: {seq}\ndata: {json_text}\n\n"
    return data.encode("utf-8", "replace")


def read_request(query_string: bytes, last_event_ids: Sequence[bytes]) -> StreamRequest:
    """What a client asks for: `afterSeq` or `Last-Event-ID`, at most one value; without a cursor the log's start.

    An empty `Last-Event-ID` counts as absent, since some clients send it.

    Raises:
        GroupXError: INVALID_ENVELOPE naming the field.
    """
    query = parse_query(StreamQuery, query_string.decode("latin-1"))
    cursors = {_seq(value.decode("latin-1")) for value in last_event_ids if value.strip()}
    if query.after_seq is not None:
        cursors.add(query.after_seq)
    if len(cursors) > 1:
        raise invalid("afterSeq and Last-Event-ID are both given and differ; send one of them.", "afterSeq")
    return StreamRequest(after_seq=cursors.pop() if cursors else 0, epoch=query.epoch or None, room_id=query.room_id)


def _seq(text: str) -> int:
    if not _DECIMAL.fullmatch(text) or int(text) > MAX_SEQ:
        raise invalid("Last-Event-ID must be the seq of an event, in plain decimal digits.", "Last-Event-ID")
    return int(text)
