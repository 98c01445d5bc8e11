"""Ask an agent for something outside any turn, from whatever process, and wait for what it says."""

import asyncio
import math
from collections.abc import Callable

from groupx.kernel.cancellation import to_its_end
from groupx.kernel.clock import Clock, until_next
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger
from rooms.change_watch import ChangeWatch
from rooms.transactions import UNAVAILABLE, in_db, in_reader
from turns.actions.ask_agent_job import TAKE_SECONDS, ask_agent_job, withdraw_agent_job
from turns.job_ends import JobFailed
from turns.models import AgentJob
from turns.short_session import SESSION_SECONDS
from turns.state import JobKind, JobStatus

log = get_logger()

LOOK_SECONDS = 0.25
TAKEN_SECONDS = SESSION_SECONDS + 60.0
"""What its lane allows a job, and some patience for a worker that died and is started again."""


async def ask_agent(
    actor_id: str,
    prompt: str,
    *,
    kind: JobKind = JobKind.SUMMARY,
    asked_by: str,
    is_good: Callable[[str], bool],
    clock: Clock,
) -> str:
    """The agent's answer, from a short session of its own. Of the last day's answers to the same question one is given
    again that `is_good` to who asks; whether a new one is, is for them to see.

    Waits TAKE_SECONDS until the agent's lane has taken it and TAKEN_SECONDS until it has ended. Who is cancelled
    withdraws what was not taken yet; what was taken goes on, and its answer is there for who asks again.

    Raises:
        JobFailed: the agent did not take it, or ended without an answer.
    """
    try:
        asked = await in_db(ask_agent_job, actor_id, kind, prompt, asked_by=asked_by, is_good=is_good, clock=clock)
    except UNAVAILABLE as error:
        raise JobFailed(ErrorCode.STORE_UNAVAILABLE, "The room's database cannot be used right now.") from error
    if asked.answer is not None:
        return asked.answer
    watch = ChangeWatch()
    try:
        return await _answer_of(asked.job_id, watch, clock)
    except (asyncio.CancelledError, JobFailed):  # nobody waits for it any more
        await to_its_end(_withdraw(asked.job_id, clock))
        raise
    finally:
        watch.close()


async def _answer_of(job_id: str, watch: ChangeWatch, clock: Clock) -> str:
    began = clock.monotonic()
    withdraw_at = began + TAKE_SECONDS
    while (now := clock.monotonic()) < began + TAKE_SECONDS + TAKEN_SECONDS:
        if watch.has_changed():
            try:
                if (answer := await in_reader(_ended_answer, job_id)) is not None:
                    return answer
            except UNAVAILABLE as error:
                log.warning("store_unavailable", during="job", reason=str(error))
                watch.close()  # it was not read: look again whether or not anything is written
        if now >= withdraw_at and await _withdraw(job_id, clock):
            withdraw_at = math.inf  # it has failed now, or was taken before
            continue
        await clock.sleep(until_next(LOOK_SECONDS, clock))
    raise JobFailed(ErrorCode.TURN_TIME_LIMIT, "Nothing came of it in time.", is_temporary=True)


def _ended_answer(job_id: str) -> str | None:
    """None while it has not ended.

    Raises:
        JobFailed: it has ended without one.
    """
    status, answer, code, message, is_temporary, retry_after_seconds = AgentJob.objects.values_list(
        "status", "answer", "error_code", "message", "is_temporary", "retry_after_seconds"
    ).get(job_id=job_id)
    if status == JobStatus.FAILED:
        raise JobFailed(ErrorCode(code), message, is_temporary=is_temporary, retry_after_seconds=retry_after_seconds)
    return answer if status == JobStatus.DONE else None


async def _withdraw(job_id: str, clock: Clock) -> bool:
    """False when the database could not be asked."""
    try:
        await in_db(withdraw_agent_job, job_id, clock=clock)
    except UNAVAILABLE as error:
        log.warning("store_unavailable", during="withdraw_job", reason=str(error))
        return False
    return True
