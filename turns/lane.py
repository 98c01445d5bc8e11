"""One agent's worker: recover, open a session, claim, dispatch, repeat. One turn at a time, in queue order.

The database is the only truth. Signals from the server make it fast; without them the lane looks every second.
"""

import asyncio

from django.db import DatabaseError

from adapters.contract import AdapterError
from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from rooms.actions.bind_session import close_former_sessions
from rooms.change_watch import ChangeWatch
from rooms.envelope import ActorRef
from rooms.transactions import in_reader
from turns.actions.claim_turn import ClaimedTurn, claim_turn
from turns.actions.recover_turns import recover_turns, take_lane
from turns.control import LaneControl, Stop
from turns.dispatch import Dispatcher
from turns.lane_link import CancelTurn, Close, LaneLink, Restart, Wake
from turns.lane_store import UNAVAILABLE, LaneStore
from turns.queries import lane_orders
from turns.sessions import AgentSessions, LiveSession, error_card
from turns.settlement import TurnOutcome
from turns.start_patience import StartPatience
from turns.state import LaneStatus, TurnStatus

log = get_logger()

LOOK_SECONDS = 1.0
CLOSED_BY = {Stop.CLOSING: "GroupX was stopped", Stop.RESTARTING: "restart"}


class LaneWorker:
    def __init__(
        self,
        agent: ActorRef,
        lane_token: str,
        worker_pid: int,
        sessions: AgentSessions,
        dispatcher: Dispatcher,
        link: LaneLink,
        store: LaneStore,
        control: LaneControl,
        clock: Clock,
    ) -> None:
        self._agent, self._lane_token, self._worker_pid = agent, lane_token, worker_pid
        self._sessions, self._dispatcher = sessions, dispatcher
        self._link, self._store, self._control, self._clock = link, store, control, clock
        self._live: LiveSession | None = None
        self._opened_at = 0.0
        self._patience = StartPatience()
        self._running: ClaimedTurn | None = None
        self._generation = 0
        self._may_have_work = True
        """Nothing says that the queue is empty."""
        self._woken = False
        """A new message came: worth another try of a failed start."""

    async def run(self) -> None:
        """Work until `control` says to close; leaves no process and no turn in flight."""
        try:
            await self._take_over()
            await self._work()
        except UNAVAILABLE as error:  # only who is to close gives up waiting; recovery settles the rest
            log.warning("lane_closed_without_store", reason=str(error))

    async def _take_over(self) -> None:
        self._generation = await self._store.write(
            take_lane, self._agent.actor_id, self._lane_token, self._worker_pid, clock=self._clock
        )
        await self._store.write(close_former_sessions, self._agent, clock=self._clock)
        for turn_id, verdict in await self._store.write(recover_turns, self._agent, clock=self._clock):
            log.info("turn_recovered", turn_id=turn_id, verdict=verdict)

    async def _work(self) -> None:
        side_tasks = [
            asyncio.create_task(self._hear(), name="lane-signals"),
            asyncio.create_task(self._watch_orders(), name="lane-orders"),
        ]
        for task in side_tasks:
            task.add_done_callback(self._side_task_ended)
        try:
            while self._control.stop is not Stop.CLOSING:
                await self._step()
        finally:
            for task in side_tasks:
                task.cancel()
            await asyncio.gather(*side_tasks, return_exceptions=True)
            await self._end()

    def close(self) -> None:
        """End in order; may be called at any time, also before `run`."""
        self._control.close()

    def _side_task_ended(self, task: asyncio.Task[None]) -> None:
        """A lane that is deaf must not live on: its parent starts another."""
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("lane_side_task_failed", task=task.get_name(), exc_info=error)
            self.close()

    async def _step(self) -> None:
        """One round: keep a session, run the next turn or wait for something to do."""
        if self._control.stop is Stop.RESTARTING:
            await self._restart()
        if self._live is not None and not self._live.session.usable:
            await self._bury_session()
        if self._live is None and not await self._open_session():
            await self._wait(None)
            return
        assert self._live is not None
        if not self._may_have_work:
            await self._wait(self._live)
            return
        self._may_have_work = False
        try:
            claimed = await self._store.write(claim_turn, self._agent.actor_id, self._lane_token, clock=self._clock)
        except GroupXError as error:
            log.error("lane_lost", reason=error.message)
            self._control.lose()
            return
        if claimed is not None:
            self._may_have_work = True  # and perhaps more behind it
            await self._run_turn(claimed, self._live)

    # ------------------------------------------------------------ a turn
    async def _run_turn(self, claimed: ClaimedTurn, live: LiveSession) -> None:
        self._running = claimed
        log.info("turn_claimed", turn_id=claimed.turn_id, attempt_id=claimed.attempt_id)
        try:
            outcome = await self._dispatcher.run(claimed, live)
        finally:
            self._running = None
        if outcome is None:
            return
        if outcome.status is TurnStatus.COMPLETED:
            self._patience.worked()
        if outcome.error_code is ErrorCode.NATIVE_SESSION_LOST:
            self._sessions.forget_native_session()
            await self._replace_session("session lost")
        elif live.session.usable and not await self._has_settled(live):
            await self._replace_session("the agent did not finish an ended turn")
        if self._live is not None and self._live.session.usable:
            await self._store.show(LaneStatus.READY, last_error=_error_after(outcome))

    async def _has_settled(self, live: LiveSession) -> bool:
        """Whether the agent is done with the ended turn; a lane that is to stop does not wait for that."""
        settle_seconds = self._dispatcher.config.timeouts.cancel_ms / 1000
        settling = asyncio.create_task(live.session.settled(settle_seconds), name="settled")
        stopping = asyncio.create_task(self._control.stopping.wait(), name="stopping")
        try:
            await self._clock.wait({settling, stopping}, None)
            return settling.done() and settling.result()
        finally:
            for task in (settling, stopping):
                task.cancel()
            await asyncio.gather(settling, stopping, return_exceptions=True)

    # ------------------------------------------------------------ the session
    async def _open_session(self) -> bool:
        now = self._clock.monotonic()
        if not self._patience.may_try(now, woken=self._woken, has_waiting=self._may_have_work):
            return False
        self._woken = False
        self._live = await self._sessions.open()
        if self._live is not None:
            self._opened_at = self._clock.monotonic()
            self._patience.opened()
            self._link.hello(self._live.bound.instance_id)
        elif self._control.stop is None:
            self._patience.failed(self._clock.monotonic())
            self._may_have_work = False  # the orders say again whether anything waits
        return self._live is not None

    async def _bury_session(self) -> None:
        """The session ended by itself, or we ended its process with a turn: its card says so, the next is opened."""
        live = self._live
        assert live is not None
        self._live = None
        loss, last_words = live.session.loss, live.session.last_words
        await self._sessions.close(live, loss.message if loss else "the process was ended with its turn")
        if loss is None:
            return
        error = AdapterError(loss.code, loss.message, exit_code=loss.exit_code, output=last_words)
        if self._patience.is_hopeless_after(self._clock.monotonic() - self._opened_at):
            self._patience.failed(self._clock.monotonic())
            await self._sessions.give_up(error)
        else:
            text = f"{loss.message} Starting it again."
            await self._store.show(LaneStatus.STARTING, text, last_error=error_card(error))

    async def _replace_session(self, reason: str) -> None:
        live, self._live = self._live, None
        if live is not None:
            await self._sessions.close(live, reason)

    async def _restart(self) -> None:
        await self._replace_session(CLOSED_BY[Stop.RESTARTING])
        self._patience.reset()
        self._may_have_work = True
        self._control.restarted()

    async def _end(self) -> None:
        if self._control.lost:
            if self._live is not None:
                await self._live.session.close()
            return
        await self._replace_session(CLOSED_BY[Stop.CLOSING])
        await self._store.show(LaneStatus.STOPPED, instance_id=None)

    # ------------------------------------------------------------ what others want
    async def _wait(self, live: LiveSession | None) -> None:
        """Until there may be something to do: a signal, what the orders say, or the end of an idle process."""
        tasks = {asyncio.create_task(self._control.changed(), name="lane-control")}
        if live is not None:
            tasks.add(asyncio.create_task(live.session.gone(), name="session-gone"))
        try:
            await self._clock.wait(tasks, None if live is not None else LOOK_SECONDS)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _hear(self) -> None:
        while True:
            match await self._link.signals.get():
                case Wake():
                    self._may_have_work = self._woken = True
                    self._control.wake()
                case CancelTurn(turn_id):
                    self._control.cancel(turn_id)
                case Restart():
                    await self._look_at_orders()
                case Close():
                    self.close()

    async def _watch_orders(self) -> None:
        """Once a second, if anybody has written anything: what a lost signal would have said."""
        watch = ChangeWatch()
        try:
            while True:
                await self._clock.sleep(LOOK_SECONDS)
                if watch.has_changed() and not await self._look_at_orders():
                    watch.close()  # it was not read: look again whether or not anything is written
        finally:
            watch.close()

    async def _look_at_orders(self) -> bool:
        """Obey what the database says; False when it could not be asked."""
        turn_id = self._running.turn_id if self._running else None
        try:
            orders = await in_reader(lane_orders, self._agent.actor_id, turn_id)
        except DatabaseError:
            log.exception("store_unavailable", during="orders")
            return False
        if orders.lane_token != self._lane_token:
            self._control.lose()
        if orders.has_waiting and self._running is None and not self._may_have_work:
            self._may_have_work = True
            self._control.wake()
        if self._running is not None and orders.turn_status is TurnStatus.CANCELLING:
            self._control.cancel(self._running.turn_id)
        if orders.restart_generation > self._generation:
            self._generation = orders.restart_generation
            self._control.restart()
        return True


def _error_after(outcome: TurnOutcome) -> dict[str, object] | None:
    """A turn that failed leaves its reason on the card; one that did not clears it."""
    if outcome.status is not TurnStatus.FAILED or outcome.error_code is None:
        return None
    return {"code": outcome.error_code.value, "message": outcome.message, "output": ""}
