"""A job of an agent ends: once, with its answer or with a failure. Its prompt goes with it."""

from typing import Any

from django.db.models import QuerySet

from groupx.kernel.clock import Clock
from rooms.models import Actor
from rooms.transactions import durable, joins
from turns.job_ends import JobEnd, JobFailed, lost_with_worker
from turns.models import AgentJob
from turns.state import JobStatus


@durable
def end_agent_job(job_id: str, lane_token: str, end: JobEnd, *, clock: Clock) -> bool:
    """By the lane that has taken it; False when it has ended otherwise, or the lane was replaced."""
    taken = AgentJob.objects.filter(job_id=job_id, lane_token=lane_token, status=JobStatus.TAKEN.value)
    usage = end.usage.model_dump(by_alias=True, exclude_none=True) if end.usage else None
    if end.failure is not None:
        return fail_jobs(taken, end.failure, clock=clock, usage=usage) == 1
    return (
        taken.update(
            status=JobStatus.DONE.value,
            prompt="",
            answer=end.answer,
            answer_chars=len(end.answer),
            usage=usage,
            ended_at=clock.now(),
        )
        == 1
    )


def fail_taken_jobs(actor_id: str, *, clock: Clock) -> None:
    """A lane begins, or will not: what its predecessor had taken was perhaps sent, and is not sent again. Joins the
    caller's transaction."""
    name = Actor.objects.values_list("display_name", flat=True).get(actor_id=actor_id)
    taken = AgentJob.objects.filter(actor_id=actor_id, ended_at=None, status=JobStatus.TAKEN.value)
    fail_jobs(taken, lost_with_worker(name), clock=clock)


def fail_open_jobs(actor_id: str | None, failure: JobFailed, *, clock: Clock) -> None:
    """All that wait or were taken, of this agent or of all. Joins the caller's transaction."""
    of = AgentJob.objects.filter(ended_at=None)
    fail_jobs(of if actor_id is None else of.filter(actor_id=actor_id), failure, clock=clock)


def fail_jobs(jobs: QuerySet[AgentJob], failure: JobFailed, *, clock: Clock, **more: Any) -> int:
    """How many of these have ended with it. Joins the caller's transaction."""
    joins()
    return jobs.update(
        status=JobStatus.FAILED.value,
        prompt="",
        error_code=failure.code.value,
        message=failure.message,
        is_temporary=failure.is_temporary,
        retry_after_seconds=failure.retry_after_seconds,
        ended_at=clock.now(),
        **more,
    )
