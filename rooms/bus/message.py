"""One line of the log. What this implementation does not know of it is kept."""

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from rooms.bus.clock import is_instant, iso
from rooms.bus.folder import EVERYBODY
from rooms.bus.json_text import parsed

type Kind = Literal["chat", "ask", "reply", "dispatch-error"]
type Via = Literal["cli", "dispatch", "web"]

MAX_SEQ = 2**53 - 1
"""What every implementation can count to."""
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"
_RANDOM_CHARS = 4


class Draft(NamedTuple):
    """A message that has no place in the log yet. `to` names members; nobody means everybody."""

    sender: str
    text: str
    to: Sequence[str] = ()
    kind: Kind = "chat"
    via: Via = "cli"
    reply_to: str | None = None
    tags: Sequence[str] = ()
    meta: Mapping[str, Any] = {}


class Message(NamedTuple):
    """As it is read. A field that is missing or of another type is empty; `line` is all of it, as it was written."""

    seq: int
    id: str
    ts: int | None
    """Milliseconds since the epoch."""
    time: str
    room: str
    sender: str
    to: tuple[str, ...]
    """Nobody when it is for everybody, however that was written."""
    kind: str
    via: str
    reply_to: str | None
    tags: tuple[str, ...]
    files: tuple[str, ...]
    """Paths, relative to the room's folder."""
    text: str
    meta: Mapping[str, Any]
    line: str


def visible_to(message: Message, member: str) -> bool:
    return message.sender != member and (not message.to or member in message.to)


def receivers(to: Sequence[str]) -> list[str]:
    """As they are stored: each once, in their order; nobody when everybody is among them."""
    return [] if EVERYBODY & set(to) else list(dict.fromkeys(to))


def message_id(seq: int, ts: int) -> str:
    number = int.from_bytes(os.urandom(8)) % 36**_RANDOM_CHARS
    return f"m{seq:04}-{_base36(ts)}-{_base36(number):0>{_RANDOM_CHARS}}"


def line_of(draft: Draft, *, seq: int, id: str, ts: int, room: str, files: Sequence[str]) -> str:
    """The draft as a line of the log, without its end."""
    fields = {
        "id": id,
        "seq": seq,
        "ts": ts,
        "time": iso(ts),
        "room": room,
        "from": draft.sender,
        "to": receivers(draft.to),
        "kind": draft.kind,
        "via": draft.via,
        "reply_to": draft.reply_to,
        "tags": list(draft.tags),
        "files": list(files),
        "text": draft.text,
        "meta": dict(draft.meta),
    }
    return json.dumps(fields, ensure_ascii=False, separators=(",", ":"))


def read_line(line: bytes) -> Message | None:
    """None for a line that is no message: not JSON, no object, or without a seq that can be used."""
    text = line.decode("utf-8", "replace").strip("\ufeff \t\r\n")
    try:
        fields = parsed(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(fields, dict):
        return None
    get = fields.get
    seq, ts, meta = get("seq"), get("ts"), get("meta")
    if type(seq) is not int or not 1 <= seq <= MAX_SEQ:
        return None
    reply_to = get("reply_to")
    return Message(
        seq=seq,
        id=_text(get("id")),
        ts=ts if is_instant(ts) else None,
        time=_text(get("time")),
        room=_text(get("room")),
        sender=_text(get("from")),
        to=tuple(receivers(_texts(get("to")))),
        kind=_text(get("kind")),
        via=_text(get("via")),
        reply_to=reply_to if isinstance(reply_to, str) and reply_to else None,
        tags=_texts(get("tags")),
        files=_texts(get("files")),
        text=_text(get("text")),
        meta=meta if isinstance(meta, dict) else {},
        line=text,
    )


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def _texts(value: object) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,) if value else ()
    return tuple(item for item in value if isinstance(item, str)) if isinstance(value, list) else ()


def _base36(number: int) -> str:
    digits = ""
    while number:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return digits or "0"
