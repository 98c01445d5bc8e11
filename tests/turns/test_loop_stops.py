"""Agents reach a limit and the room sees it (docs/turns.md, "Chains and their limits"). Our contract, on SQLite."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from tests import given
from tests import given_calls as calls
from tests.turns.stopping import STOPPED, TWO_CALLS, refused, stopped, told
from tests.turns.supervising import watched
from turns.member import Member
from turns.models import LoopStop, Turn
from turns.state import TurnStatus


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
    limits = Limits(actor_calls_per_root=2, root_turns=4)
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
    assert Turn.objects.filter(root_correlation_id=first.turn.root_correlation_id).count() == 7
    calls.sent(caller, "scribe", limits=limits, clock=clock)
    calls.ended(caller, clock=clock)
    scribe = calls.next_turn("scribe", clock=clock)
    calls.published(scribe, clock=clock)

    calls.granted(first.turn.root_correlation_id, "rootTurns", limits=limits, clock=clock)
    assert calls.next_turn(stop_target(caller), clock=clock).turn.hop_count == 7


def stop_target(caller: Member) -> str:
    return {"agent:builder": "reviewer", "agent:reviewer": "builder"}[caller.caller.actor.actor_id]


def test_an_observer_cannot_start_turns_without_end_and_what_it_steered_to_is_not_sent_later(room, clock):
    limits = Limits(root_turns=3)
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
    assert any("INDEX turns_of_root" in plan for plan in plans)
    assert not any(plan.startswith("SCAN") for plan in plans)
