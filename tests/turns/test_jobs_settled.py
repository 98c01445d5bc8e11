"""What becomes of jobs whose worker dies or whose agent is taken out or pauses, and whom one may ask (docs/jobs.md)."""

from datetime import timedelta

import pytest

from rooms.bodies import UsageTold
from rooms.models import Actor
from tests import given
from tests.turns.jobs_stage import BROKEN, BUILDER, REVIEWER, SPENT, asked, done, ended, job, taken
from turns.actions.give_up_lane import give_up_lane
from turns.actions.recover_turns import take_lane
from turns.actions.settle_removed_agents import settle_removed_agents
from turns.actions.settle_restored import settle_restored
from turns.job_ends import JobEnd
from turns.models import Lane
from turns.queries.healthy import healthy_agents
from turns.state import LaneStatus

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def lanes(room, clock):
    for name in ("builder", "reviewer"):
        given.a_lane(name, clock=clock)


# ---------------------------------------------------------------- whatever dies
STATES = ("waiting", "taken", "done", "failed")


def in_state(state, clock):
    job_id = asked(clock).job_id
    if state != "waiting":
        taken(clock)
    if state in ("done", "failed"):
        ended(job_id, JobEnd(answer="Done.") if state == "done" else BROKEN, clock)
    return job_id


@pytest.mark.parametrize(
    ("state", "after"),
    [
        ("waiting", ("waiting", "")),  # nothing was sent: the next worker takes it, if somebody still waits
        ("taken", ("failed", "TURN_INTERRUPTED")),  # the agent may have been asked: not again
        ("done", ("done", "")),
        ("failed", ("failed", "NATIVE_ERROR")),
    ],
)
def test_a_worker_that_dies_leaves_its_job_failed_and_everything_else_as_it_was(lanes, clock, state, after):
    job_id = in_state(state, clock)
    take_lane(BUILDER, "next", 2, clock=clock)

    assert (job(job_id).status, job(job_id).error_code) == after
    again = taken(clock, lane="next")
    assert (again is not None) == (state == "waiting"), "no row is ever sent twice"
    if state == "taken":
        assert job(job_id).is_temporary and job(job_id).message == "Builder did not end it: its worker ended."


@pytest.mark.parametrize("state", STATES)
def test_a_lane_that_keeps_dying_lets_go_of_its_job(lanes, clock, state):
    job_id = in_state(state, clock)
    give_up_lane(BUILDER, clock=clock)
    assert job(job_id).status == ("failed" if state == "taken" else state)


@pytest.mark.parametrize(
    ("settle", "code"),
    [
        (lambda clock: settle_removed_agents(clock=clock), "AGENT_REMOVED"),
        (lambda clock: settle_restored(clock=clock), "ROOM_RESTORED"),
    ],
    ids=["agent taken out", "room restored"],
)
@pytest.mark.parametrize("state", STATES)
def test_nothing_stays_open_of_an_agent_or_a_room_that_is_no_more(lanes, clock, state, settle, code):
    job_id = in_state(state, clock)
    Actor.objects.filter(actor_id=BUILDER).update(enabled=False)
    settle(clock)

    row = job(job_id)
    assert row.ended_at is not None and row.prompt == ""
    assert row.error_code == (code if state in ("waiting", "taken") else "NATIVE_ERROR" if state == "failed" else "")


# ---------------------------------------------------------------- pauses, spending, health
def test_a_paused_agent_takes_no_job_and_says_why(lanes, clock):
    Lane.objects.filter(actor_id=BUILDER).update(
        pause_kind="rate_limit", paused_until=clock.now() + timedelta(hours=1), pause_words="Too many requests."
    )
    job_id = asked(clock).job_id
    assert taken(clock) is None
    assert job(job_id).message == "Builder pauses. Too many requests."


def test_an_agent_whose_day_is_used_up_by_jobs_takes_no_other(lanes, clock):
    done(clock, usage=UsageTold(total_tokens=100))
    job_id = asked(clock, "more").job_id

    assert taken(clock, budget=SPENT) is None
    assert (job(job_id).error_code, job(job_id).is_temporary) == ("SPEND_LIMIT_REACHED", False)


@pytest.mark.parametrize(
    ("changes", "is_healthy"),
    [
        ({"status": LaneStatus.READY}, True),
        ({"status": LaneStatus.WORKING}, True),
        ({"status": LaneStatus.STARTING}, False),
        ({"status": LaneStatus.FAILED}, False),
        ({"status": LaneStatus.STOPPED}, False),
        ({"status": LaneStatus.READY, "lane_token": ""}, False),
        ({"status": LaneStatus.WORKING, "pause_kind": "spend_limit", "paused_until": "later"}, False),
    ],
)
def test_healthy_is_an_agent_whose_lane_is_held_and_ready_or_works(lanes, clock, changes, is_healthy):
    later = clock.now() + timedelta(hours=1)
    Lane.objects.update(**{name: later if value == "later" else value for name, value in changes.items()})
    assert list(healthy_agents()) == ([BUILDER, REVIEWER] if is_healthy else [])


def test_agents_that_are_not_enabled_are_not_healthy(lanes, clock):
    Lane.objects.update(status="ready")
    Actor.objects.filter(actor_id=BUILDER).update(enabled=False)
    assert list(healthy_agents()) == [REVIEWER]


def test_the_healthy_stand_in_the_order_of_the_roster(lanes, clock):
    Lane.objects.update(status="ready")
    Actor.objects.filter(actor_id=BUILDER).update(roster_position=99)
    assert list(healthy_agents()) == [REVIEWER, BUILDER]


def test_who_is_at_another_job_is_asked_after_the_others(lanes, clock):
    Lane.objects.update(status="ready")
    asked(clock)
    taken(clock)
    assert list(healthy_agents()) == [REVIEWER, BUILDER]
