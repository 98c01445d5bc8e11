"""Composition root of the serve process: what is wired to what, started in order, stopped in reverse.

The parent holds the listening socket and the control line. Its word `drain` makes the room take nothing new,
`lane_down` lets the room know of a lane that keeps dying; the end of the line, SIGTERM or SIGINT ends the
process: streams end, the listener is closed, what still runs is cancelled, database threads are closed.
Whatever hangs meanwhile, the process is gone after EXIT_SECONDS.
"""

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from groupx import database
from groupx.control import ControlLine, Word
from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import GroupXError
from groupx.kernel.ids import new_correlation_id
from groupx.kernel.logs import get_logger
from groupx.server import BoundedServer
from groupx.setup.answers import LaunchTold
from groupx.store_watch import StoreWatch
from rooms.actions.seed_room import agent_actor_id
from rooms.announcements import Announcement, Committed, LaneAction, LaneSignal, listen
from rooms.body import Body
from rooms.caller import SYSTEM
from rooms.checkpoints import Checkpoints
from rooms.tail import Tail
from rooms.transactions import StoreError, close_database_threads, in_db, listen_for_failures
from rooms.vocabulary import SourceKind
from turns.actions.give_up_lane import give_up_lane
from turns.consumers import tell_lane

log = get_logger()

EXIT_SECONDS = 3.2
"""The parent waits a little longer (groupx/supervisor.py)."""
LAST_ANSWERS_SECONDS = 0.5
"""Answers and ends of streams that are under way when the listener closes."""
FAILED_EXIT_CODE = 70


class ServerRuntime:
    """Everything that lives as long as this process serves. `serve` blocks until it is over."""

    def __init__(
        self, run: RunConfig, port: int, lane_secret: str, clock: Clock, *, sign_in: str | None = None
    ) -> None:
        """`sign_in`: path of a link to the admin, for the parent to show."""
        self.run, self.port, self.lane_secret, self.clock = run, port, lane_secret, clock
        self._sign_in = sign_in
        self.tail = Tail(run.config.limits, clock)
        self.checkpoints = Checkpoints(clock)
        self.store_watch = StoreWatch(self.tell, database.reopen, clock)
        self.is_draining = False
        self._control: ControlLine | None = None
        self._card_listeners: list[Callable[[str], None]] = []
        self._drain_listeners: list[Callable[[], None]] = []
        self._beside: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {}
        self._ending = asyncio.Event()
        self._background: set[asyncio.Task[None]] = set()

    # ------------------------------------------------------------ what edges ask
    def drain(self) -> None:
        """From now on nothing new is taken; event streams end, lanes stay connected."""
        if not self.is_draining:
            self.is_draining = True
            self.tail.close()
            for listener in self._drain_listeners:
                listener()
            log.info("serve_draining")

    def why_unwritable(self) -> str | None:
        """The database's words while it cannot be written."""
        outage = self.store_watch.outage
        return outage.reason if outage is not None else None

    def ask_parent(self, word: Word) -> bool:
        """Send a word to the parent; False when this process has none."""
        if self._control is None or self._control.is_closed:
            return False
        self._control.send(word)
        return True

    def on_configured(self) -> None:
        """A room that runs keeps what it was started with."""

    def launch_state(self) -> LaunchTold:
        """How far the start after a first setup is: of a room, done."""
        return {"status": "ready", "origin": self.run.origin}

    def on_card_change(self, listener: Callable[[str], None]) -> None:
        """Call `listener(actor_id)` on the loop whenever what that agent's card shows has changed."""
        self._card_listeners.append(listener)

    def on_drain(self, listener: Callable[[], None]) -> None:
        """Call `listener()` on the loop when nothing new is taken any more: for what lets somebody wait."""
        self._drain_listeners.append(listener)

    def run_beside(self, name: str, run: Callable[[], Coroutine[Any, Any, None]]) -> None:
        """Run this as well as long as the process serves; it must not end by itself. Before `live`."""
        self._beside[name] = run

    def card_changed(self, actor_id: str) -> None:
        for listener in self._card_listeners:
            listener(actor_id)

    # ------------------------------------------------------------ the process
    async def live(self, server: BoundedServer, listener: socket.socket, control_fd: int | None) -> None:
        """Serve on `listener` until the parent, a signal or `end` says so."""
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, self.end)
        end_listening = listen(lambda announcement: _on_loop(loop, self._hear, announcement))
        end_listening_for_failures = listen_for_failures(lambda why: _on_loop(loop, self.store_watch.failed, why))
        tail = asyncio.create_task(self.tail.run(), name="tail")
        store_watch = asyncio.create_task(self.store_watch.run(), name="store-watch")
        checkpoints = asyncio.create_task(self.checkpoints.run(), name="checkpoints")
        beside = [asyncio.create_task(run(), name=name) for name, run in self._beside.items()]
        for task in (tail, store_watch, checkpoints, *beside):
            task.add_done_callback(self._lasting_task_ended)
        try:
            server.open(listener)
            if control_fd is not None:
                self._control = await ControlLine.open(control_fd)
                self._control.on_line(self._obey)
                if self._sign_in is not None:
                    self._control.send(f"{Word.SIGN_IN} {self._sign_in}")
                self._control.send(Word.READY)
                parent = asyncio.create_task(self._end_with_parent(self._control), name="parent")
            else:
                parent = None
            self._in_background(self._reopen_store(), name="reopen-store")
            log.info("serve_ready", port=self.port)
            await self._ending.wait()
            _exit_in_time()
            self.drain()
            await server.close_listener()
            await self.clock.sleep(LAST_ANSWERS_SECONDS if server.is_busy else 0)
        finally:
            self.tail.close()
            end_listening()
            end_listening_for_failures()
            left = [
                task
                for task in (tail, store_watch, checkpoints, *beside, parent, *self._background)
                if task is not None
            ]
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def end(self) -> None:
        self._ending.set()

    def close_database(self) -> None:
        self.tail.close_threads()
        self.checkpoints.close()
        close_database_threads()

    async def _end_with_parent(self, control: ControlLine) -> None:
        await control.closed()
        self.end()

    def _obey(self, line: str) -> None:
        match line.split():
            case [Word.PING]:
                self.ask_parent(Word.PONG)
            case [Word.DRAIN]:
                self.drain()
            case [Word.LANE_DOWN, agent_id]:
                self._in_background(self._give_up_lane(agent_id), name="give-up-lane")
            case _:
                log.warning("control_word_unknown", word=line)

    async def _give_up_lane(self, agent_id: str) -> None:
        try:
            await in_db(give_up_lane, agent_actor_id(agent_id), clock=self.clock)
        except (StoreError, GroupXError):  # the parent says it again when the lane dies again
            log.exception("lane_down_not_told", agent_id=agent_id)

    def tell(self, body: Body) -> None:
        """Of ourselves, to who is connected; kept nowhere."""
        self.tail.live.transient(
            body.event_type,
            body.wire(),
            SYSTEM,
            new_correlation_id(),
            self.clock.now(),
            source_kind=SourceKind.SYSTEM,
        )

    async def _reopen_store(self) -> None:
        """Beside serving: without a database that can be written there is still much to show."""
        try:
            await in_db(database.reopen)
        except StoreError as error:  # it has been told to the store watch, which does it when it can
            log.warning("store_not_reopened", reason=str(error))

    def _in_background(self, step: Coroutine[Any, Any, None], *, name: str) -> None:
        task = asyncio.get_running_loop().create_task(step, name=name)
        self._background.add(task)
        task.add_done_callback(self._background.discard)

    def _lasting_task_ended(self, task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            # Without its tail, say, the room shows nothing; the parent starts another server.
            log.error("serve_task_failed", task=task.get_name(), exc_info=error)
            self.end()

    # ------------------------------------------------------------ announcements of this process
    def _hear(self, announcement: Announcement) -> None:
        match announcement:
            case Committed():
                self.tail.wake()
            case LaneSignal(actor_id=actor_id, action=LaneAction.CARD):
                self.card_changed(actor_id)
            case LaneSignal() as told:
                self._in_background(tell_lane(told), name="tell-lane")


def _on_loop[T](loop: asyncio.AbstractEventLoop, hear: Callable[[T], None], told: T) -> None:
    """Called in the thread that wrote."""
    with suppress(RuntimeError):  # the loop has been closed: nobody is left to hear
        loop.call_soon_threadsafe(hear, told)


def _exit_in_time() -> None:
    def leave() -> None:
        log.error("serve_did_not_end", seconds=EXIT_SECONDS)
        os._exit(FAILED_EXIT_CODE)

    timer = threading.Timer(EXIT_SECONDS, leave)
    timer.daemon = True
    timer.start()


_current: ServerRuntime | None = None


def use_runtime(runtime: ServerRuntime | None) -> None:
    global _current
    _current = runtime


def current_server() -> ServerRuntime | None:
    """The runtime that serves in this process; None in every other process."""
    return _current
