"""One child process from its start to its end: no shell, output drained and bounded, its whole group ended. POSIX."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

TERM_SECONDS = 5.0
"""From TERM to KILL."""
PIPES_SECONDS = 1.0
"""For output that is under way when the process has ended; a child it left may hold the pipes for ever."""
CHECK_SECONDS = 0.02
MAX_STDOUT_BYTES = 64 * 1024 * 1024
STDERR_BYTES = 64 * 1024
_PIECE_BYTES = 64 * 1024


@dataclass(frozen=True, kw_only=True)
class Finished:
    exit_code: int
    """Negative: the number of the signal that ended it."""
    stdout: str
    stderr: str
    """Its end, when there was more than STDERR_BYTES."""
    is_timed_out: bool = False
    is_too_long: bool = False


def run_process(
    argv: Sequence[str], *, stdin: bytes, cwd: Path, env: Mapping[str, str], timeout_seconds: float
) -> Finished:
    """Run to the end, or end it. Whatever happens, also an interrupt, nothing of its process group is left.

    Raises:
        OSError: it cannot be started.
    """
    process = subprocess.Popen(
        argv,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=cwd,
        env=dict(env),
        start_new_session=True,
    )
    assert process.stdin and process.stdout and process.stderr
    stdout = _Kept(process.stdout, MAX_STDOUT_BYTES, on_overflow=lambda: _kill(process.pid))
    stderr = _Kept(process.stderr, STDERR_BYTES)
    threading.Thread(target=_feed, args=(process.stdin, stdin), daemon=True).start()
    is_timed_out = False
    try:
        process.wait(timeout_seconds)
    except subprocess.TimeoutExpired:
        is_timed_out = True
    finally:
        if not is_timed_out and process.returncode is not None:
            stdout.ended(PIPES_SECONDS)
        end_group(process.pid, process)
        stdout.ended(PIPES_SECONDS)
        stderr.ended(PIPES_SECONDS)
    return Finished(
        exit_code=process.returncode,
        stdout=stdout.text(),
        stderr=stderr.text(),
        is_timed_out=is_timed_out,
        is_too_long=stdout.is_over,
    )


def end_group(leader: int, process: "subprocess.Popen[bytes] | None" = None) -> None:
    """TERM to the whole group, and KILL to what is left of it after TERM_SECONDS. Returns when it is gone."""
    for number, patience in ((signal.SIGTERM, TERM_SECONDS), (signal.SIGKILL, TERM_SECONDS)):
        deadline = time.monotonic() + patience
        is_told = False
        while members := _members(leader):
            if not is_told:
                _send(leader, members, number)
                is_told = True
            if process is not None:
                process.poll()  # reaps it
            if time.monotonic() > deadline:
                break
            time.sleep(CHECK_SECONDS)
    if process is not None:
        process.wait(PIPES_SECONDS)


def _kill(leader: int) -> None:
    _send(leader, (), signal.SIGKILL)


def _send(leader: int, members: Sequence[int], number: signal.Signals) -> None:
    """The group in one step that nobody can outrun; then those that a shell has put into groups of their own."""
    for send, target in ((os.killpg, leader), *((os.kill, pid) for pid in members)):
        try:
            send(target, number)
        except (ProcessLookupError, PermissionError):
            continue


def _members(leader: int) -> list[int]:
    """The live processes of the group and session that `leader` began; zombies are gone."""
    proc = Path("/proc")
    if not (proc / "self/stat").exists():  # no Linux: the group as a whole
        try:
            os.killpg(leader, 0)
        except (ProcessLookupError, PermissionError):
            return []
        return [leader]
    found = []
    for entry in os.scandir(proc):
        if not entry.name.isdecimal():
            continue
        try:
            stat = (proc / entry.name / "stat").read_text("utf-8", "replace")
        except OSError:  # it has just ended
            continue
        state, _, group, session = stat.rpartition(")")[2].split()[:4]
        if state not in "ZX" and str(leader) in (group, session):
            found.append(int(entry.name))
    return found


def _feed(pipe: IO[bytes], data: bytes) -> None:
    try:
        with pipe:
            pipe.write(data)
    except (BrokenPipeError, ValueError):
        pass  # it did not want to read it: its end tells


class _Kept:
    """Drains a pipe in a thread of its own and keeps the newest `limit` bytes of it."""

    def __init__(self, pipe: IO[bytes], limit: int, on_overflow: Callable[[], None] = lambda: None) -> None:
        self.is_over = False
        self._pipe, self._limit, self._on_overflow = pipe, limit, on_overflow
        self._data = bytearray()
        self._lock = threading.Lock()
        self._thread = threading.Thread(target=self._drain, daemon=True)
        self._thread.start()

    def ended(self, timeout_seconds: float) -> None:
        """Wait until there is no more, at most so long."""
        self._thread.join(timeout_seconds)

    def text(self) -> str:
        with self._lock:
            return self._data[-self._limit :].decode("utf-8", "replace")

    def _drain(self) -> None:
        with self._pipe:
            while piece := os.read(self._pipe.fileno(), _PIECE_BYTES):
                with self._lock:
                    self._data += piece
                    if len(self._data) > 2 * self._limit:
                        del self._data[: -self._limit]
                if len(self._data) > self._limit and not self.is_over:
                    self.is_over = True
                    self._on_overflow()
