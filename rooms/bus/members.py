"""`members.json`: who takes part, and how each can be woken. Fields that are not ours are kept."""

from collections.abc import Mapping
from typing import Any

from rooms.bus.errors import BusError
from rooms.bus.folder import Room
from rooms.bus.json_file import read_object, write_object
from rooms.bus.lock import Lock

PRIMARY = "primary"
USUAL_PRIMARY = "dsh"

type Profile = dict[str, Any]
"""`transport`, `model`, `note`, `role`, `cwd`, `command`, and whatever else stands there."""


def profiles(room: Room) -> dict[str, Profile]:
    """By member.

    Raises:
        BusError: the file cannot be understood; it stays as it is.
    """
    try:
        kept = read_object(room.members) or {}
    except ValueError as error:
        raise BusError(f"{room.members} cannot be read ({error}): mend it by hand, it was left as it is.") from None
    wrong = [name for name, profile in kept.items() if not isinstance(profile, dict)]
    if wrong:
        raise BusError(f"{room.members}: “{wrong[0]}” is no object: mend it by hand, it was left as it is.")
    return kept


def primary_of(known: Mapping[str, Profile]) -> str | None:
    """The member that may wake others from inside a wake: the one with that role, else dsh."""
    named = next((name for name, profile in known.items() if profile.get("role") == PRIMARY), None)
    return named or (USUAL_PRIMARY if USUAL_PRIMARY in known else None)


def change(room: Room, member: str, fields: Mapping[str, str]) -> Profile:
    """Set these fields, an empty one is taken away; makes the member if need be. A new primary replaces the old one."""
    with Lock(room.lock) as lock:
        known = profiles(room)
        if fields.get("role") == PRIMARY:
            for profile in known.values():
                if profile.get("role") == PRIMARY:
                    del profile["role"]
        profile = {**known.get(member, {}), **fields}
        known[member] = {name: value for name, value in profile.items() if value != "" or name not in fields}
        lock.confirm()
        write_object(room.members, known)
        return known[member]


def remove(room: Room, member: str) -> bool:
    """False when there was none."""
    with Lock(room.lock) as lock:
        known = profiles(room)
        if known.pop(member, None) is None:
            return False
        lock.confirm()
        write_object(room.members, known)
        return True
