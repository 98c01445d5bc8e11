"""The three pipes of a child process with bounds on each, and its exit.

Output is collected as lines; reading pauses while too much waits to be taken. Standard error is always
drained into a ring. The exit is seen although a grandchild still holds the pipes: what is left in them then
has a short time to arrive.
"""

import asyncio
from collections import deque
from typing import cast

from adapters.framing import LineSplitter, LineTooLong

WAITING_BYTES = 256 * 1024
"""Complete lines kept before reading pauses; a single line may be longer."""
STDERR_RING_BYTES = 64 * 1024
DRAIN_AFTER_EXIT_SECONDS = 0.3
PIPE_BYTES = 64 * 1024
"""A dead process leaves at most a full pipe behind; a grandchild that holds it could go on for ever."""

STDIN, STDOUT, STDERR = 0, 1, 2


class InputStuck(Exception):
    """The child takes nothing from its standard input any more, or has closed it."""


class Pipes(asyncio.SubprocessProtocol):
    """Used from one event loop by one reader and any number of writers."""

    def __init__(self) -> None:
        self.exited = asyncio.Event()
        self.ended = asyncio.Event()
        """No more output will come."""
        self.overlong = False
        self.stdin_lost = False
        self._lines: deque[bytes] = deque()
        self._waiting_bytes = 0
        self._paused = False
        self._bytes_after_exit = 0
        self._more = asyncio.Event()
        self._splitter = LineSplitter()
        self._stderr: deque[bytes] = deque()
        self._stderr_size = 0
        self._drained = asyncio.Event()
        self._drained.set()
        self._transport: asyncio.SubprocessTransport | None = None

    # ------------------------------------------------------------ what the event loop tells
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        if fd == STDERR:
            self._keep_stderr(data)
        elif not self.ended.is_set():
            try:
                self._take(self._splitter.feed(data))
            except LineTooLong:
                self.overlong = True
                self._end_output()
            if self.exited.is_set():
                self._bytes_after_exit += len(data)
                if self._bytes_after_exit > PIPE_BYTES:  # more than the dead can have left: somebody else talks
                    self._end_output()

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if fd == STDOUT:
            self._end_output()
        elif fd == STDIN:
            self.stdin_lost = True
            self._drained.set()

    def process_exited(self) -> None:
        self.exited.set()
        self._resume()
        asyncio.get_running_loop().call_later(DRAIN_AFTER_EXIT_SECONDS, self._end_output)

    def pause_writing(self) -> None:
        self._drained.clear()

    def resume_writing(self) -> None:
        self._drained.set()

    # ------------------------------------------------------------ what the process above asks
    async def next_line(self) -> bytes | None:
        """The next line, None at the end of output."""
        while not self._lines:
            if self.ended.is_set():
                return None
            self._more.clear()
            await self._more.wait()
        line = self._lines.popleft()
        self._waiting_bytes -= len(line)
        if self._waiting_bytes <= WAITING_BYTES // 4:
            self._resume()
        return line

    def write(self, data: bytes) -> None:
        """Hand over without waiting. Lost silently when the child has closed its input: its end tells."""
        stdin = self._stdin()
        if stdin is not None and not stdin.is_closing():
            stdin.write(data)

    async def drained(self, timeout_seconds: float) -> None:
        """Wait until the child has taken everything.

        Raises:
            InputStuck: it took nothing for `timeout_seconds`, or its input is closed.
        """
        while not self._drained.is_set():
            before = self.unsent_bytes
            try:
                async with asyncio.timeout(timeout_seconds):
                    await self._drained.wait()
            except TimeoutError:
                if self.unsent_bytes >= before:
                    raise InputStuck from None
        if self.stdin_lost:
            raise InputStuck

    @property
    def unsent_bytes(self) -> int:
        stdin = self._stdin()
        return stdin.get_write_buffer_size() if stdin is not None else 0

    @property
    def stderr_tail(self) -> bytes:
        return b"".join(self._stderr)[-STDERR_RING_BYTES:]

    def tune(self) -> None:
        """After the start: `drained` means that everything has left us."""
        stdin = self._stdin()
        if stdin is not None:
            stdin.set_write_buffer_limits(high=0)

    def close_input(self) -> None:
        stdin = self._stdin()
        if stdin is None:
            return
        if stdin.get_write_buffer_size():
            stdin.abort()  # a child that doesn't read would keep the end of input from arriving
        else:
            stdin.close()

    # ------------------------------------------------------------ inside
    def _stdin(self) -> asyncio.WriteTransport | None:
        if self._transport is None:
            return None
        return cast("asyncio.WriteTransport | None", self._transport.get_pipe_transport(STDIN))

    def _stdout(self) -> asyncio.ReadTransport | None:
        if self._transport is None:
            return None
        return cast("asyncio.ReadTransport | None", self._transport.get_pipe_transport(STDOUT))

    def _take(self, lines: list[bytes]) -> None:
        if not lines:
            return
        self._lines.extend(lines)
        self._waiting_bytes += sum(map(len, lines))
        self._more.set()
        stdout = self._stdout()
        if self._waiting_bytes > WAITING_BYTES and stdout is not None and not self.exited.is_set():
            stdout.pause_reading()
            self._paused = True

    def _resume(self) -> None:
        stdout = self._stdout()
        if self._paused and stdout is not None and not stdout.is_closing():
            stdout.resume_reading()
        self._paused = False

    def _end_output(self) -> None:
        if self.ended.is_set():
            return
        if not self.overlong and (rest := self._splitter.tail()):
            self._take([rest])
        self.ended.set()
        self._more.set()

    def _keep_stderr(self, data: bytes) -> None:
        self._stderr.append(data)
        self._stderr_size += len(data)
        while self._stderr_size - len(self._stderr[0]) >= STDERR_RING_BYTES:
            self._stderr_size -= len(self._stderr.popleft())
