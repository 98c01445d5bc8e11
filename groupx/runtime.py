"""Composition root of the serve process: what is wired to what, started in order, stopped in reverse.

How it begins and ends, and what it is to its parent, is in groupx/serving.py. The parent's word `lane_down` lets the
room know of a lane that keeps dying. At the end streams end and database threads are closed.
"""

import asyncio
import socket
from collections.abc import Callable, Coroutine
from contextlib import suppress
from typing import Any

from groupx import database
from groupx.control import Word
from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.config_file import load_config
from groupx.kernel.errors import GroupXError
from groupx.kernel.ids import new_correlation_id
from groupx.kernel.logs import get_logger
from groupx.run_config import allowed_drivers
from groupx.server import BoundedServer
from groupx.serving import Serving
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


class ServerRuntime(Serving):
    """Everything that lives as long as this process serves. `serve` blocks until it is over."""

    def __init__(
        self, run: RunConfig, port: int, lane_secret: str, clock: Clock, *, sign_in: str | None = None
    ) -> None:
        """`sign_in`: path of a link to the admin, for the parent to show."""
        super().__init__(run, port, clock)
        self.lane_secret, self._sign_in = lane_secret, sign_in
        self.tail = Tail(run.config.limits, clock)
        self.checkpoints = Checkpoints(clock)
        self.store_watch = StoreWatch(self.tell, database.reopen, clock)
        self._card_listeners: list[Callable[[str], None]] = []
        self._drain_listeners: list[Callable[[], None]] = []
        self._beside: dict[str, Callable[[], Coroutine[Any, Any, None]]] = {}
        self._background: set[asyncio.Task[None]] = set()

    # ------------------------------------------------------------ what edges ask
    def drain(self) -> None:
        """From now on nothing new is taken; event streams end, lanes stay connected."""
        if self.is_draining:
            return
        super().drain()
        self.tail.close()
        for listener in self._drain_listeners:
            listener()

    def why_unwritable(self) -> str | None:
        """The database's words while it cannot be written."""
        outage = self.store_watch.outage
        return outage.reason if outage is not None else None

    def on_configured(self) -> None:
        """A room that runs keeps what it was started with."""

    def launch_state(self) -> LaunchTold:
        """How far the start after a first setup is: of a room, done."""
        return {"status": "ready", "origin": self.run.origin}

    def check_restart(self) -> None:
        load_config(self.run.config_path, allowed_drivers())

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
        end_listening = listen(lambda announcement: _on_loop(loop, self._hear, announcement))
        end_listening_for_failures = listen_for_failures(lambda why: _on_loop(loop, self.store_watch.failed, why))
        tail = asyncio.create_task(self.tail.run(), name="tail")
        store_watch = asyncio.create_task(self.store_watch.run(), name="store-watch")
        checkpoints = asyncio.create_task(self.checkpoints.run(), name="checkpoints")
        beside = [asyncio.create_task(run(), name=name) for name, run in self._beside.items()]
        for task in (tail, store_watch, checkpoints, *beside):
            task.add_done_callback(self._lasting_task_ended)
        self._in_background(self._reopen_store(), name="reopen-store")
        try:
            await super().live(server, listener, control_fd)
        finally:
            self.tail.close()
            end_listening()
            end_listening_for_failures()
            left = [tail, store_watch, checkpoints, *beside, *self._background]
            for task in left:
                task.cancel()
            await asyncio.gather(*left, return_exceptions=True)

    def first_words(self) -> list[str]:
        return [f"{Word.SIGN_IN} {self._sign_in}"] if self._sign_in is not None else []

    def close_database(self) -> None:
        self.tail.close_threads()
        self.checkpoints.close()
        close_database_threads()

    def obey(self, line: str) -> None:
        match line.split():
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
