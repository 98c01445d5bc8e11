"""The event stream's frames and its cursor rules (docs/protocol.md, "Events"). Pure.

Only durable events have an `id:` line, which is the plain seq; there is no `event:` line, since the type stands
in the envelope. A cursor that cannot be one is refused before the stream starts.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import parse_qs

from groupx.kernel.errors import GroupXError, invalid

from .vocabulary import MAIN_ROOM

RETRY = b"retry: 1000\n\n"
"""First on every stream: reconnect after a second."""
HEARTBEAT = b": heartbeat\n\n"
RESYNC = b'data: {"type":"stream.resync"}\n\n'
"""The cursor means nothing in this log; the stream ends after it."""

MAX_SEQ = 2**63 - 1
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
    query = parse_qs(query_string.decode("latin-1"), keep_blank_values=True)
    cursors = {_seq(value, "afterSeq") for value in _at_most_one(query.get("afterSeq", []), "afterSeq")} | {
        _seq(value.decode("latin-1"), "Last-Event-ID") for value in last_event_ids if value.strip()
    }
    if len(cursors) > 1:
        raise invalid("afterSeq and Last-Event-ID are both given and differ; send one of them.", "afterSeq")
    epochs = _at_most_one(query.get("epoch", []), "epoch")
    rooms = _at_most_one(query.get("roomId", []), "roomId")
    return StreamRequest(
        after_seq=cursors.pop() if cursors else 0,
        epoch=epochs[0] if epochs and epochs[0] else None,
        room_id=rooms[0] if rooms and rooms[0] else MAIN_ROOM,
    )


def _at_most_one(values: Sequence[str], name: str) -> Sequence[str]:
    if len(values) > 1:
        raise invalid(f"{name} is given more than once.", name)
    return values


def _seq(text: str, name: str) -> int:
    if not _DECIMAL.fullmatch(text) or int(text) > MAX_SEQ:
        raise _not_a_cursor(name)
    return int(text)


def _not_a_cursor(name: str) -> GroupXError:
    return invalid(f"{name} must be the seq of an event, in plain decimal digits.", name)
