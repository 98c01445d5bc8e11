"""The crash table (docs/turns.md, "Recovery"): a worker dies after each commit, a new one takes over.

The database is left exactly as after that commit; then a real worker with a scripted agent starts on it.
"""

import pytest

from rooms.models import Event
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.adapter import ScriptedSession
from tests.turns.stage import LaneStage
from turns.actions.deliver_turn import save_partial_text
from turns.models import PartialText, Turn, TurnAttempt
from turns.queries.turns import turn_in_full

pytestmark = pytest.mark.django_db(transaction=True)


def queued(clock):
    return given.queued_turn("builder", clock=clock)


def claimed(clock):
    return given.claimed_turn("builder", clock=clock, token="dead").turn_id


def claimed_then_cancelled(clock):
    turn_id = claimed(clock)
    given.cancelled(turn_id, clock=clock)
    return turn_id


def prompt_invoked(clock):
    turn = given.claimed_turn("builder", clock=clock, token="dead")
    given.invoke_prompt(turn, given.a_session("builder", clock=clock), clock=clock, token="dead")
    return turn.turn_id


def prompt_invoked_then_cancelled(clock):
    turn_id = prompt_invoked(clock)
    given.cancelled(turn_id, clock=clock)
    return turn_id


def native_started(clock):
    return given.running_turn("builder", clock=clock, token="dead").turn_id


def native_started_then_cancelled(clock):
    turn_id = native_started(clock)
    given.cancelled(turn_id, clock=clock)
    return turn_id


def partial_text_saved(clock):
    turn = given.running_turn("builder", clock=clock, token="dead")
    save_partial_text(turn.attempt_id, "dead", "half ")
    save_partial_text(turn.attempt_id, "dead", "a sen")
    return turn.turn_id


def finished(clock):
    return given.completed_turn("builder", clock=clock).turn_id


@pytest.mark.parametrize(
    ("last_committed", "end", "prompts_after"),
    [
        (queued, "completed", 1),
        (claimed, "completed", 1),
        (claimed_then_cancelled, "cancelled", 0),
        (prompt_invoked, "interrupted", 0),
        (prompt_invoked_then_cancelled, "interrupted", 0),
        (native_started, "interrupted", 0),
        (native_started_then_cancelled, "interrupted", 0),
        (partial_text_saved, "interrupted", 0),
        (finished, "completed", 0),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
async def test_after_a_crash_a_turn_ends_once_and_no_prompt_is_sent_twice(
    live_room, clock, last_committed, end, prompts_after
):
    turn_id = await in_db(last_committed, clock)
    session = ScriptedSession()
    session.answer("after the crash")

    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(turn_id, end)
        after = await in_db(given.queued_turn, "builder", clock=clock)
        session.answer("the next one")
        await lane.status_of(after, "completed")

    assert len(session.prompts) == prompts_after + 1
    assert await in_reader(lambda: Event.objects.filter(idempotency_key=f"turn:{turn_id}:terminal").count()) == 1
    assert await in_reader(lambda: TurnAttempt.objects.exclude(dispatch_phase="terminal").count()) == 0


async def test_the_partial_text_of_a_lost_turn_is_kept(live_room, clock):
    turn_id = await in_db(partial_text_saved, clock)

    async with LaneStage(live_room, "builder", ScriptedSession()) as lane:
        await lane.status_of(turn_id, "interrupted")

    assert (await in_reader(lambda: Event.objects.get(type="turn.interrupted"))).body["partialText"] == "half a sen"
    assert await in_reader(lambda: PartialText.objects.count()) == 0


def test_a_running_turn_shows_what_was_saved_of_it_cut_where_it_is_long(room, clock):
    turn = given.running_turn("builder", clock=clock, token="dead")
    save_partial_text(turn.attempt_id, "dead", "half ")
    assert turn_in_full(turn.turn_id)["partialText"] == "half "

    for _ in range(10):
        save_partial_text(turn.attempt_id, "dead", "x" * 32_768)
    shown = turn_in_full(turn.turn_id)
    assert (len(shown["partialText"]), shown["truncated"], shown["fullLength"]) == (262_144, True, 327_685)


async def test_waiting_turns_survive_in_their_order(live_room, clock):
    await in_db(native_started, clock)
    waiting = [await in_db(given.queued_turn, "builder", clock=clock, content=f"turn {n}") for n in range(3)]
    session = ScriptedSession()
    for _ in waiting:
        session.answer("ok")

    async with LaneStage(live_room, "builder", session) as lane:
        await lane.status_of(waiting[-1], "completed")

    assert [prompt[-6:] for prompt in session.prompts] == ["turn 0", "turn 1", "turn 2"]
    assert set(await in_reader(lambda: list(Turn.objects.values_list("status", flat=True)))) == {
        "interrupted",
        "completed",
    }
