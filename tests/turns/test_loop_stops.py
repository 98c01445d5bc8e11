"""Agents reach a limit, the room sees it, a person lets them go on (protocol section 7). Our contract, on SQLite."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.bodies import BODY_OF
from rooms.models import ClientCommand, Event
from rooms.vocabulary import EventType
from tests import given
from tests import given_calls as calls
from tests.turns.supervising import watched
from turns.member import Member
from turns.models import LoopStop, Turn
from turns.state import TurnStatus

TWO_CALLS = Limits(actor_calls_per_root=2)
STOPPED, RELEASED = "routing.loop_stopped", "routing.loop_released"


def refused(caller: Member, *names: str, limits: Limits, clock, **more: object) -> GroupXError:
    with pytest.raises(GroupXError) as told:
        calls.sent(caller, *names, limits=limits, clock=clock, **more)
    return told.value


def stopped(clock, limits: Limits = TWO_CALLS, **more: object) -> Member:
    """builder, which has called reviewer twice and wanted to once more."""
    builder = calls.member("builder", clock=clock)
    for _ in range(2):
        calls.sent(builder, "reviewer", limits=limits, clock=clock)
    refused(builder, "reviewer", limits=limits, clock=clock, **more)
    return builder


def told(type_: str) -> list[Event]:
    return list(Event.objects.filter(type=type_).order_by("seq"))


# ---------------------------------------------------------------- the stop
def test_a_call_over_a_limit_is_refused_whole_and_the_room_sees_who_where_and_why(room, clock):
    builder = stopped(clock, content="once more, please")

    [event] = told(STOPPED)
    assert Turn.objects.filter(hop_count=1).count() == 2
    assert (event.actor_id, event.source_kind, event.to) == ("system:groupx", "system", [])
    assert event.correlation_id == event.root_correlation_id == builder.turn.root_correlation_id
    assert event.causation_id == builder.turn.turn_id
    body = event.body
    assert (body["errorCode"], body["limit"], body["maximum"]) == ("ROOT_TURN_LIMIT_REACHED", "actorCallsPerRoot", 2)
    assert (body["actorId"], body["targets"], body["turnId"]) == (
        "agent:builder",
        ["agent:reviewer"],
        builder.turn.turn_id,
    )
    assert body["excerpt"] == "once more, please" and body["message"] and body["hint"]


def test_the_agent_is_told_that_its_message_is_kept(room, clock):
    builder = calls.member("builder", clock=clock)
    limits = Limits(hop_count=1)
    reviewer = calls.child_turn(builder, "reviewer", clock=clock)

    error = refused(reviewer, "scribe", limits=limits, clock=clock)

    assert error.code is ErrorCode.HOP_LIMIT_REACHED
    assert error.details == {"limit": "hopCount", "maximum": 1, "kept": True}
    assert "is kept" in error.message


def test_an_agent_that_tries_again_and_again_fills_nothing(room, clock):
    builder = stopped(clock)

    for _ in range(5):
        error = refused(builder, "reviewer", limits=TWO_CALLS, clock=clock)
        assert error.details["kept"] is False and "Nothing was sent" in error.message

    assert len(told(STOPPED)) == 1 and LoopStop.objects.count() == 1


def test_the_same_command_again_is_told_that_it_is_kept(room, clock):
    call = calls.a_call("reviewer")
    builder = stopped(clock, **call)

    assert refused(builder, limits=TWO_CALLS, clock=clock, **call).details["kept"] is True


def test_each_limit_of_a_root_has_its_own_stop(room, clock):
    limits = Limits(actor_calls_per_root=2, root_turns=3)
    builder = stopped(clock, limits)
    calls.sent(builder, "scribe", limits=limits, clock=clock)

    refused(builder, "scribe", limits=limits, clock=clock)

    assert [event.body["limit"] for event in told(STOPPED)] == ["actorCallsPerRoot", "rootTurns"]


def test_another_message_of_a_person_has_limits_of_its_own(room, clock):
    stopped(clock)
    scribe = calls.member("scribe", clock=clock)

    calls.sent(scribe, "reviewer", limits=TWO_CALLS, clock=clock)


def test_what_a_person_tries_again_is_not_counted(room, clock):
    builder = calls.member("builder", clock=clock)
    failed = calls.child_turn(builder, "reviewer", clock=clock)
    calls.ended(failed, status=TurnStatus.FAILED, clock=clock)
    given.retried(failed.turn.turn_id, clock=clock)

    calls.sent(builder, "reviewer", limits=TWO_CALLS, clock=clock)
    refused(builder, "reviewer", limits=TWO_CALLS, clock=clock)


def test_a_long_message_is_only_begun_in_the_room_and_kept_whole(room, clock):
    stopped(clock, content="x" * 5_000)

    assert len(told(STOPPED)[0].body["excerpt"]) == 401
    assert LoopStop.objects.get().request["content"] == "x" * 5_000


def test_everyone_is_named_one_by_one(room, clock):
    builder = calls.member("builder", clock=clock)

    refused(builder, limits=Limits(root_turns=1), clock=clock, **calls.a_call() | {"to": ["@all"]})

    assert told(STOPPED)[0].body["targets"] == ["agent:reviewer", "agent:scribe"]


# ---------------------------------------------------------------- letting them go on
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
    limits = Limits(actor_calls_per_root=2, root_turns=2)
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


def test_two_agents_that_always_send_to_each_other_stop_and_a_third_works_on(room, clock):
    limits = Limits(root_turns=8, actor_calls_per_root=100, hop_count=100)
    first = caller = calls.member("builder", clock=clock)
    names = ["reviewer", "builder"] * 20
    with pytest.raises(GroupXError) as stop:
        for name in names:
            calls.sent(caller, name, limits=limits, clock=clock)
            calls.ended(caller, clock=clock)
            caller = calls.next_turn(name, clock=clock)

    assert stop.value.details["limit"] == "rootTurns"
    assert Turn.objects.filter(root_correlation_id=first.turn.root_correlation_id).count() == 1 + 7
    calls.sent(caller, "scribe", limits=limits, clock=clock)
    calls.ended(caller, clock=clock)
    scribe = calls.next_turn("scribe", clock=clock)
    calls.published(scribe, clock=clock)

    calls.granted(first.turn.root_correlation_id, "rootTurns", limits=limits, clock=clock)
    assert calls.next_turn(stop_target(caller), clock=clock).turn.hop_count == 8


def stop_target(caller: Member) -> str:
    return {"agent:builder": "reviewer", "agent:reviewer": "builder"}[caller.caller.actor.actor_id]


def test_an_observer_cannot_start_turns_without_end_and_what_it_steered_to_is_not_sent_later(room, clock):
    limits = Limits(root_turns=1)
    watch = watched(clock=clock)
    watch.steer(limits=limits)

    for _ in range(2):
        with pytest.raises(GroupXError) as stop:
            watch.steer(limits=limits)
        assert stop.value.code is ErrorCode.ROOT_TURN_LIMIT_REACHED and stop.value.details["kept"] is False
    [event] = told(STOPPED)
    assert event.body["targets"] == ["agent:builder"] and "excerpt" not in event.body
    turns = Turn.objects.count()

    answer = calls.granted(event.root_correlation_id, "rootTurns", limits=limits, clock=clock)

    assert "messageEventId" not in answer and Turn.objects.count() == turns
    watch.steer(limits=limits)


# ---------------------------------------------------------------- what it costs
def test_a_root_of_a_thousand_turns_is_counted_by_its_index(room, clock):
    builder = calls.member("builder", clock=clock)
    with CaptureQueriesContext(connection) as captured:
        calls.sent(builder, "reviewer", clock=clock)

    plans = []
    for query in captured.captured_queries:
        if "COUNT(" in query["sql"] and "root_correlation_id" in query["sql"]:
            with connection.cursor() as cursor:
                cursor.execute("EXPLAIN QUERY PLAN " + query["sql"].replace("%", "%%"))
                plans += [row[-1] for row in cursor.fetchall()]
    assert any("USING INDEX turns_started_by_agents" in plan for plan in plans)
    assert not any(plan.startswith("SCAN") for plan in plans)


def test_both_events_have_a_body_of_their_own():
    assert {EventType(STOPPED), EventType(RELEASED)} <= set(BODY_OF)
