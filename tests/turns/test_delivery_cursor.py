"""The delivery cursor (docs/context.md, "What a session has been given"): moved by the start of an attempt or by the
end of a delivered one, only forward, and no further than that attempt's context."""

import pytest

from memory.packet import ContextPacket
from rooms.queries import last_seq
from tests import given
from tests.given_context import reset, summed_up
from turns.actions.claim_turn import claim_turn
from turns.actions.deliver_turn import mark_started
from turns.actions.recover_turns import recover_turns, take_lane
from turns.actions.release_turn import release_turn
from turns.models import DeliveryCursor, TurnAttempt
from turns.queries.packets import packet_for
from turns.settlement import TurnOutcome
from turns.state import TurnStatus

FAILED = TurnOutcome(status=TurnStatus.FAILED, text="half")


def cursor(session: str = "native-1") -> tuple[int, int] | None:
    found = DeliveryCursor.objects.filter(actor_id="agent:builder", native_session_id=session)
    return found.values_list("last_delivered_seq", "last_summary_seq").first()


def prompted(clock, session: str = "native-1", *, summary: int | None = None):
    """A claimed turn whose prompt is about to be sent to this session."""
    claimed = given.claimed_turn("builder", clock=clock)
    packet = ContextPacket(text="x", after_seq=summary or 0, summary_through_seq=summary)
    given.invoke_prompt(claimed, given.a_session("builder", session, clock=clock), clock=clock, packet=packet)
    return claimed


def started(clock, session: str = "native-1", *, summary: int | None = None):
    claimed = prompted(clock, session, summary=summary)
    mark_started(claimed.attempt_id, "lane", given.agent("builder"), native_turn_id=None, clock=clock)
    return claimed


def end(claimed, clock, outcome: TurnOutcome = FAILED) -> None:
    given.finished(claimed, "builder", outcome, clock=clock)


def test_the_native_start_moves_both_marks_to_what_the_attempt_was_given(room, clock):
    claimed = started(clock, summary=2)

    assert cursor() == (claimed.context_through_seq, 2)
    attempt = TurnAttempt.objects.get(attempt_id=claimed.attempt_id)
    assert (attempt.context_after_seq, attempt.summary_through_seq) == (2, 2)


def test_what_the_session_was_given_it_has_also_when_the_turn_fails(room, clock):
    claimed = started(clock)
    end(claimed, clock)
    assert cursor() == (claimed.context_through_seq, 0)


def test_a_prompt_that_may_have_been_sent_moves_nothing(room, clock):
    claimed = prompted(clock, summary=2)
    assert cursor() is None
    end(claimed, clock)
    assert cursor() is None


def test_a_turn_that_went_back_to_its_queue_moves_nothing(room, clock):
    claimed = given.claimed_turn("builder", clock=clock)
    release_turn(claimed.attempt_id, "lane", clock=clock)
    assert cursor() is None


def test_after_an_attempt_that_never_started_the_next_turn_is_given_the_same_again(room, clock):
    started_before = started(clock)
    end(started_before, clock)
    given.sent(given.a_message("reviewer", content="of the delta"), clock=clock)

    def text() -> str:
        claimed = given.claimed_turn("builder", clock=clock)
        packet = packet_for(
            "agent:builder",
            "native-1",
            source=claimed.source_event_id,
            root_correlation_id=claimed.root_correlation_id,
            through_seq=claimed.context_through_seq,
            max_chars=10_000,
        )
        given.invoke_prompt(claimed, given.a_session("builder", clock=clock), clock=clock, packet=packet)
        end(claimed, clock)
        return packet.text

    assert "of the delta" in text()
    assert "of the delta" in text()


def test_the_marks_move_only_forward(room, clock):
    first = started(clock, summary=1)
    end(first, clock)
    DeliveryCursor.objects.update(last_delivered_seq=1_000, last_summary_seq=900)
    second = started(clock, summary=2)
    end(second, clock)
    assert cursor() == (1_000, 900)


def test_one_mark_moves_without_the_other(room, clock):
    end(started(clock, summary=1), clock)
    second = started(clock)
    assert cursor() == (second.context_through_seq, 1)


def test_a_mark_moves_no_further_than_its_attempts_context_whatever_the_room_said_since(room, clock):
    claimed = started(clock)
    given.sent(given.a_message("reviewer"), clock=clock)
    end(claimed, clock, given.ANSWERED)

    assert cursor() == (claimed.context_through_seq, 0)
    assert last_seq() > claimed.context_through_seq


@pytest.mark.parametrize("outcome", [given.ANSWERED, FAILED], ids=["completed", "failed"])
def test_the_end_of_a_delivered_attempt_moves_what_its_start_did_not(room, clock, outcome):
    claimed = started(clock, summary=2)
    DeliveryCursor.objects.all().delete()

    end(claimed, clock, outcome)

    assert cursor() == (claimed.context_through_seq, 2)


def test_recovery_of_a_delivered_attempt_moves_what_its_start_did_not(room, clock):
    claimed = started(clock, summary=2)
    DeliveryCursor.objects.all().delete()
    take_lane("agent:builder", "new", 2, clock=clock)

    recover_turns(given.agent("builder"), clock=clock)

    assert cursor() == (claimed.context_through_seq, 2)


def test_recovery_of_an_attempt_that_may_have_been_sent_moves_nothing(room, clock):
    prompted(clock, summary=2)
    take_lane("agent:builder", "new", 2, clock=clock)
    recover_turns(given.agent("builder"), clock=clock)
    assert cursor() is None


def test_each_native_session_has_its_own_marks(room, clock):
    first = started(clock, "native-1", summary=2)
    end(first, clock)
    second = started(clock, "native-2")

    assert cursor("native-1") == (first.context_through_seq, 2)
    assert cursor("native-2") == (second.context_through_seq, 0)


def test_a_fresh_session_begins_behind_the_summary_or_the_reset(room, clock):
    given.sent(given.a_message("reviewer", content="old"), clock=clock)
    covered = last_seq()
    given.sent(given.a_message("reviewer", content="recent"), clock=clock)
    summed_up(covered, "in short", clock=clock)
    given.a_lane("builder", clock=clock)

    def for_a_fresh_session() -> ContextPacket:
        given.queued_turn("builder", clock=clock)
        claimed = claim_turn("agent:builder", "lane", clock=clock)
        end(claimed, clock)
        return packet_for(
            "agent:builder",
            "never-seen",
            source=claimed.source_event_id,
            root_correlation_id="",
            through_seq=claimed.context_through_seq,
            max_chars=10_000,
        )

    packet = for_a_fresh_session()
    assert packet.after_seq == packet.summary_through_seq == covered
    assert "old" not in packet.text and "recent" in packet.text

    floor = reset(clock=clock)
    packet = for_a_fresh_session()
    assert (packet.after_seq, packet.summary_through_seq) == (floor, None)
    assert "recent" not in packet.text
