"""Something is asked of an agent outside any turn, or no longer."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta

from groupx.kernel.canonical import fingerprint
from groupx.kernel.clock import Clock
from groupx.kernel.ids import new_job_id
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.transactions import durable
from turns.actions.end_agent_job import fail_jobs
from turns.job_ends import not_taken
from turns.models import AgentJob
from turns.state import JobKind, JobStatus

TAKE_SECONDS = 15.0
"""A lane that works takes a job within a second, unless it is busy with another."""
KEPT = timedelta(days=1)
"""For how long an answer is used again."""


@dataclass(frozen=True, kw_only=True)
class AskedJob:
    job_id: str
    answer: str | None = None
    """Of a job like it that is done already."""


@durable
def ask_agent_job(
    actor_id: str, kind: JobKind, prompt: str, *, asked_by: str, is_good: Callable[[str], bool], clock: Clock
) -> AskedJob:
    """Insert a job that waits, and wake the agent's lane. Nothing is asked twice: the answer that the same question had
    in the last day is given at once if `is_good`, and who asks what the agent is at work on joins that. A summary is
    the same whoever wrote it, a rollup is not.
    """
    now = clock.now()
    AgentJob.objects.filter(answer__isnull=False, ended_at__lt=now - KEPT).update(answer=None)
    question = fingerprint([kind.value, prompt] if kind is JobKind.SUMMARY else [kind.value, actor_id, prompt])
    like_it = AgentJob.objects.filter(fingerprint=question)
    done = like_it.filter(status=JobStatus.DONE.value, ended_at__gte=now - KEPT, answer__isnull=False)
    for former in done.order_by("-ended_at"):
        if is_good(former.answer):
            return AskedJob(job_id=former.job_id, answer=former.answer)
    if (same := like_it.filter(actor_id=actor_id, status=JobStatus.TAKEN.value).first()) is not None:
        return AskedJob(job_id=same.job_id)
    job = AgentJob.objects.create(
        job_id=new_job_id(),
        actor_id=actor_id,
        kind=kind.value,
        asked_by=asked_by,
        fingerprint=question,
        prompt=prompt,
        created_at=now,
        expires_at=now + timedelta(seconds=TAKE_SECONDS),
    )
    announce(LaneSignal(actor_id, LaneAction.ORDERS))
    return AskedJob(job_id=job.job_id)


@durable
def withdraw_agent_job(job_id: str, *, clock: Clock) -> bool:
    """Nobody waits for it any more; False when it was taken, or has ended, before."""
    job = AgentJob.objects.select_related("actor").get(job_id=job_id)
    waiting = AgentJob.objects.filter(job_id=job_id, status=JobStatus.WAITING.value)
    return fail_jobs(waiting, not_taken(job.actor.display_name), clock=clock) == 1
