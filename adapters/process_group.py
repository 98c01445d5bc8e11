"""Ending a process and everything it started, by process group. POSIX only.

A CLI is the leader of its own session, so its children are found by group or by session even when the leader
has gone; while one of them lives the kernel gives its number to nobody else. Zombies count as gone: whoever
is their parent reaps them.

`started_at` is the leader's as `process_identity.start_of` gave it. It is None for a child of our own that has been
watched since before it was reaped: its number can't have been given away, so nothing needs to be compared.
"""

import asyncio
import os
import signal

import psutil

from adapters.process_identity import start_of, tolerance_seconds
from groupx.kernel.logs import get_logger

log = get_logger()

CHECK_SECONDS = 0.02
"""Processes that are not our children can only be looked at again."""


def members(leader: int, started_at: float | None) -> list[psutil.Process]:
    """The live processes of the group and the session that the process `leader` of that start time began.

    Empty when the number has been given to another program since.
    """
    earliest = 0.0
    if started_at is not None:
        begun = start_of(leader)
        if begun is not None and abs(begun - started_at) > tolerance_seconds():
            return []
        earliest = started_at - tolerance_seconds()
    found = []
    for pid in psutil.pids():
        try:
            if leader in (os.getpgid(pid), os.getsid(pid)):
                process, begun = psutil.Process(pid), start_of(pid)
                if begun is not None and begun >= earliest and process.status() != psutil.STATUS_ZOMBIE:
                    found.append(process)
        except (ProcessLookupError, PermissionError, psutil.Error):
            continue
    return found


def send(leader: int, started_at: float | None, number: signal.Signals) -> int:
    """Signal every live member; give how many there were. The group first, in one step that nobody can outrun."""
    found = members(leader, started_at)
    if any(_group_of(process) == leader for process in found):
        try:
            os.killpg(leader, number)
        except (ProcessLookupError, PermissionError):
            pass
    for process in found:
        if _group_of(process) != leader:  # a shell with job control puts its children into groups of their own
            try:
                process.send_signal(number)
            except psutil.Error:
                continue
    return len(found)


async def emptied(leader: int, started_at: float | None, timeout_seconds: float) -> bool:
    """Wait until no member lives; False when the time is over."""
    deadline = asyncio.get_running_loop().time() + timeout_seconds
    while members(leader, started_at):
        left = deadline - asyncio.get_running_loop().time()
        if left <= 0:
            return False
        await asyncio.sleep(min(CHECK_SECONDS, left))
    return True


async def end_orphan(pid: int, started_at: float, grace_seconds: float = 2.0) -> bool:
    """End the group of a CLI that a former run left, and nothing else: TERM, `grace_seconds`, KILL.

    Takes at most `grace_seconds` plus one. A number that another program has got since is left alone: the
    leader must have the recorded start time or, when it has gone, each member must have started after it.
    True when something was ended.
    """
    found = send(pid, started_at, signal.SIGTERM)
    if not found:
        return False
    log.info("orphan_found", pid=pid, members=found)
    if not await emptied(pid, started_at, grace_seconds):
        send(pid, started_at, signal.SIGKILL)
        await emptied(pid, started_at, 1.0)
    log.info("orphan_ended", pid=pid, survivors=len(members(pid, started_at)))
    return True


def _group_of(process: psutil.Process) -> int | None:
    try:
        return os.getpgid(process.pid)
    except ProcessLookupError:
        return None
