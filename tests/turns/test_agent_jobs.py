"""The life of a job: asked, taken once, ended once, whatever dies in between (docs/jobs.md). Our contract."""

from datetime import timedelta

import pytest
from django.db import IntegrityError, transaction

from groupx.kernel.errors import ErrorCode
from rooms.announcements import LaneAction, LaneSignal, listen
from rooms.bodies import UsageTold
from tests import given
from tests.at_once import at_once
from tests.turns.jobs_stage import BROKEN, BUILDER, REVIEWER, asked, done, ended, job, taken
from turns.actions.ask_agent_job import withdraw_agent_job
from turns.job_ends import JobEnd, JobFailed
from turns.models import AgentJob
from turns.queries.lane import lane_orders
from turns.state import JobKind, JobStatus

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lanes(room, clock):
    for name in ("builder", "reviewer"):
        given.a_lane(name, clock=clock)


# ---------------------------------------------------------------- asked, taken, ended
def test_a_job_wakes_its_lane_which_finds_it_among_its_orders(lanes, clock):
    heard = []
    end_listening = listen(heard.append)
    asked(clock)
    end_listening()

    assert heard == [LaneSignal(BUILDER, LaneAction.ORDERS)]
    assert lane_orders(BUILDER, None).has_job and not lane_orders(REVIEWER, None).has_job


def test_jobs_are_taken_one_at_a_time_in_the_order_they_were_asked(lanes, clock):
    first = asked(clock, "one").job_id
    clock.tick(1)
    second = asked(clock, "two").job_id

    assert taken(clock).job_id == first
    assert taken(clock) is None
    assert ended(first, BROKEN, clock)
    assert taken(clock).job_id == second
    assert not lane_orders(BUILDER, None).has_job


def test_another_agents_lane_takes_none_of_it(lanes, clock):
    asked(clock)
    assert taken(clock, actor_id=REVIEWER) is None


def test_a_worker_that_was_replaced_takes_nothing_and_ends_nothing(lanes, clock):
    job_id = asked(clock).job_id
    assert taken(clock, lane="former") is None
    taken(clock)
    assert not ended(job_id, JobEnd(answer="mine"), clock, lane="former")
    assert job(job_id).status == JobStatus.TAKEN


def test_what_has_ended_keeps_its_end_and_no_prompt(lanes, clock):
    good = done(clock)
    bad = asked(clock, "again").job_id
    taken(clock)
    ended(bad, JobEnd(failure=JobFailed(ErrorCode.NATIVE_RATE_LIMITED, "Later.", retry_after_seconds=60)), clock)

    assert not ended(good, BROKEN, clock) and not ended(bad, JobEnd(answer="late"), clock)
    assert (job(good).status, job(good).answer, job(good).prompt) == ("done", "Done.", "")
    row = job(bad)
    assert (row.status, row.error_code, row.message, row.prompt) == ("failed", "NATIVE_RATE_LIMITED", "Later.", "")
    assert (row.is_temporary, row.retry_after_seconds) == (True, 60)


@pytest.mark.parametrize(
    "wrong",
    [
        {"status": "running"},
        {"status": "done"},
        {"status": "failed", "prompt": ""},
        {"status": "done", "ended_at": "now", "prompt": "", "answer_chars": 0},
        {"status": "failed", "ended_at": "now", "prompt": "", "answer": "x", "answer_chars": 1},
        {"status": "failed", "ended_at": "now"},
    ],
    ids=["unknown", "done, not over", "failed, not over", "done, no answer", "failed, an answer", "ended, a prompt"],
)
def test_the_database_refuses_a_job_that_cannot_be(lanes, clock, wrong):
    job_id = asked(clock).job_id
    changes = {name: clock.now() if value == "now" else value for name, value in wrong.items()}
    with pytest.raises(IntegrityError), transaction.atomic():
        AgentJob.objects.filter(job_id=job_id).update(**changes)


def test_the_database_refuses_a_second_taken_job_of_an_agent(lanes, clock):
    first, second = asked(clock, "one").job_id, asked(clock, "two").job_id
    AgentJob.objects.filter(job_id=first).update(status="taken")
    with pytest.raises(IntegrityError), transaction.atomic():
        AgentJob.objects.filter(job_id=second).update(status="taken")


# ---------------------------------------------------------------- the same question
@pytest.mark.parametrize(
    ("hours", "again", "is_reused"),
    [
        (1, {}, True),
        (1, {"actor_id": REVIEWER}, True),  # whoever wrote it
        (1, {"prompt": "Sum this up."}, False),
        (1, {"kind": JobKind.ROLLUP}, False),
        (1, {"is_good": lambda answer: answer != "Done."}, False),
        (25, {}, False),
    ],
)
def test_an_answer_is_used_again_for_a_day_for_the_same_question(lanes, clock, hours, again, is_reused):
    done(clock)
    clock.tick(hours * 3600)

    answer = asked(clock, **again).answer
    assert answer == ("Done." if is_reused else None)
    assert AgentJob.objects.filter(status="waiting").count() == (0 if is_reused else 1)


def test_a_rollup_is_of_one_agent(lanes, clock):
    done(clock, kind=JobKind.ROLLUP)
    assert asked(clock, kind=JobKind.ROLLUP, actor_id=REVIEWER).answer is None
    assert asked(clock, kind=JobKind.ROLLUP).answer == "Done."


def test_who_asks_what_the_agent_is_at_work_on_joins_that(lanes, clock):
    job_id = asked(clock).job_id
    taken(clock)
    assert asked(clock).job_id == job_id
    assert asked(clock, actor_id=REVIEWER).job_id != job_id, "another agent may be the quicker one"


def test_a_failure_is_not_used_again(lanes, clock):
    job_id = asked(clock).job_id
    taken(clock)
    ended(job_id, BROKEN, clock)
    assert asked(clock).answer is None


def test_after_a_day_only_the_length_of_an_answer_is_left(lanes, clock):
    job_id = done(clock, usage=UsageTold(total_tokens=7))
    clock.tick(timedelta(days=1).total_seconds() + 1)
    asked(clock, "something else")

    row = job(job_id)
    assert (row.status, row.answer, row.answer_chars, row.usage) == ("done", None, 5, {"totalTokens": 7})


# ---------------------------------------------------------------- nobody waits any more
def test_a_job_that_nobody_has_taken_is_not_taken_after_its_time(lanes, clock):
    job_id = asked(clock).job_id
    clock.tick(15)

    assert taken(clock) is None
    assert (job(job_id).status, job(job_id).is_temporary) == ("failed", True)
    assert job(job_id).message == "Builder did not take it."


def test_a_withdrawn_job_is_not_taken(lanes, clock):
    job_id = asked(clock).job_id
    assert withdraw_agent_job(job_id, clock=clock)
    assert taken(clock) is None and job(job_id).error_code == "SESSION_NOT_AVAILABLE"


def test_a_taken_or_ended_job_is_not_withdrawn(lanes, clock):
    job_id = asked(clock).job_id
    taken(clock)
    assert not withdraw_agent_job(job_id, clock=clock)
    ended(job_id, JobEnd(answer="Done."), clock)
    assert not withdraw_agent_job(job_id, clock=clock)
    assert job(job_id).status == "done"


@pytest.mark.parametrize("number", range(5))
def test_of_a_lane_that_takes_and_an_asker_that_withdraws_one_wins(lanes, clock, number):
    job_id = asked(clock).job_id
    took, withdrew = at_once(lambda: taken(clock), lambda: withdraw_agent_job(job_id, clock=clock))

    assert (took is not None) != withdrew
    assert job(job_id).status == ("failed" if withdrew else "taken")


@pytest.mark.parametrize("number", range(5))
def test_of_two_that_take_one_wins(lanes, clock, number):
    asked(clock, "one"), asked(clock, "two")
    both = at_once(lambda: taken(clock), lambda: taken(clock))

    assert len([job for job in both if job is not None]) == 1
    assert AgentJob.objects.filter(status="taken").count() == 1
