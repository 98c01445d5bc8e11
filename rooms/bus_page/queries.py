"""Reads of a bus room for its page."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from rooms.bus import log, presence
from rooms.bus.clock import iso
from rooms.bus.cursors import cursor_of
from rooms.bus.errors import BusError
from rooms.bus.folder import Home, Room
from rooms.bus.members import Profile, primary_of, profiles
from rooms.bus.message import Message, visible_to
from rooms.bus.wake_lock import holder
from rooms.bus_page.answers import BusMember, BusMessage, BusMeta, BusPage, BusPresence, BusSelfDrive, BusState, BusWake
from rooms.bus_page.drive_rules import HUMAN
from rooms.bus_page.switch import read_switch

SHOWN_CHARACTERS = 262_144
"""Of one message; the rest is fetched when somebody wants to see it."""
NEWEST = 200
COUNTED = 1_000
"""Messages from the end in which unread ones are counted."""


LARGEST_COST = 2**53
"""Neither infinity nor a number of a hundred digits is one."""


class RoomListed(NamedTuple):
    name: str
    last_activity: str
    """ISO 8601, empty for a room in which nothing was said."""
    is_current: bool
    is_self_driven: bool


def room_list(home: Home) -> list[RoomListed]:
    current = home.current_room()
    found = []
    for room in home.rooms():
        newest = next(iter(log.last(room.log, 1)), None)
        time = newest.time if newest is not None else ""
        found.append(RoomListed(room.name, time, room.name == current, read_switch(room).is_on))
    return sorted(found, key=lambda listed: listed.last_activity, reverse=True)


def newest_messages(room: Room, before_seq: int | None, limit: int) -> BusPage:
    """The newest ones before this seq, oldest first."""
    found = log.last(room.log, limit + 1, before_seq=before_seq)
    return {"messages": [wire(message) for message in found[-limit:]], "hasOlder": len(found) > limit}


def messages_after(room: Room, seq: int, limit: int) -> list[BusMessage]:
    """The oldest ones after this seq."""
    return [wire(message) for message in log.newer_than(room.log, seq)[:limit]]


def last_seq(room: Room) -> int:
    return log.last_seq(room.log)


def one_message(room: Room, seq: int) -> Message | None:
    return next((message for message in log.newer_than(room.log, seq - 1) if message.seq == seq), None)


def room_state(
    room: Room, waiting: Mapping[str, str], troubles: Mapping[str, str], note: str | None = None
) -> BusState:
    """`waiting`: members that are to be woken, with the time since; `note`: of the self-drive.

    A members.json that cannot be read is told there too: the page shows the rest.
    """
    try:
        known = profiles(room)
    except BusError as error:
        known, note = {}, str(error)
    seen = {here.member: here for here in presence.everyone(room)}
    names = [HUMAN, *(name for name in known if name != HUMAN)]
    newest = log.last(room.log, COUNTED)
    primary = primary_of(known)
    members = [
        _member(name, known.get(name, {}), name == primary, _unread(room, name, newest), seen.get(name))
        for name in names
    ]
    for member in members:
        if wake := _wake(room, member["name"], waiting):
            member["wake"] = wake
        if trouble := troubles.get(member["name"]):
            member["trouble"] = trouble
    drive: BusSelfDrive = {"isOn": read_switch(room).is_on}
    if note:
        drive["note"] = note
    return {"room": room.name, "members": members, "selfDrive": drive}


def wire(message: Message, limit: int | None = SHOWN_CHARACTERS) -> BusMessage:
    """One message as the page is told it, its text cut to `limit` characters."""
    shown: BusMessage = {
        "seq": message.seq,
        "id": message.id,
        "time": message.time or _instant(message.ts),
        "from": message.sender,
        "to": list(message.to),
        "kind": message.kind,
        "via": message.via,
        "tags": list(message.tags),
        "files": list(message.files),
        "text": message.text if limit is None else message.text[:limit],
        "meta": _meta(message.meta),
    }
    if message.reply_to:
        shown["replyTo"] = message.reply_to
    if len(shown["text"]) < len(message.text):
        shown["truncated"] = True
        shown["fullLength"] = len(message.text)
    return shown


def _meta(meta: Mapping[str, Any]) -> BusMeta:
    """What this page shows of it, of the right type; other implementations may write anything."""
    shown: BusMeta = {}
    if isinstance(channel := meta.get("channel"), str):
        shown["channel"] = channel
    if isinstance(model := meta.get("model"), str):
        shown["model"] = model
    if type(duration := meta.get("durationMs")) is int:
        shown["durationMs"] = duration
    if isinstance(cost := meta.get("cost"), int | float) and not isinstance(cost, bool) and 0 <= cost < LARGEST_COST:
        shown["cost"] = cost
    if isinstance(tokens := meta.get("tokens"), dict):
        shown["tokens"] = {str(name): count for name, count in tokens.items() if type(count) is int}
    return shown


def _member(name: str, profile: Profile, is_primary: bool, unread: int, seen: presence.Presence | None) -> BusMember:
    def text(field: str) -> str:
        value = profile.get(field)
        return value if isinstance(value, str) else ""

    member: BusMember = {
        "name": name,
        "transport": text("transport"),
        "model": text("model"),
        "note": text("note"),
        "isPrimary": is_primary,
        "unread": unread,
    }
    if seen is not None:
        here: BusPresence = {
            "lastSeen": _instant(seen.last_seen), "pid": seen.pid, "host": seen.host, "isAlive": seen.is_alive
        }  # fmt: skip
        member["presence"] = here
    return member


def _unread(room: Room, member: str, newest: list[Message]) -> int:
    """The person reads on this page."""
    if member == HUMAN:
        return 0
    seq = cursor_of(room, member).seq
    return sum(1 for message in newest if message.seq > seq and visible_to(message, member))


def _wake(room: Room, member: str, waiting: Mapping[str, str]) -> BusWake | None:
    if running := holder(room, member):
        return {"state": "running", "since": running.since}
    if since := waiting.get(member):
        return {"state": "waiting", "since": since}
    return None


def _instant(ms: int | None) -> str:
    """Empty for what no calendar knows; anybody can write these files."""
    try:
        return iso(ms) if ms is not None else ""
    except (ValueError, OverflowError, OSError):
        return ""
