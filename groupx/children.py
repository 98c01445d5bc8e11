"""Child processes of the parent: spawned in a group of their own, asked to end by their control line, reaped.

`Reaper` is the one place of the parent that waits for processes. It also becomes the parent of what a dead
child leaves behind (where the platform can do that), so that no process of a room can slip away.
"""

import asyncio
import ctypes
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack, suppress

import psutil

from adapters import process_group
from adapters.process_identity import start_of
from groupx.control import ControlLine
from groupx.kernel.logs import get_logger

log = get_logger()

PR_SET_CHILD_SUBREAPER = 36
KILL_SECONDS = 0.5
ADOPTED_SECONDS = 0.5
"""For each step of ending what was adopted: TERM, then KILL."""
CHECK_SECONDS = 0.02
AGENT_VARIABLE = "GROUPX_AGENT_ID"
"""In the environment of every CLI and what it starts; nothing else of ours has it."""


class Child:
    """One running child. `exited` is set when it has ended and was reaped."""

    def __init__(self, name: str, process: subprocess.Popen[bytes], line: ControlLine) -> None:
        self.name, self.line = name, line
        self._process = process
        self.exited = asyncio.Event()
        self.started_at = start_of(process.pid) or 0.0

    @property
    def pid(self) -> int:
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """Negative for the signal that ended it; None while it runs."""
        return self._process.returncode

    def reap(self) -> bool:
        """Collect the process if it has ended."""
        if self._process.poll() is None:
            return False
        self.line.close()
        self.exited.set()
        return True

    def kill(self) -> None:
        """KILL its whole group, now. Not reaped yet, so nobody else has its number."""
        process_group.send(self.pid, None, signal.SIGKILL)

    async def end(self, grace_seconds: float) -> None:
        """Ask it to close, wait, then KILL the whole group. Bounded, always reaped.

        TERM comes with the end of the line and means the same. Who still imports its modules has no handler yet
        and ends by it at once: it has nothing to close.
        """
        self.line.close()
        self._process.terminate()
        if await self._gone(grace_seconds):
            return
        log.warning("child_did_not_close", child=self.name, pid=self.pid, waited_seconds=grace_seconds)
        self.kill()
        await self._gone(KILL_SECONDS)

    async def _gone(self, timeout_seconds: float) -> bool:
        with suppress(TimeoutError):
            async with asyncio.timeout(timeout_seconds):
                await self.exited.wait()
        return self.exited.is_set()


class Reaper:
    """Reaps everything that ends under this process. One per process, from `begin` to `end`, on its main thread."""

    def __init__(self) -> None:
        self._children: dict[int, Child] = {}
        self._loop = asyncio.get_running_loop()

    def begin(self) -> None:
        become_subreaper()
        self._loop.add_signal_handler(signal.SIGCHLD, self._reap)

    def end(self) -> None:
        self._loop.remove_signal_handler(signal.SIGCHLD)

    async def spawn(
        self, name: str, command: Callable[[int], Sequence[str]], *, pass_fds: Sequence[int], env: Mapping[str, str]
    ) -> Child:
        """Start a child; `command` gives its arguments for the descriptor of its control line.

        Raises:
            OSError: the system refuses.
        """
        line, theirs = await ControlLine.pair()
        with theirs, ExitStack() as undo:
            undo.callback(line.close)
            process = _start(command(theirs.fileno()), (theirs.fileno(), *pass_fds), env)
            undo.pop_all()
        child = Child(name, process, line)
        self._children[process.pid] = child
        self._reap_child(child)  # it may have ended before it was known here
        return child

    def _reap(self) -> None:
        if not hasattr(os, "waitid"):
            for child in list(self._children.values()):
                self._reap_child(child)
            return
        # Look without collecting: a child's exit code belongs to its Popen, an adopted orphan's to nobody.
        with suppress(ChildProcessError):
            while ended := os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT):
                child = self._children.get(ended.si_pid)
                if child is not None:
                    self._reap_child(child)
                else:
                    os.waitpid(ended.si_pid, os.WNOHANG)

    def _reap_child(self, child: Child) -> None:
        if child.reap():
            self._children.pop(child.pid, None)

    async def end_adopted(self) -> None:
        """End what agents left running below us: TERM, a moment, KILL. A browser that we opened is no such process."""
        for number in (signal.SIGTERM, signal.SIGKILL):
            left = _agents_processes()
            if not left:
                return
            log.info("orphans_ended", count=len(left), signal=number.name)
            for process in left:
                with suppress(psutil.Error):
                    process.send_signal(number)
            await self._none_left(ADOPTED_SECONDS)

    async def _none_left(self, timeout_seconds: float) -> None:
        deadline = self._loop.time() + timeout_seconds
        while _agents_processes():
            left = deadline - self._loop.time()
            if left <= 0:
                return
            await asyncio.sleep(min(CHECK_SECONDS, left))


def _start(argv: Sequence[str], pass_fds: Sequence[int], env: Mapping[str, str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        argv,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr.fileno(),  # standard output is for what the command itself says
        pass_fds=pass_fds,
        env=env,
        start_new_session=True,  # Ctrl-C in the terminal reaches the parent only, which ends all in order
    )


def _agents_processes() -> list[psutil.Process]:
    found = []
    for process in psutil.Process().children(recursive=True):
        try:
            if process.status() != psutil.STATUS_ZOMBIE and AGENT_VARIABLE in process.environ():
                found.append(process)
        except (psutil.Error, OSError):
            continue
    return found


def become_subreaper() -> None:
    """Orphans below us become our children instead of init's. Linux only; elsewhere the records must do."""
    if sys.platform != "linux":
        return
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
