"""`self-drive.json` of a room: whether the self-drive is on, and through which seq it has done its work.

It lies beside the log, so it outlives the server; other implementations of the bus pass it by.
"""

from typing import NamedTuple

from rooms.bus import log
from rooms.bus.clock import iso, now_ms
from rooms.bus.folder import Home, Room
from rooms.bus.json_file import read_object, write_object
from rooms.bus.lock import Lock


class Switch(NamedTuple):
    is_on: bool = False
    through_seq: int = 0
    """Every message up to here has woken whom it was to wake."""


def read_switch(room: Room) -> Switch:
    """Off where the file is missing or cannot be understood: nobody is woken by mistake."""
    try:
        kept = read_object(room.path / "self-drive.json") or {}
    except (ValueError, OSError):
        return Switch()
    is_on, through = kept.get("isOn"), kept.get("throughSeq")
    return Switch(True, through) if is_on is True and type(through) is int else Switch()


def set_switch(room: Room, *, is_on: bool) -> Switch:
    """Switched on, it begins with what is written from now on; switched on twice, it goes on where it was."""
    with Lock(room.path / ".self-drive.lock"):
        switch = read_switch(room)
        if switch.is_on != is_on:
            switch = Switch(is_on, log.last_seq(room.log))
            _write(room, switch)
        return switch


def move_on(room: Room, through_seq: int) -> None:
    """The work for every message up to this seq is done."""
    with Lock(room.path / ".self-drive.lock"):
        switch = read_switch(room)
        if switch.is_on and through_seq > switch.through_seq:
            _write(room, switch._replace(through_seq=through_seq))


def driven_rooms(home: Home) -> list[Room]:
    return [room for room in home.rooms() if read_switch(room).is_on]


def _write(room: Room, switch: Switch) -> None:
    kept = {"isOn": switch.is_on, "throughSeq": switch.through_seq, "updatedAt": iso(now_ms())}
    write_object(room.path / "self-drive.json", kept)
