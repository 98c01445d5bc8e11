"""How far each member has read: the seq of the last message it was shown."""

from pathlib import Path
from typing import Any, NamedTuple

from rooms.bus import log
from rooms.bus.clock import iso, now_ms
from rooms.bus.folder import Room
from rooms.bus.json_file import read_object, write_object
from rooms.bus.lock import Lock
from rooms.bus.message import Message, visible_to


class Cursor(NamedTuple):
    seq: int
    is_corrupt: bool = False
    """Then everything is unread."""


def cursor_of(room: Room, member: str) -> Cursor:
    kept = _kept(room, member)
    seq = kept.get("seq") if kept is not None else None
    return Cursor(seq) if type(seq) is int and seq >= 0 else Cursor(0, is_corrupt=True)


def unread(room: Room, member: str) -> list[Message]:
    """What it was not shown yet and may see, by seq."""
    newer = log.newer_than(room.log, cursor_of(room, member).seq)
    return [message for message in newer if visible_to(message, member)]


def advance(room: Room, member: str, seq: int) -> None:
    """Never back, also when two processes of one member read at once."""
    room.cursors.mkdir(exist_ok=True)
    with Lock(room.cursors / f".{member}.lock"):
        if seq > cursor_of(room, member).seq:
            kept = _kept(room, member) or {}
            write_object(_path(room, member), {**kept, "seq": seq, "updatedAt": iso(now_ms())})


def _path(room: Room, member: str) -> Path:
    return room.cursors / f"{member}.json"


def _kept(room: Room, member: str) -> dict[str, Any] | None:
    """What stands in the file; nobody has read anything without one. None when it cannot be understood."""
    try:
        kept = read_object(_path(room, member))
    except ValueError:
        return None
    return {"seq": 0} if kept is None else kept


def members_with_cursor(room: Room) -> list[str]:
    return sorted(path.stem for path in room.cursors.glob("*.json"))
