"""A lock that is a folder: `mkdir` is atomic, and every implementation of the bus can take it (docs/aig.md, "Lock").

Whoever dies with it is noticed: its pid stands in the folder. What is older than `stale_seconds` may be broken too,
whoever has it; the holder therefore asks `confirm` before it writes.
"""

import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from rooms.bus.clock import iso, now_ms
from rooms.bus.errors import BusError
from rooms.bus.json_file import read_object, write_object
from rooms.bus.machine import host_name, is_running, pid_namespace

WAIT_SECONDS = 8.0
STALE_SECONDS = 20.0
LONGEST_PAUSE_SECONDS = 0.03
SHORTEST_PAUSE_SECONDS = 0.001
PATIENCE_SECONDS = 4.0
"""Who has waited so long looks most often: among many, the one that came first is likely to be the next."""


class Lock:
    """`with Lock(path): …`

    Raises:
        BusError: it did not come free within `wait_seconds`.
    """

    def __init__(
        self, path: Path, *, wait_seconds: float = WAIT_SECONDS, stale_seconds: float | None = STALE_SECONDS
    ) -> None:
        """`stale_seconds` None: however old, only the death of its owner frees it."""
        self.path, self._wait_seconds, self._stale_seconds = path, wait_seconds, stale_seconds
        self._guard = path.with_name(f"{path.name}.breaking")
        self._token = f"{os.getpid()}-{os.urandom(6).hex()}"

    def __enter__(self) -> Self:
        began = time.monotonic()
        while not self._make(self.path) and not (self._break_if_stale() and self._make(self.path)):
            waited = time.monotonic() - began
            if waited >= self._wait_seconds:
                raise BusError(f"{self.path} has been locked for {self._wait_seconds:g} s{self._by_whom()}: try again.")
            time.sleep(_pause_seconds(waited))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back(self.path)

    def confirm(self) -> None:
        """Before a write: it is still ours, and new again.

        Raises:
            BusError: this process stood still so long that somebody broke it. Nothing may be written now.
        """
        if _owner(self.path).get("token") != self._token:
            raise BusError(f"{self.path} was taken by another process while this one stood still: try again.")
        os.utime(self.path)

    # ------------------------------------------------------------ taking and giving back
    def _make(self, path: Path) -> bool:
        try:
            path.mkdir()
        except FileExistsError:
            return False
        owner = {
            "pid": os.getpid(),
            "host": host_name(),
            "pidNamespace": pid_namespace(),
            "token": self._token,
            "since": iso(now_ms()),
        }
        write_object(path / "owner.json", owner)
        return True

    def _give_back(self, path: Path) -> None:
        """Renamed first: were it emptied in its place and this process killed, nobody could tell whose it was."""
        if _owner(path).get("token") == self._token:
            away = self._away(path)
            with suppress(FileNotFoundError):
                path.rename(away)
                _remove(away)

    def _away(self, path: Path) -> Path:
        return path.with_name(f"{path.name}.gone-{self._token}")

    # ------------------------------------------------------------ breaking
    def _break_if_stale(self) -> bool:
        """True when it is worth trying at once."""
        if not self._is_stale(self.path):
            return False
        if not self._make(self._guard):
            if self._is_stale(self._guard):
                self._take_away(self._guard)
            return False
        try:
            self._sweep()
            return not self._is_stale(self.path) or self._take_away(self.path)
        finally:
            self._give_back(self._guard)

    def _take_away(self, path: Path) -> bool:
        """What was seen as stale a moment ago. Should it be a fresh one by now, it is put back.

        Its owner notices nothing, or is told by `confirm`.
        """
        away = self._away(path)
        try:
            path.rename(away)
        except FileNotFoundError:
            return True
        if self._is_stale(away):
            _remove(away)
            return True
        with suppress(OSError):
            away.rename(path)
        return False

    def _sweep(self) -> None:
        """What processes left that were killed while they gave it back."""
        for left in self.path.parent.glob(f"{self.path.name}*.gone-*"):
            if self._is_stale(left):
                _remove(left)

    def _is_stale(self, path: Path) -> bool:
        seen = look_at(path, self._stale_seconds)
        return seen is not None and seen.is_stale

    def _by_whom(self) -> str:
        seen = look_at(self.path, self._stale_seconds)
        return f" by process {seen.pid} of {seen.host}" if seen is not None and seen.pid else ""


class LockSeen(NamedTuple):
    age_seconds: float
    pid: int | None
    """Of its owner, where that can be told."""
    host: str | None
    is_stale: bool


def look_at(path: Path, stale_seconds: float | None = STALE_SECONDS) -> LockSeen | None:
    """None when nobody has it."""
    try:
        age_seconds = time.time() - path.stat().st_mtime
    except FileNotFoundError:
        return None
    owner = _owner(path)
    pid, host = owner.get("pid"), owner.get("host")
    if type(pid) is not int or pid < 1 or not isinstance(host, str):
        pid = host = None
    # A time far in the future is as wrong as one long ago: somebody has set the clock.
    is_old = stale_seconds is not None and abs(age_seconds) > stale_seconds
    is_here = host == host_name() and owner.get("pidNamespace", pid_namespace()) == pid_namespace()
    is_of_a_dead_process = is_here and pid is not None and not is_running(pid)
    return LockSeen(age_seconds, pid, host, is_old or is_of_a_dead_process)


def _owner(path: Path) -> dict[str, object]:
    try:
        return read_object(path / "owner.json") or {}
    except (ValueError, OSError):
        return {}


def _remove(path: Path) -> None:
    """A lock's folder, or what else stands in its place."""
    with suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            for inside in path.iterdir():
                _remove(inside)
            path.rmdir()
        else:
            path.unlink()


def _pause_seconds(waited_seconds: float) -> float:
    longest = LONGEST_PAUSE_SECONDS * (1 - waited_seconds / PATIENCE_SECONDS)
    return max(SHORTEST_PAUSE_SECONDS, longest) * (0.5 + os.urandom(1)[0] / 255)
