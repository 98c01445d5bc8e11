"""A cancel is passed on to what was asked, and to nothing else (docs/turns.md, "Who stops with whom")."""

import pytest

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.announcements import LaneAction, LaneSignal, listen
from rooms.queries import events_after
from tests import given
from turns import member_commands
from turns.member_requests import AskRequest, PublishRequest, SendRequest
from turns.models import Turn
from turns.queries.askers import askers_of
from turns.queries.members import member_of
from turns.settlement import TurnOutcome
from turns.state import TurnStatus


class Agent:
    """In its turn."""

    def __init__(self, name, clock, claimed):
        self.name, self.clock, self.claimed, self.turn_id = name, clock, claimed, claimed.turn_id
        self.member = member_of(given.last_handle())

    def asks(self, *names):
        return self._dispatches(AskRequest, member_commands.ask, names)

    def sends(self, *names):
        return self._dispatches(SendRequest, member_commands.send, names)

    def _dispatches(self, shape, command, names):
        to = [f"agent:{name}" for name in names]
        request = shape.model_validate({"to": to, "content": "do it", "clientCommandId": given.command_id()})
        turns = command(request, member=self.member, limits=Limits(), clock=self.clock).result["turns"]
        return [turn["turnId"] for turn in turns]


@pytest.fixture
def builder(room, clock):
    return Agent("builder", clock, given.running_turn("builder", clock=clock))


def begins(name, clock):
    """The agent takes up its oldest waiting turn."""
    return Agent(name, clock, given.taken_up(name, clock=clock))


def status_of(turn_id):
    return TurnStatus(Turn.objects.get(turn_id=turn_id).status)


@pytest.fixture
def signals(django_capture_on_commit_callbacks):
    """What lanes are told while `with` lasts."""
    told = []

    class Signals:
        def __enter__(self):
            self._stop = listen(lambda announcement: told.append(announcement))
            self._commits = django_capture_on_commit_callbacks(execute=True)
            self._commits.__enter__()
            return told

        def __exit__(self, *exc_info):
            self._commits.__exit__(*exc_info)
            self._stop()

    return Signals()


def test_what_was_asked_stops_with_its_asker_and_what_was_sent_goes_on(builder, clock, signals):
    running, waiting = builder.asks("reviewer", "scribe")
    [sent] = builder.sends("scribe")
    begins("reviewer", clock)
    with signals as told:
        answer = given.cancelled(builder.turn_id, clock=clock)

    assert answer == {"turnId": builder.turn_id, "accepted": True, "status": "cancelling"}
    assert (status_of(running), status_of(waiting)) == (TurnStatus.CANCELLING, TurnStatus.CANCELLED)
    assert status_of(sent) is TurnStatus.QUEUED
    cancelled_by_lanes = [signal for signal in told if getattr(signal, "action", None) is LaneAction.CANCEL]
    assert cancelled_by_lanes == [
        LaneSignal("agent:builder", LaneAction.CANCEL, builder.turn_id),
        LaneSignal("agent:reviewer", LaneAction.CANCEL, running),
    ]


def test_a_turn_that_was_stopped_with_its_asker_says_so(builder, clock):
    [waiting] = builder.asks("reviewer")
    given.cancelled(builder.turn_id, clock=clock)

    [ended] = [event for event in events_after(0, 500) if event.type == "turn.cancelled"]
    assert ended.body["turnId"] == waiting
    assert ended.body["errorCode"] == "TURN_CANCELLED"
    assert ended.body["message"].startswith("The turn that asked for this one was cancelled")


def test_a_cancel_goes_down_the_whole_chain_of_asking(builder, clock):
    [first] = builder.asks("reviewer")
    [second] = begins("reviewer", clock).asks("scribe")
    given.cancelled(builder.turn_id, clock=clock)

    assert (status_of(first), status_of(second)) == (TurnStatus.CANCELLING, TurnStatus.CANCELLED)


def test_what_an_ended_turn_still_waits_for_in_vain_is_not_reached_through_it(builder, clock):
    builder.asks("reviewer")
    reviewer = begins("reviewer", clock)
    [left] = reviewer.asks("scribe")
    given.finished(reviewer.claimed, "reviewer", clock=clock)
    given.cancelled(builder.turn_id, clock=clock)

    assert status_of(left) is TurnStatus.QUEUED


@pytest.mark.parametrize("status", [TurnStatus.COMPLETED, TurnStatus.FAILED, TurnStatus.INTERRUPTED])
def test_an_asker_that_ends_in_another_way_stops_nobody(builder, clock, status):
    [asked] = builder.asks("reviewer")
    outcome = TurnOutcome(status=status, error_code=ErrorCode.NATIVE_EXITED, message="It went away.")
    given.finished(builder.claimed, "builder", outcome, clock=clock)

    assert status_of(asked) is TurnStatus.QUEUED


def test_a_persons_retry_of_what_was_asked_goes_on(builder, clock):
    [asked] = builder.asks("reviewer")
    given.cancelled(asked, clock=clock)
    retried = given.retried(asked, clock=clock)
    given.cancelled(builder.turn_id, clock=clock)

    assert status_of(retried) is TurnStatus.QUEUED


def test_a_second_cancel_changes_nothing(builder, clock):
    [asked] = builder.asks("reviewer")
    begins("reviewer", clock)
    first = given.cancelled(builder.turn_id, clock=clock)
    before = [event.seq for event in events_after(0, 500)]

    assert given.cancelled(builder.turn_id, clock=clock) == first
    assert status_of(asked) is TurnStatus.CANCELLING
    assert [event.seq for event in events_after(0, 500)] == before


@pytest.mark.parametrize("end", ["cancel", "finish"])
@pytest.mark.parametrize("tool", ["ask", "send", "publish"])
def test_nothing_comes_of_a_turn_after_its_cancel_or_its_end(builder, clock, tool, end):
    """The agent was known to be in its turn when its call came; meanwhile that is over."""
    if end == "cancel":
        given.cancelled(builder.turn_id, clock=clock)
    else:
        given.finished(builder.claimed, "builder", clock=clock)
    before = Turn.objects.count(), len(events_after(0, 500))

    with pytest.raises(GroupXError) as refused:
        if tool == "publish":
            request = PublishRequest.model_validate({"content": "so", "clientCommandId": "1"})
            member_commands.publish(request, member=builder.member, limits=Limits(), clock=clock)
        else:
            builder.asks("scribe") if tool == "ask" else builder.sends("scribe")

    assert refused.value.code is ErrorCode.SESSION_NOT_AVAILABLE
    assert (Turn.objects.count(), len(events_after(0, 500))) == before


def test_the_askers_of_a_turn_are_those_that_wait_for_it_nearest_first(builder, clock):
    builder.asks("reviewer")
    reviewer = begins("reviewer", clock)
    [asked] = reviewer.asks("scribe")
    [sent] = reviewer.sends("scribe")

    assert [asker.turn_id for asker in askers_of(asked)] == [reviewer.turn_id, builder.turn_id]
    assert [asker.actor_id for asker in askers_of(asked)] == ["agent:reviewer", "agent:builder"]
    assert askers_of(sent) == askers_of(builder.turn_id) == []


def test_who_has_ended_waits_for_nobody(builder, clock):
    builder.asks("reviewer")
    reviewer = begins("reviewer", clock)
    [asked] = reviewer.asks("scribe")
    given.finished(reviewer.claimed, "reviewer", clock=clock)

    assert askers_of(asked) == []
