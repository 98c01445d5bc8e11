"""Two that decide about one turn at the same moment: one of them wins, by a compare-and-set (docs/turns.md)."""

import pytest

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode
from rooms.models import Event
from tests import given
from tests.at_once import at_once
from tests.turns.supervising import paired, steered_by, watched
from turns.models import PairedTurn, Turn
from turns.settlement import TurnOutcome
from turns.state import CommandType, TurnStatus

pytestmark = pytest.mark.django_db(transaction=True)


def test_of_two_observers_that_steer_at_the_limit_one_is_refused(live_room, clock):
    answer = paired("builder", observers=("reviewer", "scribe"), clock=clock)
    given.running(answer["turns"][0]["turnId"], "builder", clock=clock)
    observers = [
        given.running(turn["turnId"], turn["target"].removeprefix("agent:"), clock=clock)
        for turn in answer["watchTurns"]
    ]
    limits = Limits(steers_per_subject_turn=1)

    results = at_once(*[lambda one=one: steered_by(one, "nudge", clock=clock, limits=limits) for one in observers])

    assert sorted(type(result).__name__ for result in results) == ["ErrorCode", "dict"]
    assert ErrorCode.STEER_LIMIT_REACHED in results
    assert PairedTurn.objects.get(turn_id=answer["turns"][0]["turnId"]).steers == 1
    assert Turn.objects.filter(command_type=CommandType.STEER).count() == 1
    assert Event.objects.filter(type="supervision.steered").count() == 1


def test_the_same_steer_sent_twice_at_once_steers_once(live_room, clock):
    scene = watched(clock=clock)

    first, second = at_once(*[lambda: scene.steer("nudge", clientCommandId="the-same")] * 2)

    assert first == second
    assert Turn.objects.filter(command_type=CommandType.STEER).count() == 1


@pytest.mark.parametrize("round_", range(3))
def test_a_steer_and_a_completion_leave_one_end_and_at_most_one_new_turn(live_room, clock, round_):
    scene = watched(clock=clock)
    done = TurnOutcome(status=TurnStatus.COMPLETED, text="Done.")

    steered, _ = at_once(
        lambda: scene.steer("interrupt"),
        lambda: given.end_turn(scene.worker_turn_id, "builder", done, clock=clock),
    )

    assert Turn.objects.get(turn_id=scene.worker_turn_id).status == TurnStatus.COMPLETED
    assert Event.objects.filter(type="turn.completed", body__turnId=scene.worker_turn_id).count() == 1
    new = Turn.objects.filter(command_type=CommandType.STEER).count()
    assert (steered, new) == (ErrorCode.STORE_CONFLICT, 0) or new == 1


@pytest.mark.parametrize("round_", range(3))
def test_a_cancel_by_a_person_and_a_steer_never_leave_what_was_cancelled_redirected_unseen(live_room, clock, round_):
    scene = watched(clock=clock)

    steered, cancelled = at_once(
        lambda: scene.steer("interrupt"), lambda: given.cancelled(scene.worker_turn_id, clock=clock)
    )

    subject = PairedTurn.objects.get(turn_id=scene.worker_turn_id)
    assert cancelled["accepted"]
    assert Turn.objects.get(turn_id=scene.worker_turn_id).status == TurnStatus.CANCELLING
    if steered is ErrorCode.STORE_CONFLICT:  # the person came first: nothing is redirected
        assert (subject.steers, Turn.objects.filter(command_type=CommandType.STEER).count()) == (0, 0)
    else:
        assert subject.was_interrupted and steered["nextTurn"]["status"] == "queued"
