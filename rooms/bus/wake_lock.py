"""One wake of a member at a time: the second waits for the first, then sees what is still unread.

The lock is the system's on a file that names its holder, so it is free the moment its holder dies, however it dies.
"""

import fcntl
import json
import os
import time
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from rooms.bus.clock import iso, now_ms
from rooms.bus.errors import WakeFailed
from rooms.bus.folder import Room

LOOK_SECONDS = 0.1
GRACE_SECONDS = 30.0
"""Beyond the time-out of the wake that is waited for: ending a CLI takes some seconds."""


class Holder(NamedTuple):
    pid: int
    since: str


class WakeLock:
    """Held from `with` to its end."""

    def __init__(self, room: Room, member: str, patience_seconds: float) -> None:
        """
        Raises (by `with`):
            WakeFailed: another wake of this member still runs after `patience_seconds`.
        """
        self._path, self._member, self._patience = lock_path(room, member), member, patience_seconds
        self._file = -1

    def __enter__(self) -> None:
        self._path.parent.mkdir(exist_ok=True)
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        deadline = time.monotonic() + self._patience
        while not _taken(self._file):
            if time.monotonic() >= deadline:
                os.close(self._file)
                raise WakeFailed(f"“{self._member}” is still being woken by another process{_by_whom(self._path)}.")
            time.sleep(LOOK_SECONDS)
        os.ftruncate(self._file, 0)
        os.write(self._file, json.dumps({"pid": os.getpid(), "since": iso(now_ms())}).encode())

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.ftruncate(self._file, 0)
        os.close(self._file)  # and with it the lock


def lock_path(room: Room, member: str) -> Path:
    return room.path / "wakes" / f"{member}.lock"


def holder(room: Room, member: str) -> Holder | None:
    """Who wakes the member at this moment."""
    try:
        file = os.open(lock_path(room, member), os.O_RDONLY)
    except OSError:
        return None
    try:
        if _taken(file, fcntl.LOCK_SH):
            return None
        told = json.loads(os.read(file, 4_096))
        return Holder(int(told["pid"]), str(told["since"]))
    except (OSError, ValueError, KeyError, TypeError):
        return None
    finally:
        os.close(file)


def _taken(file: int, kind: int = fcntl.LOCK_EX) -> bool:
    try:
        fcntl.flock(file, kind | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _by_whom(path: Path) -> str:
    try:
        return f" ({json.loads(path.read_text())['pid']})"
    except (OSError, ValueError, KeyError, TypeError):
        return ""
