"""A person lets agents go on past a limit (docs/turns.md, "Chains and their limits"). Our contract, on SQLite."""

import pytest

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import Actor, ClientCommand, Event
from tests import given
from tests import given_calls as calls
from tests.turns.stopping import RELEASED, STOPPED, TWO_CALLS, refused, stopped, told
from turns.models import LoopStop, Turn


def test_letting_them_go_on_sends_what_waited_as_the_agent_that_wanted_to(room, clock):
    builder = stopped(clock, content="once more, please")
    calls.ended(builder, clock=clock)
    root = builder.turn.root_correlation_id

    answer = calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, clock=clock)

    said = Event.objects.get(event_id=answer["messageEventId"])
    assert (said.actor_id, said.source_kind, said.body["content"]) == ("agent:builder", "mcp", "once more, please")
    assert (said.reply_to_event_id, said.causation_id) == (builder.turn.source_event_id, builder.turn.turn_id)
    turn = Turn.objects.get(source_event=said.event_id)
    assert (turn.target_id, turn.hop_count, turn.status) == ("agent:reviewer", 1, "queued")
    [released] = told(RELEASED)
    assert released.seq < said.seq
    assert (released.actor_id, released.source_kind, released.root_correlation_id) == ("user:web", "web", root)
    assert released.body["stoppedEventId"] == released.causation_id == told(STOPPED)[0].event_id
    assert (answer["maximum"], released.body["maximum"]) == (4, 4)


def test_a_grant_is_one_more_round_and_the_next_stop_is_told_anew(room, clock):
    builder = stopped(clock)
    root = builder.turn.root_correlation_id

    calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, clock=clock)
    calls.sent(builder, "reviewer", limits=TWO_CALLS, clock=clock)
    error = refused(builder, "reviewer", limits=TWO_CALLS, clock=clock)

    assert error.details == {"limit": "actorCallsPerRoot", "maximum": 4, "actor": "agent:reviewer", "kept": True}
    assert [event.body["maximum"] for event in told(STOPPED)] == [2, 4]
    assert calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, clock=clock)["maximum"] == 6


def test_the_agent_may_repeat_its_command_and_still_has_sent_it_once(room, clock):
    call = calls.a_call("reviewer")
    builder = stopped(clock, **call)

    answer = calls.granted(builder.turn.root_correlation_id, "actorCallsPerRoot", limits=TWO_CALLS, clock=clock)

    again = calls.sent(builder, limits=TWO_CALLS, clock=clock, **call).result
    assert again["messageEventId"] == answer["messageEventId"]
    assert Turn.objects.filter(hop_count=1).count() == 3


def test_a_command_used_for_something_else_meanwhile_keeps_nobody_from_going_on(room, clock):
    call = calls.a_call("reviewer")
    builder = stopped(clock, **call)
    calls.sent(builder, limits=TWO_CALLS, clock=clock, **call | {"to": ["agent:scribe"]})

    answer = calls.granted(builder.turn.root_correlation_id, "actorCallsPerRoot", limits=TWO_CALLS, clock=clock)

    assert "messageEventId" not in answer and answer["maximum"] == 4


def test_a_question_that_waited_is_asked(room, clock):
    builder = calls.member("builder", clock=clock)
    reviewer = calls.child_turn(builder, "reviewer", clock=clock)
    limits = Limits(hop_count=1)
    with pytest.raises(GroupXError):
        calls.asked(reviewer, "scribe", timeoutMs=1_000, limits=limits, clock=clock)

    answer = calls.granted(builder.turn.root_correlation_id, "hopCount", limits=limits, clock=clock)

    assert Turn.objects.get(source_event=answer["messageEventId"]).command_type == "mcp.ask"


def test_where_another_limit_is_in_the_way_the_message_waits_there(room, clock):
    limits = Limits(actor_calls_per_root=2, root_turns=3)
    builder = stopped(clock, limits, content="once more, please")
    root = builder.turn.root_correlation_id
    assert told(STOPPED)[0].body["limit"] == "actorCallsPerRoot"

    first = calls.granted(root, "actorCallsPerRoot", limits=limits, clock=clock)
    assert "messageEventId" not in first
    assert (told(STOPPED)[1].body["limit"], told(STOPPED)[1].body["excerpt"]) == ("rootTurns", "once more, please")

    second = calls.granted(root, "rootTurns", limits=limits, clock=clock)
    assert Event.objects.get(event_id=second["messageEventId"]).body["content"] == "once more, please"


def test_a_message_that_cannot_be_sent_now_changes_nothing_and_may_be_let_go_later(room, clock):
    limits = Limits(actor_calls_per_root=2, queue_per_agent=3)
    builder = stopped(clock, limits)
    root = builder.turn.root_correlation_id
    given.sent(given.a_message("reviewer"), limits=limits, clock=clock)

    with pytest.raises(GroupXError) as full:
        calls.granted(root, "actorCallsPerRoot", limits=limits, clock=clock)
    assert full.value.code is ErrorCode.QUEUE_CAPACITY_REACHED
    assert told(RELEASED) == [] and LoopStop.objects.get().granted_at is None

    calls.ended(calls.next_turn("reviewer", clock=clock), clock=clock)
    assert calls.granted(root, "actorCallsPerRoot", limits=limits, clock=clock)["messageEventId"]


def test_two_tabs_let_them_go_on_once(room, clock):
    builder = stopped(clock)
    root = builder.turn.root_correlation_id
    calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, clock=clock)

    with pytest.raises(GroupXError) as again:
        calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, clock=clock)

    assert again.value.code is ErrorCode.STORE_CONFLICT
    assert len(told(RELEASED)) == 1


def test_who_means_a_stop_of_before_lets_nobody_go_on_from_the_next_one(room, clock):
    builder = stopped(clock)
    root = builder.turn.root_correlation_id
    [seen] = told(STOPPED)
    calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, stop=seen.event_id, clock=clock)
    calls.sent(builder, "reviewer", limits=TWO_CALLS, clock=clock)
    refused(builder, "reviewer", limits=TWO_CALLS, clock=clock)

    with pytest.raises(GroupXError) as late:
        calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, stop=seen.event_id, clock=clock)

    assert late.value.code is ErrorCode.STORE_CONFLICT
    assert len(told(STOPPED)) == 2 and len(told(RELEASED)) == 1


def test_a_repeated_grant_gets_the_same_answer(room, clock):
    root = stopped(clock).turn.root_correlation_id

    first = calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, command="mine", clock=clock)

    assert calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, command="mine", clock=clock) == first
    assert ClientCommand.objects.filter(command_type="limits.grant").count() == 1


@pytest.mark.parametrize("limit", ["rootTurns", "hopCount"])
def test_a_limit_that_stops_nobody_is_not_raised(room, clock, limit):
    root = stopped(clock).turn.root_correlation_id

    with pytest.raises(GroupXError) as refusal:
        calls.granted(root, limit, limits=TWO_CALLS, clock=clock)

    assert refusal.value.code is ErrorCode.STORE_CONFLICT


def test_a_root_that_is_not_in_the_room_is_not_found(room, clock):
    with pytest.raises(GroupXError) as refusal:
        calls.granted("corr_unknown", "rootTurns", limits=TWO_CALLS, clock=clock)

    assert refusal.value.code is ErrorCode.NOT_FOUND


# ---------------------------------------------------------------- a message that can never be sent
@pytest.mark.parametrize(
    ("gone", "code"), [("agent:reviewer", ErrorCode.UNKNOWN_TARGET), ("agent:builder", ErrorCode.UNKNOWN_ACTOR)]
)
def test_a_message_to_or_of_an_agent_that_is_gone_is_not_sent_but_may_be_dropped(room, clock, gone, code):
    root = stopped(clock).turn.root_correlation_id
    [seen] = told(STOPPED)
    Actor.objects.filter(actor_id=gone).update(enabled=False)

    with pytest.raises(GroupXError) as refusal:
        calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, clock=clock)
    assert refusal.value.code is code and gone in refusal.value.message
    assert told(RELEASED) == [] and LoopStop.objects.get().granted_at is None

    answer = calls.granted(
        root, "actorCallsPerRoot", limits=TWO_CALLS, stop=seen.event_id, without_message=True, clock=clock
    )

    assert answer["maximum"] == 4 and "messageEventId" not in answer
    [released] = told(RELEASED)
    assert (released.body["stoppedEventId"], released.body["withoutMessage"]) == (seen.event_id, True)
    assert "without the message that waited" in released.body["message"]
    assert LoopStop.objects.get().granted_at is not None
    assert Turn.objects.filter(root_correlation_id=root, hop_count=1).count() == 2


def test_others_of_that_root_go_on_once_the_message_is_dropped(room, clock):
    builder = stopped(clock)
    root = builder.turn.root_correlation_id

    calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, without_message=True, clock=clock)
    calls.sent(builder, "reviewer", limits=TWO_CALLS, clock=clock)

    assert Turn.objects.filter(root_correlation_id=root, hop_count=1).count() == 3


def test_a_release_that_sends_the_message_says_nothing_of_a_dropped_one(room, clock):
    root = stopped(clock).turn.root_correlation_id

    calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, clock=clock)

    assert "withoutMessage" not in told(RELEASED)[0].body


def test_with_and_without_the_message_are_two_commands(room, clock):
    root = stopped(clock).turn.root_correlation_id
    calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, command="mine", clock=clock)

    with pytest.raises(GroupXError) as conflict:
        calls.granted(root, "actorCallsPerRoot", limits=TWO_CALLS, command="mine", without_message=True, clock=clock)

    assert conflict.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT
