"""A lane takes the oldest job that waits for its agent: once, and one at a time."""

from dataclasses import dataclass

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from rooms.transactions import durable
from turns.actions.end_agent_job import fail_jobs
from turns.actions.pause_lane import spent_pause
from turns.job_ends import JobFailed, not_taken
from turns.models import AgentJob, Lane
from turns.pauses import NO_BUDGET, Budget
from turns.state import JobStatus


@dataclass(frozen=True, kw_only=True)
class TakenJob:
    job_id: str
    prompt: str


@durable
def take_agent_job(
    actor_id: str, lane_token: str, *, job_id: str | None = None, budget: Budget = NO_BUDGET, clock: Clock
) -> TakenJob | None:
    """None when none waits, when another is under way, or when another worker holds the lane. With `job_id` it takes
    that one or none.

    Nothing has been sent of a job that was taken; what its worker leaves is failed by the next (`fail_taken_jobs`), so
    that no agent is ever asked twice for one row. Jobs of an agent that pauses, and those for which nobody waits any
    more, fail here.
    """
    now = clock.now()
    lane = Lane.objects.select_related("actor").filter(actor_id=actor_id, lane_token=lane_token).first()
    mine = AgentJob.objects.filter(actor_id=actor_id, ended_at=None)
    if lane is None or mine.filter(status=JobStatus.TAKEN.value).exists():
        return None
    name, waiting = lane.actor.display_name, mine.filter(status=JobStatus.WAITING.value)
    fail_jobs(waiting.filter(expires_at__lte=now), not_taken(name), clock=clock)
    if (refusal := _refusal(lane, name, budget, clock)) is not None:
        fail_jobs(waiting, refusal, clock=clock)
        return None
    wanted = waiting.filter(job_id=job_id) if job_id else waiting.order_by("created_at", "job_id")
    job = wanted.first()
    if job is None:
        return None
    if not waiting.filter(job_id=job.job_id).update(status=JobStatus.TAKEN.value, lane_token=lane_token, taken_at=now):
        return None  # withdrawn in this moment
    return TakenJob(job_id=job.job_id, prompt=job.prompt)


def _refusal(lane: Lane, name: str, budget: Budget, clock: Clock) -> JobFailed | None:
    if lane.pause_kind:
        return JobFailed(ErrorCode.SESSION_NOT_AVAILABLE, f"{name} pauses. {lane.pause_words}".strip())
    if (pause := spent_pause(lane.actor_id, budget, clock=clock)) is not None:
        return JobFailed(ErrorCode.SPEND_LIMIT_REACHED, f"{name} pauses. {pause.words}")
    return None
