"""`state.json`: a hint at the next seq. The log decides."""

from typing import Any

from rooms.bus import log
from rooms.bus.clock import iso, now_ms
from rooms.bus.folder import Room
from rooms.bus.json_file import read_object, write_object
from rooms.bus.message import MAX_SEQ


def next_seq(room: Room) -> int:
    """Greater than all before it, also when `state.json` is lost or behind the log. Call it under the room's lock."""
    seq = _read(room).get("nextSeq")
    kept = seq if type(seq) is int and 1 <= seq <= MAX_SEQ else None
    if kept is None:
        logs = (room.log, *room.archive.glob(f"*/{room.log.name}"))
        return 1 + max((message.seq for path in logs for message in log.messages(path)), default=0)
    return max(kept, log.last_seq(room.log) + 1)


def write_next_seq(room: Room, seq: int) -> None:
    kept, now = _read(room), iso(now_ms())
    created = kept.get("createdAt")
    fields = {"nextSeq": seq, "createdAt": created if isinstance(created, str) else now, "updatedAt": now}
    write_object(room.state, {**kept, **fields})


def _read(room: Room) -> dict[str, Any]:
    try:
        return read_object(room.state) or {}
    except ValueError:
        return {}
