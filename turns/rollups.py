"""What an idle lane does of itself: its agent writes its own dated memory, in a short session beside its turns."""

from datetime import date, datetime

from groupx.kernel.clock import Clock
from groupx.kernel.days import LocalDays
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from memory.actions.rollup_failed import rollup_failed
from memory.actions.write_rollup import write_rollup
from memory.queries.rollups import day_now, next_rollup
from memory.rollup_answer import InvalidRollup, read_answer
from memory.rollup_prompt import RollupBatch, build_batch
from rooms.change_watch import ChangeWatch
from rooms.envelope import ActorRef
from rooms.transactions import StoreError, in_db, in_reader
from turns.job_ends import JobFailed
from turns.lane_jobs import AskSelf

log = get_logger()


class Rollups:
    """One lane's. Asks the database only when something was written to it, or a moment has come that it had named. A
    database that cannot answer is asked again in the lane's next round; an answer that was had is not lost by then."""

    def __init__(self, agent: ActorRef, days: LocalDays, clock: Clock) -> None:
        self._agent, self._days, self._clock = agent, days, clock
        self._watch = ChangeWatch()
        self._next_at: datetime | None = None

    def close(self) -> None:
        self._watch.close()

    async def work(self, ask: AskSelf) -> bool:
        """Write the day that is due, if one is; gives whether another may be. May be cancelled at any time: what waits
        then goes on waiting."""
        if not self._may_be_due():
            return False
        try:
            found = await in_reader(next_rollup, self._agent.actor_id, self._days)
        except StoreError:
            self._watch.close()  # it was not read: look again whether or not anything is written
            raise
        self._next_at, day = found or (None, None)
        if day is None or not self._has_come():
            return False
        await self._write(day, ask)
        return True

    def _may_be_due(self) -> bool:
        return self._watch.has_changed() or self._has_come()

    def _has_come(self) -> bool:
        return self._next_at is not None and self._next_at <= self._clock.now()

    async def _write(self, day: date, ask: AskSelf) -> None:
        batch = await in_reader(_batch_of, self._agent.actor_id, day)
        try:
            content = read_answer(await ask(batch.prompt))
        except (JobFailed, InvalidRollup) as error:
            await self._failed(day, error)
            return
        try:
            record_id = await in_db(write_rollup, batch, content, agent=self._agent, clock=self._clock)
        except GroupXError as error:
            if error.code is not ErrorCode.STORE_CONFLICT:
                raise
            log.info("rollup_begins_anew", day=day.isoformat())
            return
        log.info("rollup_written", day=day.isoformat(), turns=len(batch.source_ids), record_id=record_id)

    async def _failed(self, day: date, error: JobFailed | InvalidRollup) -> None:
        retry_after_seconds = error.retry_after_seconds if isinstance(error, JobFailed) else None
        failures = await in_db(
            rollup_failed,
            self._agent.actor_id,
            day,
            str(error),
            retry_after_seconds=retry_after_seconds,
            clock=self._clock,
        )
        log.warning("rollup_failed", day=day.isoformat(), failures=failures, reason=str(error))


def _batch_of(actor_id: str, day: date) -> RollupBatch:
    return build_batch(day_now(actor_id, day))
