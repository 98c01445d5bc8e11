"""What a lane does beside its turns: jobs that others ask of its agent, and its own work while it is idle.

One short session at a time, also while a turn runs. A lane that is to stop ends it at once: its job has failed, and may
be asked of another agent. The lane's own work gives way to a job, for which somebody waits.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from dataclasses import dataclass
from typing import Any

from groupx.kernel.cancellation import to_its_end
from groupx.kernel.clock import Clock, until_next
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger
from memory.vocabulary import MAX_ROLLUP_CHARACTERS
from turns.actions.ask_agent_job import ask_agent_job
from turns.actions.end_agent_job import end_agent_job
from turns.actions.take_agent_job import TakenJob, take_agent_job
from turns.control import LaneControl, Stop
from turns.job_ends import JobEnd, JobFailed, not_taken
from turns.lane_store import UNAVAILABLE, LaneStore
from turns.pauses import NO_BUDGET, Budget
from turns.short_session import ShortSession
from turns.state import JobKind

log = get_logger()

IDLE_LOOK_SECONDS = 10.0

type AskSelf = Callable[[str], Awaitable[str]]
"""Have the lane's own agent answer a prompt in a short session. Raises JobFailed."""
type IdleWork = Callable[[AskSelf], Awaitable[bool]]
"""Work for an idle lane; gives whether there may be more at once. Cancelled when the lane is to stop."""


@dataclass(frozen=True, kw_only=True)
class LaneSide:
    """What the jobs need of their lane."""

    is_idle: Callable[[], bool]
    """Its agent could run a turn, and none runs or waits."""
    has_worked: Callable[[], None]
    """It may have used up the agent's day: the lane looks whether it pauses, and says when it is idle again."""


class LaneJobs:
    def __init__(
        self,
        actor_id: str,
        lane_token: str,
        session: ShortSession,
        store: LaneStore,
        control: LaneControl,
        clock: Clock,
        idle_work: IdleWork,
        budget: Budget = NO_BUDGET,
    ) -> None:
        self._actor_id, self._lane_token = actor_id, lane_token
        self._session, self._store, self._control, self._clock = session, store, control, clock
        self._budget, self._idle_work = budget, idle_work
        self._look, self._job_waits = asyncio.Event(), asyncio.Event()
        self._given_up: JobFailed | None = None
        """Why what is under way was cut off, as it was known at that moment."""

    def look(self) -> None:
        """The lane has become idle."""
        self._look.set()

    def job_waits(self) -> None:
        """Somebody has asked something of the agent."""
        self._job_waits.set()
        self._look.set()

    async def run(self, lane: LaneSide) -> None:
        """Until it is cancelled; leaves no process then."""
        while True:
            if self._control.stop is None:
                await self._unless(self._control.stopping, self._round(lane), lambda: _stopped(self._control.stop))
            await self._wait()

    async def _wait(self) -> None:
        looking = asyncio.create_task(self._look.wait(), name="jobs-look")
        try:
            await self._clock.wait({looking}, until_next(IDLE_LOOK_SECONDS, self._clock))
        finally:
            looking.cancel()
            await asyncio.gather(looking, return_exceptions=True)
        self._look.clear()

    async def _unless[T](
        self, event: asyncio.Event, work: Coroutine[Any, Any, T], why: Callable[[], JobFailed]
    ) -> T | None:
        """Cancel the work, and await its end, when the event comes first; None then."""
        working = asyncio.create_task(work, name="lane-work")
        coming = asyncio.create_task(event.wait(), name="lane-work-unwanted")
        try:
            await self._clock.wait({working, coming}, None)
            if working.done():
                return working.result()
            self._given_up = why()
            return None
        except asyncio.CancelledError:
            self._given_up = self._given_up or _stopped(self._control.stop)
            raise
        finally:
            for task in (working, coming):
                task.cancel()
            await to_its_end(asyncio.wait({working, coming}))

    async def _round(self, lane: LaneSide) -> None:
        self._given_up = None
        self._job_waits.clear()
        while (job := await self._take()) is not None:
            await self._do(job)
            lane.has_worked()
        if lane.is_idle() and await self._unless(self._job_waits, self._work_while_idle(), _gave_way):
            lane.has_worked()

    async def _work_while_idle(self) -> bool:
        try:
            return await self._idle_work(self._ask_self)
        except UNAVAILABLE as error:
            log.warning("store_unavailable", during="idle_work", reason=str(error))
        except Exception:  # the border to work that is no turn's: a fault in it must not end the lane
            log.exception("idle_work_failed")
        return False

    async def _take(self, job_id: str | None = None) -> TakenJob | None:
        return await self._store.attempt(
            take_agent_job, self._actor_id, self._lane_token, job_id=job_id, budget=self._budget, clock=self._clock
        )

    async def _ask_self(self, prompt: str) -> str:
        asked = await self._store.write(
            ask_agent_job,
            self._actor_id,
            JobKind.ROLLUP,
            prompt,
            asked_by=self._actor_id,
            is_good=lambda answer: len(answer) <= MAX_ROLLUP_CHARACTERS,
            clock=self._clock,
        )
        if asked.answer is not None:
            return asked.answer
        job = await self._take(asked.job_id)
        if job is None:
            raise not_taken("The agent")
        end = await self._do(job)
        if end.failure is not None:
            raise end.failure
        return end.answer

    async def _do(self, job: TakenJob) -> JobEnd:
        """Ask once; the end is written, also of one that was cut off."""
        log.info("job_taken", job_id=job.job_id)
        try:
            end = await self._session.ask(job.prompt)
        except asyncio.CancelledError:
            await to_its_end(self._end(job, JobEnd(failure=self._given_up or _stopped(None))))
            raise
        await to_its_end(self._end(job, end))
        return end

    async def _end(self, job: TakenJob, end: JobEnd) -> None:
        """A lane that closes without its database leaves it to its successor."""
        code = end.failure.code if end.failure else None
        log.info("job_ended", job_id=job.job_id, code=code)
        try:
            await self._store.write(end_agent_job, job.job_id, self._lane_token, end, clock=self._clock)
        except UNAVAILABLE as error:
            log.warning("job_end_not_written", job_id=job.job_id, reason=str(error))


def _gave_way() -> JobFailed:
    return JobFailed(ErrorCode.SESSION_NOT_AVAILABLE, "It gave way to something that others wait for.")


def _stopped(stop: Stop | None) -> JobFailed:
    """The lane was to restart or to close, or has failed itself."""
    match stop:
        case Stop.RESTARTING:
            return JobFailed(ErrorCode.AGENT_RESTARTED, "The agent was restarted meanwhile.")
        case Stop.CLOSING:
            return JobFailed(ErrorCode.RUNTIME_CLOSING, "GroupX was stopped meanwhile.")
        case None:
            return JobFailed(ErrorCode.TURN_INTERRUPTED, "It was given up before its end.")
