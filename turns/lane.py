"""One agent's worker: recover, open a session, claim, dispatch, repeat. One turn at a time, in queue order.

The database is the only truth. Signals from the server make it fast; without them the lane looks every second.
"""

import asyncio

from groupx.kernel.clock import Clock, until_next
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from rooms.actions.bind_session import close_former_sessions
from rooms.change_watch import ChangeWatch
from rooms.envelope import ActorRef
from rooms.transactions import StoreError, in_reader
from turns.actions.claim_turn import ClaimedTurn, claim_turn
from turns.actions.pause_lane import pause_at_start
from turns.actions.recover_turns import recover_turns, take_lane
from turns.control import LaneControl, Stop
from turns.dispatch import Dispatcher
from turns.lane_jobs import LaneJobs, LaneSide
from turns.lane_link import CancelTurn, LaneLink, Orders, ToolCalls, Wake
from turns.lane_store import UNAVAILABLE, LaneStore
from turns.pauses import NO_BUDGET, Budget, LanePause
from turns.queries.lane import Asked, lane_orders
from turns.session_keeper import SessionKeeper
from turns.sessions import AgentSessions, LiveSession
from turns.state import TurnStatus

log = get_logger()

LOOK_SECONDS = 1.0


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
        jobs: LaneJobs,
        clock: Clock,
        budget: Budget = NO_BUDGET,
    ) -> None:
        self._agent, self._lane_token, self._worker_pid = agent, lane_token, worker_pid
        self._dispatcher = dispatcher
        self._link, self._store, self._control, self._clock = link, store, control, clock
        self._keeper = SessionKeeper(sessions, link, store, control, clock)
        self._jobs, self._budget = jobs, budget
        self._running: ClaimedTurn | None = None
        self._asked = Asked(0, 0, 0)
        self._is_to_resume = self._is_to_begin_afresh = False
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
        self._asked = await self._store.write(
            take_lane, self._agent.actor_id, self._lane_token, self._worker_pid, clock=self._clock
        )
        await self._store.write(close_former_sessions, self._agent, clock=self._clock)
        for turn_id, verdict in await self._store.write(recover_turns, self._agent, clock=self._clock):
            log.info("turn_recovered", turn_id=turn_id, verdict=verdict)
        pause = await self._store.write(
            pause_at_start, self._agent.actor_id, self._lane_token, self._budget, clock=self._clock
        )
        if pause is not None:
            self._keeper.take_pause(pause)

    async def _work(self) -> None:
        side_tasks = [
            asyncio.create_task(self._hear(), name="lane-signals"),
            asyncio.create_task(self._watch_orders(), name="lane-orders"),
            asyncio.create_task(
                self._jobs.run(LaneSide(is_idle=self._is_idle, has_worked=self._look_for_work)), name="lane-jobs"
            ),
        ]
        for task in side_tasks:
            task.add_done_callback(self._side_task_ended)
        try:
            while self._control.stop is not Stop.CLOSING:
                await self._step()
        finally:
            for task in side_tasks:
                task.cancel()
            try:
                await self._keeper.end()  # a short session that has to close does so meanwhile
            finally:
                await asyncio.gather(*side_tasks, return_exceptions=True)

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
        await self._obey()
        await self._keeper.bury_the_dead()
        if await self._keeper.is_paused() or (self._keeper.live is None and not await self._open_session()):
            await self._wait()
            return
        live = self._keeper.live
        assert live is not None
        if not self._may_have_work:
            await self._wait()
            return
        self._may_have_work = False
        try:
            claimed = await self._store.write(
                claim_turn, self._agent.actor_id, self._lane_token, budget=self._budget, clock=self._clock
            )
        except GroupXError as error:
            log.error("lane_lost", reason=error.message)
            self._control.lose()
            return
        if claimed is None:
            self._jobs.look()
            return
        self._may_have_work = True  # and perhaps more behind it
        if isinstance(claimed, LanePause):
            log.info("lane_paused", kind=claimed.kind, until=claimed.until.isoformat())
            self._keeper.take_pause(claimed)
        else:
            await self._run_turn(claimed, live)

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
        if outcome.error_code is ErrorCode.NATIVE_SESSION_LOST:
            await self._keeper.replace_lost(outcome)
        elif live.session.usable and not await self._has_settled(live):
            await self._keeper.replace("the agent did not finish an ended turn")
        await self._keeper.turn_ended(outcome)
        await self._look_at_orders()  # what was asked meanwhile counts before the next turn, whatever signal was lost

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
        if not self._keeper.may_open(woken=self._woken, has_waiting=self._may_have_work):
            return False
        self._woken = False
        is_open = await self._keeper.open()
        if not is_open and self._control.stop is None:
            self._may_have_work = False  # the orders say again whether anything waits
        return is_open

    async def _restart(self) -> None:
        await self._keeper.restart()
        self._may_have_work = True
        self._control.restarted()

    # ------------------------------------------------------------ what others want
    async def _obey(self) -> None:
        """What was asked of the lane and waits for the end of a turn."""
        if self._is_to_resume:
            self._is_to_resume = False
            await self._keeper.resume()
            self._may_have_work = self._woken = True
        if self._is_to_begin_afresh:
            self._is_to_begin_afresh = False
            await self._keeper.begin_afresh()

    async def _wait(self) -> None:
        """Until there may be something to do: a signal, what the orders say, the end of a pause or of an idle CLI."""
        tasks = {asyncio.create_task(self._control.changed(), name="lane-control")}
        if (live := self._keeper.live) is not None:
            tasks.add(asyncio.create_task(live.session.gone(), name="session-gone"))
        seconds = None if live is not None else LOOK_SECONDS
        if (paused := self._keeper.pause_seconds) is not None:
            seconds = paused
        try:
            await self._clock.wait(tasks, seconds)
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
                case ToolCalls(turn_id, open_calls):
                    if self._running is not None and self._running.turn_id == turn_id:
                        self._control.tell_calls(turn_id, open_calls)
                case Orders():
                    await self._look_at_orders()

    async def _watch_orders(self) -> None:
        """Once a second, if anybody has written anything: what a lost signal would have said."""
        watch = ChangeWatch()
        try:
            while True:
                await self._clock.sleep(until_next(LOOK_SECONDS, self._clock))
                if watch.has_changed() and not await self._look_at_orders():
                    watch.close()  # it was not read: look again whether or not anything is written
        finally:
            watch.close()

    async def _look_at_orders(self) -> bool:
        """Obey what the database says; False when it could not be asked."""
        turn_id = self._running.turn_id if self._running else None
        try:
            orders = await in_reader(lane_orders, self._agent.actor_id, turn_id)
        except StoreError:
            log.exception("store_unavailable", during="orders")
            return False
        if orders.lane_token != self._lane_token:
            self._control.lose()
        if orders.has_waiting and self._running is None and not self._may_have_work:
            self._look_for_work()
        if orders.has_job:
            self._jobs.job_waits()
        if self._running is not None and orders.turn_status is TurnStatus.CANCELLING:
            self._control.cancel(self._running.turn_id)
        self._take_asked(orders.asked)
        return True

    def _look_for_work(self) -> None:
        self._may_have_work = True
        self._control.wake()

    def _is_idle(self) -> bool:
        is_busy = self._running is not None or self._may_have_work or self._keeper.pause_seconds is not None
        return self._keeper.is_usable and not is_busy

    def _take_asked(self, asked: Asked) -> None:
        before, self._asked = self._asked, asked
        if asked.restart > before.restart:
            self._control.restart()
        self._is_to_resume |= asked.resume > before.resume
        self._is_to_begin_afresh |= asked.fresh > before.fresh
        if self._is_to_resume or self._is_to_begin_afresh:
            self._control.wake()
