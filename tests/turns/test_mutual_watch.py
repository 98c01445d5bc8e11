"""Agents that watch each other never wait for each other for ever (docs/turns.md, "Supervision")."""

from contextlib import asynccontextmanager

import pytest

from groupx.kernel.config import Limits, Timeouts
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.shapes import parse
from rooms.transactions import in_db
from tests import given
from tests import given_calls as calls
from tests.rooms.running_tail import running_tail
from tests.turns.supervising import paired, steered_by, supervised
from turns.settlement import TurnOutcome
from turns.state import TurnStatus
from turns.tools.tool import ToolCall, ToolRoom
from turns.tools.watch import WATCH

pytestmark = pytest.mark.django_db(transaction=True)

FAILED = TurnOutcome(status=TurnStatus.FAILED, error_code=ErrorCode.NATIVE_ERROR, message="It broke.")
DONE = TurnOutcome(status=TurnStatus.COMPLETED, text="Done.")


def crossed(*, clock, again: str):
    """Builder and Reviewer watch each other, and Builder's turn comes again behind its own watch. Gives both in their
    watch turns, and the id of the turn that came again."""
    first = paired("builder", observers=("reviewer",), clock=clock)
    second = paired("reviewer", observers=("builder",), clock=clock)
    turn_id = first["turns"][0]["turnId"]
    given.running(turn_id, "builder", clock=clock)
    reviewer = given.running(first["watchTurns"][0]["turnId"], "reviewer", clock=clock)
    if again == "nudge":
        again_id = steered_by(reviewer, clock=clock)["nextTurn"]["turnId"]
    given.end_turn(turn_id, "builder", DONE if again == "nudge" else FAILED, clock=clock)
    if again == "retry":
        again_id = given.retried(turn_id, clock=clock)
    builder = given.running(second["watchTurns"][0]["turnId"], "builder", clock=clock)
    return reviewer, builder, again_id, second["turns"][0]["turnId"]


@asynccontextmanager
async def watching(clock):
    async with running_tail(clock) as tail:
        room = ToolRoom(limits=Limits(), timeouts=Timeouts(), clock=clock, tail=tail)

        async def no_progress(seconds: float, message: str) -> None:
            pass

        async def watch(member, until="terminal", **more):
            call = ToolCall(member=member, room=room, tell_progress=no_progress)
            return await WATCH.run(parse(WATCH.request, {"until": until, **more}), call)

        yield watch


@pytest.mark.parametrize("until", ["terminal", "next_milestone"])
@pytest.mark.parametrize("again", ["nudge", "retry"])
async def test_each_is_told_at_once_to_end_its_turn(live_room, clock, again, until):
    reviewer, builder, again_id, task_id = await in_db(crossed, clock=clock, again=again)

    async with watching(clock) as watch:
        of_reviewer, of_builder = await watch(reviewer, until), await watch(builder, until)

    assert [answer["state"] for answer in (of_reviewer, of_builder)] == ["waits_for_you"] * 2
    assert of_reviewer["snapshot"]["subjectTurnId"] == again_id
    assert of_builder["snapshot"]["subjectTurnId"] == task_id
    assert "agent:builder cannot begin this turn while yours is open" in of_reviewer["note"]
    assert "End your turn" in of_builder["note"]


async def test_when_one_has_ended_its_turn_the_other_watches_on(live_room, clock):
    reviewer, builder, again_id, task_id = await in_db(crossed, clock=clock, again="nudge")

    async with watching(clock) as watch:
        await in_db(calls.ended, reviewer, clock=clock)
        await in_db(given.running, task_id, "reviewer", clock=clock)
        seen = await watch(builder, "next_milestone")

    assert (seen["state"], seen["snapshot"]["status"]) == ("milestone", "running")
    await in_db(calls.ended, builder, clock=clock)
    assert (await in_db(given.taken_up, "builder", clock=clock)).turn_id == again_id


async def test_other_turns_that_can_still_be_watched_are_named(live_room, clock):
    def scene():
        both = paired("builder", "scribe", observers=("reviewer",), clock=clock)
        paired("reviewer", observers=("builder",), clock=clock)
        builders, scribes = (turn["turnId"] for turn in both["turns"])
        given.running(builders, "builder", clock=clock)
        reviewer = given.running(both["watchTurns"][0]["turnId"], "reviewer", clock=clock)
        guided = steered_by(reviewer, subjectTurnId=builders, clock=clock)["nextTurn"]["turnId"]
        given.end_turn(builders, "builder", DONE, clock=clock)
        return reviewer, scribes, guided

    reviewer, scribes, guided = await in_db(scene)

    async with watching(clock) as watch:
        seen = await watch(reviewer, subjectTurnId=guided)

    assert (seen["state"], f"other turns to watch: {scribes}" in seen["note"]) == ("waits_for_you", True)


# ---------------------------------------------------------------- asks between worker and observer
def _at_work(clock):
    answer = paired("builder", observers=("reviewer",), clock=clock)
    return given.running(answer["turns"][0]["turnId"], "builder", clock=clock), answer


@pytest.mark.parametrize("watch_runs", [True, False])
def test_a_worker_does_not_ask_its_observer_but_may_send_to_it(room, clock, watch_runs):
    builder, answer = _at_work(clock)
    if watch_runs:
        given.running(answer["watchTurns"][0]["turnId"], "reviewer", clock=clock)

    with pytest.raises(GroupXError) as refused:
        calls.asked(builder, "scribe", "reviewer", clock=clock)

    assert (refused.value.code, refused.value.details["targets"]) == (ErrorCode.CAUSAL_CYCLE, ["agent:reviewer"])
    assert "agent:reviewer watches this turn" in refused.value.message and "use send" in refused.value.message
    assert calls.sent(builder, "reviewer", clock=clock).result["turns"]


def test_nor_does_whom_the_worker_has_asked(room, clock):
    builder, _ = _at_work(clock)
    scribe = calls.child_turn(builder, "scribe", command="ask", clock=clock)

    with pytest.raises(GroupXError) as refused:
        calls.asked(scribe, "reviewer", clock=clock)

    assert refused.value.code is ErrorCode.CAUSAL_CYCLE
    assert f"the turn {builder.turn.turn_id}, which waits for this one" in refused.value.message


def test_whom_the_worker_has_sent_to_may_ask_the_observer(room, clock):
    builder, _ = _at_work(clock)
    scribe = calls.child_turn(builder, "scribe", clock=clock)

    assert calls.asked(scribe, "reviewer", clock=clock).result["turns"]


def test_an_observer_whose_watch_has_ended_may_be_asked(room, clock):
    builder, answer = _at_work(clock)
    calls.ended(given.running(answer["watchTurns"][0]["turnId"], "reviewer", clock=clock), clock=clock)

    assert calls.asked(builder, "reviewer", clock=clock).result["turns"]


def test_who_watches_may_watch_what_the_worker_asks_another_for(room, clock):
    builder, _ = _at_work(clock)

    asked = calls.asked(builder, "scribe", supervision=supervised("reviewer"), clock=clock).result

    assert asked["watchTurns"][0]["target"] == "agent:reviewer"
