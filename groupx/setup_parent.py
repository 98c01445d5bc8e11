"""The parent of a folder without a configuration: it serves the setup until that has written one, then the room.

On one port only one server accepts at a time: the setup ends before the room's server begins, on the socket that stays
open, and comes back with the reason if the room cannot start. On another port it goes on beside the room for a while,
so that its page learns where to go.
"""

import asyncio
import socket
from collections.abc import Callable

from groupx.children import Reaper
from groupx.control import Word, with_sentence
from groupx.ending_signals import ended_by_signals
from groupx.kernel.clock import Clock, SystemClock
from groupx.kernel.config import RunConfig
from groupx.kernel.config_file import load_config
from groupx.kernel.errors import GroupXError
from groupx.kernel.logs import get_logger
from groupx.room_parent import Ended, RoomParent, RoomRuns, listener_for_restart, listener_of, write_run_files
from groupx.run_config import allowed_drivers
from groupx.supervisor import Ending, Supervisor

log = get_logger()

MOVE_SECONDS = 60.0
"""For the page of the setup to go to the room on its new port; a browser slows down what nobody looks at."""


class FirstStart:
    """`run` is all that this process does; until the end of the setup, and of the room after it."""

    def __init__(
        self,
        run: RunConfig,
        listener: socket.socket,
        setup_runs: Callable[[], None],
        room_runs: RoomRuns,
        clock: Clock | None = None,
    ) -> None:
        """`setup_runs` is called when the page can be opened, `room_runs` when the room is healthy."""
        self._run, self._listener = run, listener
        self._setup_runs, self._room_runs = setup_runs, room_runs
        self._clock = clock or SystemClock()
        self._reaper = Reaper()
        self._configured = asyncio.Event()
        self._is_ending = False
        self._next: socket.socket | None = None
        self._setup: Supervisor | None = None
        self._room: RoomParent | None = None
        self._setup_task: asyncio.Task[Ending] | None = None

    async def run(self) -> Ended:
        """
        Raises:
            GroupXError: START_FAILED when not even the setup can be served.
        """
        with ended_by_signals(self._end):
            self._reaper.begin()
            try:
                return await self._until_ended()
            finally:
                await self._end_setup()
                await self._reaper.end_adopted()
                self._reaper.end()

    async def _until_ended(self) -> Ended:
        setup = self._begin_setup(self._setup_runs)
        while True:
            configured = asyncio.create_task(self._configured.wait(), name="configured")
            await asyncio.wait({setup, configured}, return_when=asyncio.FIRST_COMPLETED)
            configured.cancel()
            if setup.done():
                is_restart = setup.result() is Ending.RESTART
                return Ended(run=self._run, next_listener=self._next if is_restart else None)
            self._configured.clear()
            try:
                return await self._run_room()
            except GroupXError as error:
                log.error("first_start_failed", code=error.code.value, reason=error.message)
                setup = await self._go_on_with_setup(error.message)

    # ------------------------------------------------------------ the setup
    def _begin_setup(self, on_healthy: Callable[[], None]) -> asyncio.Task[Ending]:
        self._setup = Supervisor(
            self._run,
            self._listener,
            may_restart=self._may_restart,
            configured=self._configured.set,
            reaper=self._reaper,
        )
        self._setup_task = asyncio.create_task(self._setup.live(on_healthy), name="setup")
        return self._setup_task

    async def _go_on_with_setup(self, why: str) -> asyncio.Task[Ending]:
        def say_why() -> None:
            if self._setup is not None:
                self._setup.tell(with_sentence(Word.FAILED, why))

        if self._setup_task is None or self._setup_task.done():
            return self._begin_setup(say_why)
        say_why()
        return self._setup_task

    async def _end_setup(self) -> None:
        if self._setup is not None and self._setup_task is not None:
            self._setup.end(Ending.STOP)
            await asyncio.gather(self._setup_task, return_exceptions=True)

    def _may_restart(self) -> None:
        self._next = listener_for_restart(self._run, self._listener)

    # ------------------------------------------------------------ the room
    async def _run_room(self) -> Ended:
        """The room of the configuration that has just been written, from its start to its end.

        Raises:
            GroupXError: CONFIG_INVALID or START_FAILED; nothing of the room lives then.
        """
        # Its port is newer than that of the command line.
        run = await asyncio.to_thread(load_config, self._run.config_path, allowed_drivers())
        listener = listener_of(run, self._run, self._listener)
        has_moved = listener is not self._listener
        try:
            if not has_moved:
                await self._end_setup()
            return await self._live(run, listener, has_moved=has_moved)
        except GroupXError:
            if has_moved:
                listener.close()
            write_run_files(self._run)
            raise
        finally:
            self._room = None

    async def _live(self, run: RunConfig, listener: socket.socket, *, has_moved: bool) -> Ended:
        if self._is_ending:
            return Ended(run=self._run)
        write_run_files(run)
        self._room = room = RoomParent(run, listener, self._reaper)
        moving: list[asyncio.Task[None]] = []

        def on_healthy() -> None:
            self._room_runs(run, room.supervisor.sign_in)
            if has_moved and self._setup is not None:
                self._setup.tell(f"{Word.LAUNCHED} {run.origin}")
                moving.append(asyncio.create_task(self._end_setup_later(), name="move"))

        try:
            return room.ended(await room.supervisor.live(on_healthy))
        finally:
            for task in moving:
                task.cancel()
            await asyncio.gather(*moving, return_exceptions=True)

    async def _end_setup_later(self) -> None:
        await self._clock.sleep(MOVE_SECONDS)
        await self._end_setup()
        self._listener.close()

    def _end(self) -> None:
        self._is_ending = True
        if self._room is not None:
            self._room.supervisor.end(Ending.STOP)
        elif self._setup is not None:
            self._setup.end(Ending.STOP)
