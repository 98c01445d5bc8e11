"""A lock that is a folder: `mkdir` is atomic, and every implementation of the bus can take it (docs/aig.md, "Lock").

Whoever dies with it is noticed: its pid stands in the folder. What is older than `stale_seconds` may be broken too,
whoever has it; the holder therefore asks `confirm` before it writes. Who waits stands in a line (line.py).
"""

import json
import os
import time
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple, Self

from rooms.bus.errors import BusError
from rooms.bus.line import Line
from rooms.bus.owner import read_owner, record_of

WAIT_SECONDS = 8.0
STALE_SECONDS = 20.0
FIRST_PAUSE_SECONDS = 0.003
PAUSE_SECONDS_EACH = 0.008
LONGEST_PAUSE_SECONDS = 0.15
PATIENCE_SECONDS = 5.0
"""Who has waited so long minds the line no more: somebody in it may be standing still."""
OWNER = "owner.json"


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
        self._line = Line(path.with_name(f"{path.name}.line"))
        self._guard = path.with_name(f"{path.name}.breaking")
        self._token = f"{os.getpid()}-{os.urandom(6).hex()}"

    def __enter__(self) -> Self:
        if self._line.is_empty() and self._try():
            return self
        began = time.monotonic()
        self._line.join()
        try:
            while True:
                waited = time.monotonic() - began
                ahead = self._line.ahead()
                if (not ahead or waited > PATIENCE_SECONDS) and self._try():
                    return self
                if waited >= self._wait_seconds:
                    by = self._by_whom()
                    raise BusError(f"{self.path} has been locked for {self._wait_seconds:g} s{by}: try again.")
                time.sleep(_pause_seconds(ahead))
        finally:
            self._line.leave()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._give_back(self.path)

    def confirm(self) -> None:
        """Before a write: it is still ours, and new again.

        Raises:
            BusError: this process stood still so long that somebody broke it. Nothing may be written now.
        """
        if read_owner(self.path / OWNER).token != self._token:
            raise BusError(f"{self.path} was taken by another process while this one stood still: try again.")
        os.utime(self.path)

    # ------------------------------------------------------------ taking and giving back
    def _try(self) -> bool:
        return self._make(self.path) or (self._break_if_stale() and self._make(self.path))

    def _make(self, path: Path) -> bool:
        try:
            path.mkdir()
        except (FileExistsError, FileNotFoundError):  # somebody has it, or took its folder away
            return False
        try:
            (path / OWNER).write_text(json.dumps(record_of(os.getpid(), self._token)))
        except FileNotFoundError:  # somebody took it for one that was left
            return False
        except OSError:  # a full disk; a lock of nobody would keep everybody out
            with suppress(OSError):
                _remove(path)
            raise
        return True

    def _give_back(self, path: Path) -> None:
        """Renamed first: were it emptied in its place and this process killed, nobody could tell whose it was."""
        if read_owner(path / OWNER).token == self._token:
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
        age_seconds = time.time() - path.lstat().st_mtime  # also of a link to nowhere
    except FileNotFoundError:
        return None
    owner = read_owner(path / OWNER)
    # A time far in the future is as wrong as one long ago: somebody has set the clock.
    is_old = stale_seconds is not None and abs(age_seconds) > stale_seconds
    # Read again: an owner that gave it back and ended in between has not left it, and it may be somebody else's by now.
    was_left = owner.is_dead and read_owner(path / OWNER) == owner
    return LockSeen(age_seconds, owner.pid, owner.host, is_old or was_left)


def _remove(path: Path) -> None:
    """A lock's folder, or what else stands in its place."""
    with suppress(FileNotFoundError):
        if path.is_dir() and not path.is_symlink():
            for inside in path.iterdir():
                _remove(inside)
            path.rmdir()
        else:
            path.unlink()


def _pause_seconds(ahead: int) -> float:
    """The first looks often; the others as often as one may come forward."""
    pause = FIRST_PAUSE_SECONDS + min(LONGEST_PAUSE_SECONDS, ahead * PAUSE_SECONDS_EACH)
    return pause * (0.5 + os.urandom(1)[0] / 255)
