"""One CLI as a child process that speaks newline-delimited JSON.

Knows spawning without a shell, lines, standard error, exit and the ordered end of the whole process group;
refuses to know what any frame means. Everything it waits for is bounded.
"""

import asyncio
import signal
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

from adapters import process_group
from adapters.contract import AdapterError, OpenedProcess, StopRecord
from adapters.executables import resolve
from adapters.framing import plain, read_line, write_line
from adapters.pipes import InputStuck, Pipes
from adapters.process_group import end_orphan
from adapters.process_identity import start_of
from groupx.kernel.environment import for_others
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger

__all__ = ["CliProcess", "InputStuck", "NoiseFlood", "child_environment", "end_orphan"]

log = get_logger()

NOISE_IN_A_ROW = 200
"""Banners are short; a program that prints this much between two frames does not speak the protocol."""
LAST_WORDS_CHARS = 2_000
UNSENT_BYTES = 1024 * 1024
"""Small frames are not waited for; a child that lets this much of them pile up does not read."""


class NoiseFlood(Exception):
    """The output is no stream of frames: too much noise in a row, or a line over the limit."""


def child_environment(agent_id: str, added: Mapping[str, str]) -> dict[str, str]:
    """The inherited environment without anything of ours, plus what is added and the agent's own name."""
    return {**for_others(), **added, "GROUPX_AGENT_ID": agent_id}


class CliProcess:
    """Started by `spawn`; `stop` must be awaited whatever happened."""

    def __init__(self, transport: asyncio.SubprocessTransport, pipes: Pipes) -> None:
        self._transport = transport
        self._pipes = pipes
        self._stopping: asyncio.Task[StopRecord] | None = None
        self._written_bytes = 0
        self._large_until = 0
        """How far of what was written others watch by `drained`."""
        self.noise = 0
        """Lines that were no frames, or frames that meant nothing."""
        self._noise_in_a_row = 0
        self.invalid_utf8 = 0
        """Lines with bytes that were no UTF-8."""
        pid = transport.get_pid()
        started_at = start_of(pid)  # None: over already, and reaped
        self.opened = OpenedProcess(pid=pid, started_at=0.0 if started_at is None else started_at)

    @classmethod
    async def spawn(cls, argv: tuple[str, ...], *, cwd: Path, env: Mapping[str, str]) -> "CliProcess":
        """Start `argv` in a session of its own with real pipes.

        Raises:
            AdapterError: COMMAND_NOT_FOUND, or NATIVE_START_FAILED when the system refuses.
        """
        resolved = resolve(argv, env, cwd)
        try:
            transport, pipes = await asyncio.get_running_loop().subprocess_exec(
                Pipes, *resolved, cwd=cwd, env=dict(env), start_new_session=True
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) and error.strerror else "bad argument"
            raise AdapterError(
                ErrorCode.NATIVE_START_FAILED, f"“{resolved[0]}” could not be started: {reason}."
            ) from error
        pipes.tune()
        process = cls(transport, pipes)
        log.info("cli_started", pid=process.opened.pid, executable=resolved[0])
        return process

    # ------------------------------------------------------------ frames
    async def frames(self) -> AsyncIterator[dict[str, Any]]:
        """JSON objects in the order they came, until the end of output. For one reader, who says of each whether it
        was `understood` or `skipped`.

        Raises:
            NoiseFlood: nothing more can be read then.
        """
        while (raw := await self._pipes.next_line()) is not None:
            line = read_line(raw)
            self.invalid_utf8 += line.repaired
            if line.frame is None:
                self.skipped()
            else:
                yield line.frame
        if self._pipes.overlong:
            raise NoiseFlood

    def understood(self) -> None:
        """The newest frame was a message."""
        self._noise_in_a_row = 0

    def skipped(self) -> None:
        """The newest line was none.

        Raises:
            NoiseFlood: so was too much before it.
        """
        self.noise += 1
        self._noise_in_a_row += 1
        if self._noise_in_a_row > NOISE_IN_A_ROW:
            raise NoiseFlood

    def post(self, frame: dict[str, Any]) -> None:
        """Send a small frame without waiting.

        Raises:
            InputStuck: the child has not read for so long that too much has piled up.
        """
        self._write(write_line(frame))
        taken = self._written_bytes - self._pipes.unsent_bytes
        if self._written_bytes - max(taken, self._large_until) > UNSENT_BYTES:
            raise InputStuck

    def write(self, line: bytes) -> None:
        """Hand over a line made by `write_line`, of any size, without waiting; lost when the process is over.

        Whether the child takes it is for the caller to watch, by `drained`.
        """
        self._write(line)
        self._large_until = self._written_bytes

    async def drained(self, timeout_seconds: float) -> None:
        """Wait until the child has taken everything that was written.

        Raises:
            InputStuck: it took nothing for `timeout_seconds`, or has closed its input.
        """
        await self._pipes.drained(timeout_seconds)

    def _write(self, line: bytes) -> None:
        self._written_bytes += len(line)
        self._pipes.write(line)

    # ------------------------------------------------------------ state
    @property
    def exit_code(self) -> int | None:
        return self._transport.get_returncode()

    async def exited(self, timeout_seconds: float) -> bool:
        try:
            async with asyncio.timeout(timeout_seconds):
                await self._pipes.exited.wait()
        except TimeoutError:
            return False
        return True

    @property
    def last_words(self) -> str:
        """The end of standard error, at most 2,000 characters."""
        return plain(self._pipes.stderr_tail.decode("utf-8", "replace")).strip()[-LAST_WORDS_CHARS:]

    # ------------------------------------------------------------ the end
    async def stop(self, close_ms: int) -> StopRecord:
        """End of input, TERM, KILL to the group, within about `close_ms`; everything reaped. Idempotent.

        Goes on in the background when the caller is cancelled.
        """
        if self._stopping is None:
            self._stopping = asyncio.create_task(self._stop(close_ms / 1000), name=f"stop-cli-{self.opened.pid}")
        return await asyncio.shield(self._stopping)

    async def _stop(self, close_seconds: float) -> StopRecord:
        loop, pid = asyncio.get_running_loop(), self.opened.pid
        # watched from here on without a gap: its number stays its own, or its group's, until nothing of it is left
        started_at = None if self.exit_code is None else self.opened.started_at
        began = loop.time()

        def elapsed_ms() -> int:
            return round((loop.time() - began) * 1000)

        terminated_ms = killed_ms = None
        self._pipes.close_input()
        await self.exited(close_seconds * 0.4)
        if process_group.send(pid, started_at, signal.SIGTERM):
            terminated_ms = elapsed_ms()
            if not await process_group.emptied(pid, started_at, close_seconds * 0.4):
                process_group.send(pid, started_at, signal.SIGKILL)
                killed_ms = elapsed_ms()
                await process_group.emptied(pid, started_at, close_seconds * 0.2)
        await self.exited(max(0.5, close_seconds * 0.2))
        self._transport.close()
        record = StopRecord(
            exit_code=self.exit_code,
            terminated_ms=terminated_ms,
            killed_ms=killed_ms,
            ended_ms=elapsed_ms(),
            survivors=len(process_group.members(pid, started_at)),
        )
        log.info("cli_stopped", pid=pid, **vars(record))
        return record
