"""Jobs of agents as their actions make them, and who waits for one: what the tests of jobs stand on."""

from groupx.kernel.config import SpendLimit
from groupx.kernel.days import LocalDays
from groupx.kernel.errors import ErrorCode
from turns.actions.ask_agent_job import ask_agent_job
from turns.actions.end_agent_job import end_agent_job
from turns.actions.take_agent_job import take_agent_job
from turns.job_ends import JobEnd, JobFailed
from turns.models import AgentJob
from turns.pauses import Budget
from turns.state import JobKind

BUILDER, REVIEWER = "agent:builder", "agent:reviewer"
SPENT = Budget(limit=SpendLimit(tokens_per_day=100), days=LocalDays())
BROKEN = JobEnd(failure=JobFailed(ErrorCode.NATIVE_ERROR, "It broke."))


def asked(clock, prompt="Sum it up.", *, actor_id=BUILDER, kind=JobKind.SUMMARY, is_good=bool):
    return ask_agent_job(actor_id, kind, prompt, asked_by="test", is_good=is_good, clock=clock)


def taken(clock, lane="lane", actor_id=BUILDER, **more):
    return take_agent_job(actor_id, lane, clock=clock, **more)


def ended(job_id, end, clock, lane="lane"):
    return end_agent_job(job_id, lane, end, clock=clock)


def done(clock, answer="Done.", prompt="Sum it up.", actor_id=BUILDER, usage=None, **more):
    job_id = asked(clock, prompt, actor_id=actor_id, **more).job_id
    assert taken(clock, actor_id=actor_id).job_id == job_id
    assert ended(job_id, JobEnd(answer=answer, usage=usage), clock)
    return job_id


def job(job_id):
    return AgentJob.objects.get(job_id=job_id)
