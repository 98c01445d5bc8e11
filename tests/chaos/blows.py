"""What can happen to a room, one function per kind of blow. Each returns when the blow is over, not what it did."""

import signal
import sqlite3
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import replace
from pathlib import Path

import psutil

from tests.chaos.plan import Kind, Round
from tests.chaos.room import RoughRoom
from tests.running_room import STOP_SECONDS, kill_one
from tests.waiting import wait_until

SERVE, LANE, AGENT, PARENT = "groupx_serve", "groupx_lane", "agent_cli.py", "groupx_start"
LOCK_SECONDS = 11.0
"""Longer than a connection of the room waits for a lock (10 s)."""
STALE_SECONDS = 9.0
"""Longer than an agent may be silent in these rooms, or than a cancel may take."""
REPLACED_SECONDS = 60.0
BACK_SECONDS = 20.0
CHUNK = b"\0" * 65_536

_pause = threading.Event().wait


def strike(room: RoughRoom, blow: Round, *, speaker: str = "") -> None:
    """`speaker` is the agent whose words made the moment; where a lane or a CLI is struck, it is this one's."""
    names = sorted(room.config["agents"])
    if speaker in names:
        blow = replace(blow, pick=blow.pick - blow.pick % len(names) + names.index(speaker))
    _BLOWS[blow.kind](room, blow)


# ---------------------------------------------------------------- kills
def _kill(*kinds: str) -> Callable[[RoughRoom, Round], None]:
    def blow(room: RoughRoom, its: Round) -> None:
        for victim in [_victim(room, kind, its) for kind in kinds]:
            if victim is not None:
                kill_one(victim)

    return blow


def _kill_again(room: RoughRoom, its: Round) -> None:
    """Whoever comes in the place of the first is killed as well, in the middle of its recovery."""
    kind = (SERVE, LANE, AGENT)[its.pick % 3]
    first = _victim(room, kind, its)
    if first is None:
        return
    others = {process.pid for process in room.processes(kind)}
    kill_one(first)
    with suppress(AssertionError):
        wait_until(
            lambda: any(process.pid not in others for process in room.processes(kind)),
            timeout_seconds=BACK_SECONDS,
            what=f"another {kind}",
        )
    _pause(its.delay_seconds)
    for process in room.processes(kind):
        if process.pid not in others:
            kill_one(process)


def _kill_parent(room: RoughRoom, its: Round) -> None:
    """And start the room again: at once, or when all have gone."""
    assert room.process is not None
    room.process.kill()
    room.process.wait(STOP_SECONDS)
    if its.pick % 2:
        wait_until(lambda: not room.processes(), timeout_seconds=STOP_SECONDS, what="all have ended by themselves")
    room.start()


# ---------------------------------------------------------------- freezing
def _freeze(kind: str) -> Callable[[RoughRoom, Round], None]:
    def blow(room: RoughRoom, its: Round) -> None:
        _stop_for(_victim(room, kind, its), its.length_seconds)

    return blow


def _hang(kind: str) -> Callable[[RoughRoom, Round], None]:
    """Frozen until somebody ends it."""

    def blow(room: RoughRoom, its: Round) -> None:
        if (victim := _victim(room, kind, its)) is None:
            return
        victim.suspend()
        wait_until(lambda: not _lives(victim), timeout_seconds=REPLACED_SECONDS, what=f"a hung {kind} is ended")

    return blow


def _hang_agent(room: RoughRoom, its: Round) -> None:
    """An idle agent that hangs is nobody's concern until it has a turn: then its limits end it."""
    _stop_for(_victim(room, AGENT, its), STALE_SECONDS)


def _stop_for(victim: psutil.Process | None, seconds: float) -> None:
    if victim is None:
        return
    with suppress(psutil.NoSuchProcess):
        victim.suspend()
        _pause(seconds)
        victim.resume()


# ---------------------------------------------------------------- the store
def _lock_store(room: RoughRoom, its: Round) -> None:
    with closing(sqlite3.connect(room.database, isolation_level=None, timeout=30)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        with _a_kill_meanwhile(room, its):
            _pause(LOCK_SECONDS)
        holder.rollback()


def _read_only_store(room: RoughRoom, its: Round) -> None:
    files = [room.database, room.database.with_name("groupx.db-wal")]
    _chattr("+i", files)
    try:
        with _a_kill_meanwhile(room, its):
            _pause(its.length_seconds)
    finally:
        _chattr("-i", files)


def _chattr(flag: str, files: list[Path]) -> None:
    subprocess.run(["chattr", flag, *map(str, files)], check=True, capture_output=True, timeout=10)


def _full_disk(room: RoughRoom, its: Round) -> None:
    filler = room.state / "filler"
    try:
        with filler.open("wb", buffering=0) as file, suppress(OSError):
            while True:
                file.write(CHUNK)
        with _a_kill_meanwhile(room, its):
            until = time.monotonic() + its.length_seconds
            while time.monotonic() < until:  # whatever is freed meanwhile is taken too
                with filler.open("ab", buffering=0) as file, suppress(OSError):
                    file.write(CHUNK)
                _pause(0.05)
    finally:
        filler.unlink(missing_ok=True)


# ---------------------------------------------------------------- the clock
def _step_clock(room: RoughRoom, its: Round) -> None:
    room.set_clock(its.hours)
    with _a_kill_meanwhile(room, its):
        _pause(1.0 + its.length_seconds)
    if its.pick % 2:  # and half of them back again
        room.set_clock(0)


# ---------------------------------------------------------------- common
@contextmanager
def _a_kill_meanwhile(room: RoughRoom, its: Round) -> Iterator[None]:
    if its.with_a_kill:
        _pause(0.3)
        _kill((SERVE, LANE, AGENT)[its.pick % 3])(room, its)
    yield


def _victim(room: RoughRoom, kind: str, its: Round) -> psutil.Process | None:
    """The picked agent's where there is one for each agent; else one of those that live, or None."""
    found = sorted(room.processes(kind), key=lambda process: (process.cmdline(), process.pid))
    names = sorted(room.config["agents"])
    picked = names[its.pick % len(names)]
    of_picked = [process for process in found if picked in process.cmdline() or _folder_name(process) == picked]
    return next(iter(of_picked or found), None)


def _folder_name(process: psutil.Process) -> str:
    with suppress(psutil.Error):
        return Path(process.cwd()).name
    return ""


def _lives(process: psutil.Process) -> bool:
    with suppress(psutil.NoSuchProcess):
        return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
    return False


def let_go(room: RoughRoom) -> None:
    """Nothing of the room stays stopped, whatever happened to a blow."""
    for process in room.processes():
        with suppress(psutil.Error):
            process.send_signal(signal.SIGCONT)


_BLOWS: dict[Kind, Callable[[RoughRoom, Round], None]] = {
    Kind.KILL_SERVE: _kill(SERVE),
    Kind.KILL_LANE: _kill(LANE),
    Kind.KILL_AGENT: _kill(AGENT),
    Kind.KILL_SEVERAL: _kill(SERVE, LANE, AGENT),
    Kind.KILL_AGAIN: _kill_again,
    Kind.KILL_PARENT: _kill_parent,
    Kind.FREEZE_SERVE: _freeze(SERVE),
    Kind.FREEZE_LANE: _freeze(LANE),
    Kind.FREEZE_AGENT: _freeze(AGENT),
    Kind.FREEZE_PARENT: _freeze(PARENT),
    Kind.HANG_SERVE: _hang(SERVE),
    Kind.HANG_LANE: _hang(LANE),
    Kind.HANG_AGENT: _hang_agent,
    Kind.LOCK_STORE: _lock_store,
    Kind.READ_ONLY_STORE: _read_only_store,
    Kind.FULL_DISK: _full_disk,
    Kind.STEP_CLOCK: _step_clock,
}
