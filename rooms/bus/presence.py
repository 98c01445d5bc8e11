"""Who was here, when, and whether the process that called still runs."""

import os
from collections.abc import Iterator
from typing import NamedTuple

from rooms.bus.clock import is_instant, now_ms
from rooms.bus.folder import Room
from rooms.bus.json_file import read_object, write_object
from rooms.bus.machine import host_name, is_running


class Presence(NamedTuple):
    member: str
    last_seen: int
    """Milliseconds since the epoch."""
    pid: int | None
    host: str

    @property
    def is_alive(self) -> bool:
        return self.pid is not None and self.host == host_name() and is_running(self.pid)


def touch(room: Room, member: str) -> None:
    """The member is here: the process that called us is its own."""
    here = {"lastSeen": now_ms(), "pid": os.getppid(), "host": host_name()}
    write_object(room.presence / f"{member}.json", here)


def everyone(room: Room) -> Iterator[Presence]:
    """By name; a file that cannot be understood is nobody."""
    for path in sorted(room.presence.glob("*.json")):
        try:
            kept = read_object(path) or {}
        except ValueError:
            continue
        last_seen, pid, host = kept.get("lastSeen"), kept.get("pid"), kept.get("host")
        yield Presence(
            path.stem,
            last_seen if is_instant(last_seen) else 0,
            pid if type(pid) is int and pid > 0 else None,
            host if isinstance(host, str) else "",
        )
