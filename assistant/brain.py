"""The brain's process at work: keep a native session, take the questions that wait one by one, answer each once.

A question that was given to the CLI is never given again by itself: whatever happens, it ends, with an answer or with
the reason why there is none, and may then be asked again.
"""

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass

from adapters.contract import AdapterError, Session
from assistant.actions.end_question import end_question, fail_waiting
from assistant.actions.show_brain import leave_brain
from assistant.actions.take_over import take_over
from assistant.actions.take_question import TakenQuestion, take_question
from assistant.answer_hooks import answer_hooks
from assistant.brain_session import BrainSession
from assistant.ends import end_of, start_failed
from assistant.queries.conversation import brains_orders
from assistant.state import QuestionEnd
from groupx.kernel.clock import Clock, until_next
from groupx.kernel.config import Timeouts
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from rooms.envelope import ActorRef
from rooms.live_turn import LiveTurn
from rooms.transactions import UNAVAILABLE, StoreError, in_reader
from turns.control import LaneControl
from turns.lane_link import CancelTurn, LaneLink, Orders, ToolCalls, Wake
from turns.lane_store import LaneStore
from turns.native_turn import NativeTurn
from turns.settlement import TurnOutcome
from turns.start_patience import StartPatience
from turns.state import TurnStatus

log = get_logger()

LOOK_SECONDS, IDLE_LOOK_SECONDS = 1.0, 10.0
"""How often the database is asked what a lost word would have said: while a question runs, and while none does."""


@dataclass(frozen=True, kw_only=True)
class BrainFacts:
    """Who the brain is, and what it needs of the configuration."""

    token: str
    handle: str
    actor: ActorRef
    driver: str
    cwd: str
    timeouts: Timeouts
    prompt_of: Callable[[str], str]
    """The whole prompt of a question."""


class Brain:
    """`run` works until `control` says to close."""

    def __init__(
        self,
        facts: BrainFacts,
        session: BrainSession,
        link: LaneLink,
        store: LaneStore,
        control: LaneControl,
        clock: Clock,
    ) -> None:
        self._facts, self._session = facts, session
        self._link, self._store, self._control, self._clock = link, store, control, clock
        self._patience = StartPatience()
        self._opened_at = 0.0
        self._may_have_work = self._woken = True
        self._running: str | None = None

    async def run(self) -> None:
        """Leaves no process and no running question. Raises what a fault of ours is, and then its successor settles."""
        try:
            self._session.resumes = (
                await self._store.write(
                    take_over,
                    self._facts.token,
                    self._facts.handle,
                    driver=self._facts.driver,
                    cwd=self._facts.cwd,
                    pid=os.getpid(),
                    clock=self._clock,
                )
                or None
            )
            await self._work()
        except GroupXError as error:
            if error.code is not ErrorCode.STORE_CONFLICT:
                raise
            log.error("brain_replaced", reason=error.message)
        except UNAVAILABLE as error:  # only who is to close gives up waiting; its successor settles the rest
            log.warning("brain_closed_without_store", reason=str(error))

    def close(self) -> None:
        """End in order; may be called at any time, also before `run`."""
        self._control.close()

    # ------------------------------------------------------------ work
    async def _work(self) -> None:
        side_tasks = [
            asyncio.create_task(self._hear(), name="brain-signals"),
            asyncio.create_task(self._watch_orders(), name="brain-orders"),
        ]
        for task in side_tasks:
            task.add_done_callback(self._side_task_ended)
        try:
            while self._control.stop is None:
                await self._step()
        finally:
            for task in side_tasks:
                task.cancel()
            await asyncio.gather(*side_tasks, return_exceptions=True)
            await self._session.close()
            await self._store.attempt(leave_brain, self._facts.token, clock=self._clock)
            self._link.status()

    def _side_task_ended(self, task: asyncio.Task[None]) -> None:
        """A brain that is deaf must not live on: its parent starts another."""
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("brain_side_task_failed", task=task.get_name(), exc_info=error)
            self.close()

    async def _step(self) -> None:
        """One round: keep a session, answer the next question or wait for something to do."""
        await self._bury_the_dead()
        if self._session.session is None and not await self._open():
            await self._wait()
            return
        if not self._may_have_work:
            await self._wait()
            return
        self._may_have_work = False
        taken = await self._store.write(take_question, self._facts.token, clock=self._clock)
        if taken is not None:
            self._may_have_work = True  # and perhaps more behind it
            await self._answer(taken)

    async def _bury_the_dead(self) -> None:
        session = self._session.session
        if session is None or session.usable:
            return
        loss, last_words = session.loss, session.last_words
        if session.info.resumed and loss is not None:  # perhaps it is what was resumed that kills it
            self._session.resumes = None
        await self._session.close()
        if loss is not None and self._patience.is_hopeless_after(self._clock.monotonic() - self._opened_at):
            self._patience.failed(self._clock.monotonic())
            await self._session.fail(AdapterError(loss.code, loss.message, exit_code=loss.exit_code, output=last_words))

    async def _open(self) -> bool:
        """Try when something waits or has come; what waits although it fails has failed with it."""
        now = self._clock.monotonic()
        woken, self._woken = self._woken, False
        if self._patience.may_try(now, woken=woken, has_waiting=self._may_have_work):
            if await self._session.open():
                self._opened_at = self._clock.monotonic()
                self._patience.opened()
                return True
            self._patience.failed(self._clock.monotonic())
        if self._may_have_work and self._control.stop is None and self._session.failure is not None:
            self._may_have_work = False
            await self._store.write(
                fail_waiting, self._facts.token, start_failed(self._session.failure), clock=self._clock
            )
            self._link.status()
        return False

    # ------------------------------------------------------------ a question
    async def _answer(self, taken: TakenQuestion) -> None:
        session = self._session.session
        assert session is not None
        command_id = self._running = taken.client_command_id
        log.info("question_taken")
        self._link.begin_turn(
            LiveTurn(
                turn_id=command_id,
                actor=self._facts.actor,
                correlation_id=command_id,
                root_correlation_id=command_id,
            )
        )
        hooks = answer_hooks(command_id, self._link, self._facts.actor)
        turn = NativeTurn(command_id, session, hooks, self._control, self._facts.timeouts, self._clock)
        try:
            end, outcome = await self._end_of(turn, self._facts.prompt_of(taken.content))
            await self._link.flush(command_id)
            await self._store.insist(end_question, command_id, self._facts.token, end, clock=self._clock)
            log.info("question_ended", state=end.state, code=end.error_code)
        finally:
            self._link.end_turn(command_id)
            self._control.forget(command_id)
            self._running = None
        await self._after(outcome)

    async def _end_of(self, turn: NativeTurn, prompt: str) -> tuple[QuestionEnd, TurnOutcome | None]:
        try:
            outcome = await turn.run(prompt)
        except Exception:  # the border to a driver, which broke its contract: the question ends all the same
            log.exception("question_broke")
            await self._session.close()
            return end_of(None), None
        return end_of(outcome), outcome

    async def _after(self, outcome: TurnOutcome | None) -> None:
        """What the end of a question means for the session."""
        session = self._session.session
        if outcome is not None and outcome.error_code is ErrorCode.NATIVE_SESSION_LOST:
            await self._session.forget()
        elif session is not None and session.usable and not await self._has_settled(session):
            await self._session.close()
        if outcome is not None and outcome.status is TurnStatus.COMPLETED:
            self._patience.worked()
        if self._session.session is not None and self._control.stop is None:
            await self._session.ready()

    async def _has_settled(self, session: Session) -> bool:
        """Whether the CLI is done with the ended turn; a brain that is to close does not wait for that."""
        settling = asyncio.create_task(session.settled(self._facts.timeouts.cancel_ms / 1000), name="settled")
        stopping = asyncio.create_task(self._control.stopping.wait(), name="stopping")
        try:
            await self._clock.wait({settling, stopping}, None)
            return settling.done() and settling.result()
        finally:
            for task in (settling, stopping):
                task.cancel()
            await asyncio.gather(settling, stopping, return_exceptions=True)

    # ------------------------------------------------------------ what others want
    async def _wait(self) -> None:
        """Until there may be something to do: a signal, what the orders say, the end of an idle CLI."""
        tasks = {asyncio.create_task(self._control.changed(), name="brain-control")}
        if (session := self._session.session) is not None:
            tasks.add(asyncio.create_task(session.gone(), name="session-gone"))
        try:
            await self._clock.wait(tasks, None)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def _hear(self) -> None:
        while True:
            match await self._link.signals.get():
                case Wake():
                    self._look_for_work()
                case CancelTurn(command_id):
                    if command_id == self._running:
                        self._control.cancel(command_id)
                case ToolCalls(command_id, open_calls):
                    if command_id == self._running:
                        self._control.tell_calls(command_id, open_calls)
                case Orders():
                    await self._look_at_orders()

    async def _watch_orders(self) -> None:
        """What a lost word would have said; words are lost only while the server is started again."""
        last_looked_at = self._clock.monotonic()
        while True:
            await self._clock.sleep(until_next(LOOK_SECONDS, self._clock))
            now = self._clock.monotonic()
            if self._running is not None or now - last_looked_at >= IDLE_LOOK_SECONDS:
                last_looked_at = now
                await self._look_at_orders()

    async def _look_at_orders(self) -> None:
        try:
            orders = await in_reader(brains_orders)
        except StoreError as error:
            log.warning("store_unavailable", during="orders", reason=str(error))
            return
        if self._running in orders.cancelled:
            self._control.cancel(self._running)
        if orders.has_waiting and self._running is None and not self._may_have_work:
            self._look_for_work()

    def _look_for_work(self) -> None:
        self._may_have_work = self._woken = True
        self._control.wake()
