"""Completed turns of an agent wait to be remembered (our contract: docs/memory.md, "Dated memory")."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from groupx.kernel.days import LocalDays
from memory.models import RollupSource
from memory.queries.rollups import day_now
from rooms.models import Event
from tests import given
from tests.fakes.clock import MovedClock
from tests.memory.rolling import BUILDER, TODAY, batch, due, written
from turns.recording import ToolRecord
from turns.settlement import TurnOutcome
from turns.state import TurnStatus

SHANGHAI, BERLIN = LocalDays(ZoneInfo("Asia/Shanghai")), LocalDays(ZoneInfo("Europe/Berlin"))


# ---------------------------------------------------------------- noting
def test_a_completed_turn_is_noted_with_where_its_message_and_answer_stand(room, clock):
    claimed = given.running_turn("builder", clock=clock, content="four words of message")
    given.finished(claimed, "builder", TurnOutcome(status=TurnStatus.COMPLETED, text="an answer"), clock=clock)

    source, answer = RollupSource.objects.get(), Event.objects.filter(type="message.created").latest("seq")
    assert (source.actor_id, source.source_event_id, source.response_event_id, source.seq) == (
        BUILDER, claimed.source_event_id, answer.event_id, answer.seq,
    )  # fmt: skip
    assert (source.source_chars, source.response_chars) == (len("four words of message"), len("an answer"))
    assert (source.day, source.created_at, source.rolled_at, source.record) == (TODAY, clock.now(), None, None)


@pytest.mark.parametrize("status", [TurnStatus.FAILED, TurnStatus.CANCELLED, TurnStatus.INTERRUPTED])
def test_a_turn_that_does_not_complete_is_not_noted(room, clock, status):
    given.ended_turn("builder", status, clock=clock)
    assert not RollupSource.objects.exists()


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_turn_without_an_answer_is_not_noted(room, clock, text):
    given.completed_turn("builder", clock=clock, text=text)
    assert not RollupSource.objects.exists()


def test_a_second_finish_notes_nothing_more(room, clock):
    claimed = given.completed_turn("builder", clock=clock)
    given.finished(claimed, "builder", clock=clock)
    assert RollupSource.objects.count() == 1


@pytest.mark.parametrize(
    ("days", "at", "day"),
    [
        (SHANGHAI, datetime(2026, 11, 30, 15, 59, 59, tzinfo=UTC), date(2026, 11, 30)),
        (SHANGHAI, datetime(2026, 11, 30, 16, tzinfo=UTC), date(2026, 12, 1)),
        (BERLIN, datetime(2026, 3, 28, 22, 59, 59, tzinfo=UTC), date(2026, 3, 28)),
        (BERLIN, datetime(2026, 3, 28, 23, tzinfo=UTC), date(2026, 3, 29)),
        (BERLIN, datetime(2026, 3, 29, 21, 59, 59, tzinfo=UTC), date(2026, 3, 29)),
        (BERLIN, datetime(2026, 3, 29, 22, tzinfo=UTC), date(2026, 3, 30)),
        (BERLIN, datetime(2026, 10, 25, 22, 59, 59, tzinfo=UTC), date(2026, 10, 25)),
        (BERLIN, datetime(2026, 10, 25, 23, tzinfo=UTC), date(2026, 10, 26)),
    ],
)
def test_a_turn_belongs_to_the_day_on_which_it_completes_where_its_people_live(room, days, at, day):
    clock = MovedClock(at - timedelta(hours=3))
    claimed = given.running_turn("builder", clock=clock)
    clock.at = at
    given.finished(claimed, "builder", days=days, clock=clock)

    assert RollupSource.objects.get().day == day


# ---------------------------------------------------------------- what is due
def test_eight_turns_are_due_after_five_quiet_minutes_and_seven_when_the_day_is_over(room, clock):
    for _ in range(7):
        given.completed_turn("builder", clock=clock)
    assert due(clock) == datetime(2026, 12, 1, tzinfo=UTC)

    clock.tick(60)
    given.completed_turn("builder", clock=clock)
    assert due(clock) == clock.now() + timedelta(minutes=5)
    assert due(clock, SHANGHAI) == clock.now() + timedelta(minutes=5)


def test_two_long_turns_are_due_after_five_quiet_minutes(room, clock):
    given.completed_turn("builder", clock=clock, text="x" * 8_000)
    assert due(clock) == datetime(2026, 12, 1, tzinfo=UTC)
    given.completed_turn("builder", clock=clock, text="x" * 8_000)
    assert due(clock) == clock.now() + timedelta(minutes=5)


def test_what_other_agents_did_is_not_this_ones_to_write(room, clock):
    for _ in range(9):
        given.completed_turn("reviewer", clock=clock)
    assert due(clock) is None


def test_turns_that_went_in_wait_no_longer(room, clock):
    for _ in range(8):
        given.completed_turn("builder", clock=clock)
    written(clock=clock)
    assert due(clock) is None
    given.completed_turn("builder", clock=clock)
    assert due(clock) == datetime(2026, 12, 1, tzinfo=UTC)


# ---------------------------------------------------------------- what the agent is shown
def test_the_agent_is_shown_its_turns_and_nothing_else_of_the_room(room, clock):
    tool = ToolRecord(
        native_type="tool.completed", tool_call_id="1", name="MARK", status="completed", details={"output": "MARK"}
    )
    given.ended_turn("builder", TurnStatus.FAILED, clock=clock, text="MARK of a failed turn")
    given.completed_turn("reviewer", clock=clock, text="MARK of another")
    claimed = given.running_turn("builder", clock=clock, content="the message")
    outcome = TurnOutcome(status=TurnStatus.COMPLETED, text="the answer", reasoning="MARK", tools=[tool])
    given.finished(claimed, "builder", outcome, clock=clock)

    prompt = batch().prompt
    assert "MARK" not in prompt
    assert "> the message\n" in prompt
    assert prompt.endswith("> the answer")


def test_of_a_long_message_only_what_the_prompt_can_use_is_loaded(room, clock):
    claimed = given.running_turn("builder", clock=clock, content="A" * 60_000 + "Z" * 60_000)
    given.finished(claimed, "builder", TurnOutcome(status=TurnStatus.COMPLETED, text="文" * 300_000), clock=clock)

    [turn] = day_now(BUILDER, TODAY).turns
    assert (turn.message.beginning, turn.message.end) == ("A" * 8_000, "Z" * 3_900)
    assert (turn.answer.beginning, turn.answer.characters) == ("文" * 8_000, 300_000)
    assert "[… 112,200 characters are left out here …]" in batch().prompt
