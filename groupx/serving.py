"""A process that serves on the parent's socket, from its first answer to its last: the room's server, or the setup's.

The parent holds the listening socket and the control line. Its word `drain` makes it take nothing new; the end of the
line, SIGTERM or SIGINT ends the process: the listener is closed, what still runs is cancelled. Whatever hangs
meanwhile, the process is gone after EXIT_SECONDS.
"""

import asyncio
import os
import signal
import socket
import threading
from abc import ABC, abstractmethod

from groupx.control import ControlLine, Word
from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.logs import get_logger
from groupx.server import BoundedServer
from groupx.setup.answers import LaunchTold

log = get_logger()

EXIT_SECONDS = 3.2
"""The parent waits a little longer (groupx/supervisor.py)."""
LAST_ANSWERS_SECONDS = 0.5
"""Answers and ends of streams that are under way when the listener closes."""
FAILED_EXIT_CODE = 70


class Serving(ABC):
    """What both servers are to their parent and to the edges. All methods belong to the server's loop."""

    def __init__(self, run: RunConfig, port: int, clock: Clock) -> None:
        self.run, self.port, self.clock = run, port, clock
        self.is_draining = False
        self._control: ControlLine | None = None
        self._ending = asyncio.Event()

    @abstractmethod
    def on_configured(self) -> None:
        """The setup has written the configuration file."""

    @abstractmethod
    def launch_state(self) -> LaunchTold:
        """How far the start after a first setup is."""

    @abstractmethod
    def check_restart(self) -> None:
        """
        Raises:
            GroupXError: CONFIG_INVALID when a restart could not succeed.
        """

    @abstractmethod
    def obey(self, line: str) -> None:
        """A word of the parent that only one kind of server knows."""

    def first_words(self) -> list[str]:
        """What the parent hears before `ready`."""
        return []

    def drain(self) -> None:
        """From now on nothing new is taken. Idempotent."""
        if not self.is_draining:
            self.is_draining = True
            log.info("serve_draining")

    def ask_parent(self, word: Word) -> bool:
        """Send a word to the parent; False when this process has none."""
        if self._control is None or self._control.is_closed:
            return False
        self._control.send(word)
        return True

    def end(self) -> None:
        self._ending.set()

    async def live(self, server: BoundedServer, listener: socket.socket, control_fd: int | None) -> None:
        """Serve on `listener` until the parent, a signal or `end` says so."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.end)
        server.open(listener)
        parent = None
        try:
            if control_fd is not None:
                self._control = await ControlLine.open(control_fd)
                self._control.on_line(self._hear_parent)
                for word in [*self.first_words(), Word.READY]:
                    self._control.send(word)
                parent = asyncio.create_task(self._end_with_parent(self._control), name="parent")
            log.info("serve_ready", port=self.port)
            await self._ending.wait()
            _exit_in_time()
            self.drain()
            await server.close_listener()
            await self.clock.sleep(LAST_ANSWERS_SECONDS if server.is_busy else 0)
        finally:
            if parent is not None:
                parent.cancel()
                await asyncio.gather(parent, return_exceptions=True)

    async def _end_with_parent(self, control: ControlLine) -> None:
        await control.closed()
        self.end()

    def _hear_parent(self, line: str) -> None:
        match line.split():
            case [Word.PING]:
                self.ask_parent(Word.PONG)
            case [Word.DRAIN]:
                self.drain()
            case _:
                self.obey(line)


def _exit_in_time() -> None:
    def leave() -> None:
        log.error("serve_did_not_end", seconds=EXIT_SECONDS)
        os._exit(FAILED_EXIT_CODE)

    timer = threading.Timer(EXIT_SECONDS, leave)
    timer.daemon = True
    timer.start()


_current: Serving | None = None


def use_server(server: Serving | None) -> None:
    global _current
    _current = server


def current_server() -> Serving | None:
    """What serves in this process; None in every other process."""
    return _current
