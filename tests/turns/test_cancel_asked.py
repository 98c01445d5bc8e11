"""A cancel is passed on to what was asked, and to nothing else (docs/turns.md, "Who stops with whom")."""

from contextlib import contextmanager

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.announcements import Announcement, LaneAction, LaneSignal, listen
from rooms.queries import events_after
from tests import given, given_calls
from turns.models import Turn
from turns.state import TurnStatus


def asked(caller, *names, clock):
    return [turn["turnId"] for turn in given_calls.asked(caller, *names, clock=clock).result["turns"]]


@pytest.fixture
def builder(room, clock):
    """In its turn."""
    return given_calls.member("builder", clock=clock)


def status_of(turn_id):
    return TurnStatus(Turn.objects.get(turn_id=turn_id).status)


@pytest.fixture
def announcements(django_capture_on_commit_callbacks):
    """What is announced while `with announcements()` lasts."""

    @contextmanager
    def heard():
        told: list[Announcement] = []
        stop_listening = listen(told.append)
        try:
            with django_capture_on_commit_callbacks(execute=True):
                yield told
        finally:
            stop_listening()

    return heard


def test_what_was_asked_stops_with_its_asker_and_what_was_sent_goes_on(builder, clock, announcements):
    running, waiting = asked(builder, "reviewer", "scribe", clock=clock)
    [sent] = [turn["turnId"] for turn in given_calls.sent(builder, "scribe", clock=clock).result["turns"]]
    given_calls.next_turn("reviewer", clock=clock)
    with announcements() as told:
        answer = given.cancelled(builder.turn.turn_id, clock=clock)

    assert answer == {"turnId": builder.turn.turn_id, "accepted": True, "status": "cancelling"}
    assert (status_of(running), status_of(waiting)) == (TurnStatus.CANCELLING, TurnStatus.CANCELLED)
    assert status_of(sent) is TurnStatus.QUEUED
    assert [signal for signal in told if isinstance(signal, LaneSignal) and signal.action is LaneAction.CANCEL] == [
        LaneSignal("agent:builder", LaneAction.CANCEL, builder.turn.turn_id),
        LaneSignal("agent:reviewer", LaneAction.CANCEL, running),
    ]


def test_a_turn_that_was_stopped_with_its_asker_says_so(builder, clock):
    [waiting] = asked(builder, "reviewer", clock=clock)
    given.cancelled(builder.turn.turn_id, clock=clock)

    [ended] = [event for event in events_after(0, 500) if event.type == "turn.cancelled"]
    assert ended.body["turnId"] == waiting
    assert ended.body["errorCode"] == "TURN_CANCELLED"
    assert ended.body["message"].startswith("The turn that asked for this one was cancelled")


def test_a_cancel_goes_down_the_whole_chain_of_asking(builder, clock):
    [first] = asked(builder, "reviewer", clock=clock)
    [second] = asked(given_calls.next_turn("reviewer", clock=clock), "scribe", clock=clock)
    given.cancelled(builder.turn.turn_id, clock=clock)

    assert (status_of(first), status_of(second)) == (TurnStatus.CANCELLING, TurnStatus.CANCELLED)


def test_what_an_ended_turn_still_waits_for_in_vain_is_not_reached_through_it(builder, clock):
    asked(builder, "reviewer", clock=clock)
    reviewer = given_calls.next_turn("reviewer", clock=clock)
    [left] = asked(reviewer, "scribe", clock=clock)
    given_calls.ended(reviewer, clock=clock)
    given.cancelled(builder.turn.turn_id, clock=clock)

    assert status_of(left) is TurnStatus.QUEUED


@pytest.mark.parametrize("status", [TurnStatus.COMPLETED, TurnStatus.FAILED, TurnStatus.INTERRUPTED])
def test_an_asker_that_ends_in_another_way_stops_nobody(builder, clock, status):
    [turn_id] = asked(builder, "reviewer", clock=clock)
    given_calls.ended(builder, status=status, clock=clock)

    assert status_of(turn_id) is TurnStatus.QUEUED


def test_a_persons_retry_of_what_was_asked_goes_on(builder, clock):
    [turn_id] = asked(builder, "reviewer", clock=clock)
    given.cancelled(turn_id, clock=clock)
    retried = given.retried(turn_id, clock=clock)
    given.cancelled(builder.turn.turn_id, clock=clock)

    assert status_of(retried) is TurnStatus.QUEUED


def test_a_second_cancel_changes_nothing(builder, clock):
    [turn_id] = asked(builder, "reviewer", clock=clock)
    given_calls.next_turn("reviewer", clock=clock)
    first = given.cancelled(builder.turn.turn_id, clock=clock)
    before = [event.seq for event in events_after(0, 500)]

    assert given.cancelled(builder.turn.turn_id, clock=clock) == first
    assert status_of(turn_id) is TurnStatus.CANCELLING
    assert [event.seq for event in events_after(0, 500)] == before


@pytest.mark.parametrize("end", ["cancel", "finish"])
@pytest.mark.parametrize(
    ("tool", "names"), [(given_calls.asked, ["scribe"]), (given_calls.sent, ["scribe"]), (given_calls.published, [])]
)
def test_nothing_comes_of_a_turn_after_its_cancel_or_its_end(builder, clock, tool, names, end):
    """The agent was known to be in its turn when its call came; meanwhile that is over."""
    if end == "cancel":
        given.cancelled(builder.turn.turn_id, clock=clock)
    else:
        given_calls.ended(builder, clock=clock)
    before = Turn.objects.count(), len(events_after(0, 500))

    with pytest.raises(GroupXError) as refused:
        tool(builder, *names, clock=clock)

    assert refused.value.code is ErrorCode.SESSION_NOT_AVAILABLE
    assert (Turn.objects.count(), len(events_after(0, 500))) == before
