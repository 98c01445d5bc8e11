"""Claim, deliver, finish, cancel, retry: one terminal per turn, whatever comes in which order."""

import pytest
from django.db import IntegrityError

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.caller import web_caller
from rooms.models import Event
from rooms.queries import events_after
from rooms.requests import Command
from tests import given
from turns.actions.claim_turn import claim_turn
from turns.actions.deliver_turn import mark_started
from turns.actions.recover_turns import recover_turns, take_lane
from turns.actions.release_turn import release_turn
from turns.commands import restart, retry
from turns.models import DeliveryCursor, Lane, Turn, TurnAttempt
from turns.recording import ToolRecord
from turns.settlement import TurnOutcome
from turns.state import DeliveryCertainty, DispatchPhase, TurnStatus


def types_of(turn_id: str) -> list[str]:
    return [e.type for e in events_after(0, 500) if e.body.get("turnId") == turn_id]


def a_retry(turn_id, clock):
    command = Command(client_command_id=given.command_id())
    return retry(turn_id, command, caller=web_caller(), limits=Limits(), clock=clock).result


def test_a_lane_takes_its_turns_in_the_order_of_acceptance(room, clock):
    first, second = given.queued_turn("builder", clock=clock), given.queued_turn("builder", clock=clock)
    given.a_lane("builder", clock=clock)

    claimed = claim_turn("agent:builder", "lane", clock=clock)

    assert claimed.turn_id == first
    assert Turn.objects.get(turn_id=second).status == "queued"


def test_a_lane_with_a_running_turn_cannot_take_a_second(room, clock):
    given.running_turn("builder", clock=clock)
    given.queued_turn("builder", clock=clock)

    with pytest.raises(IntegrityError, match="target_id"):
        claim_turn("agent:builder", "lane", clock=clock)


def test_lanes_of_different_agents_run_at_once(room, clock):
    given.running_turn("builder", clock=clock)
    given.running_turn("reviewer", clock=clock)

    assert Turn.objects.filter(status="running").count() == 2


def test_the_prompt_is_on_record_as_perhaps_sent_before_it_is_sent(room, clock):
    claimed = given.claimed_turn("builder", clock=clock)

    given.invoke_prompt(claimed, given.a_session("builder", clock=clock), clock=clock)

    attempt = TurnAttempt.objects.get(attempt_id=claimed.attempt_id)
    assert (attempt.dispatch_phase, attempt.delivery_certainty) == ("prompt_invoked", "unknown")
    assert attempt.packet.text == "the packet"


def test_a_cancel_before_delivery_forbids_sending(room, clock):
    claimed = given.claimed_turn("builder", clock=clock)
    given.cancelled(claimed.turn_id, clock=clock)

    with pytest.raises(GroupXError) as refused:
        given.invoke_prompt(claimed, given.a_session("builder", clock=clock), clock=clock)

    assert refused.value.code is ErrorCode.STORE_CONFLICT


def test_the_delivery_cursor_moves_at_the_native_start_and_never_back(room, clock):
    claimed = given.running_turn("builder", clock=clock)
    cursor = DeliveryCursor.objects.get(actor_id="agent:builder")
    assert cursor.last_delivered_seq == claimed.context_through_seq

    given.finished(claimed, "builder", TurnOutcome(status=TurnStatus.FAILED), clock=clock)
    given.running_turn("builder", clock=clock)
    assert DeliveryCursor.objects.get(actor_id="agent:builder").last_delivered_seq > claimed.context_through_seq


def test_an_attempt_that_never_started_moves_no_cursor(room, clock):
    claimed = given.claimed_turn("builder", clock=clock)
    given.invoke_prompt(claimed, given.a_session("builder", clock=clock), clock=clock)

    given.finished(claimed, "builder", TurnOutcome(status=TurnStatus.FAILED), clock=clock)

    assert not DeliveryCursor.objects.exists()


def test_a_completed_turn_writes_reasoning_tools_answer_and_end_in_that_order(room, clock):
    claimed = given.running_turn("builder", clock=clock)
    tools = [
        ToolRecord(native_type=f"tool.{end}", tool_call_id="1", name="read", status=end, details={})
        for end in ("started", "completed")
    ]

    given.finished(
        claimed,
        "builder",
        TurnOutcome(status=TurnStatus.COMPLETED, text="done", reasoning="hm", tools=tools),
        clock=clock,
    )

    assert types_of(claimed.turn_id) == [
        "turn.queued", "turn.dispatched", "turn.started", "turn.reasoning.recorded",
        "tool.progress.recorded", "tool.progress.recorded", "message.created", "turn.completed",
    ]  # fmt: skip
    answer = next(e for e in events_after(0, 50) if e.body.get("content") == "done")
    assert (answer.to, answer.reply_to_event_id) == ((), claimed.source_event_id)


@pytest.mark.parametrize("status", [TurnStatus.FAILED, TurnStatus.CANCELLED, TurnStatus.INTERRUPTED])
def test_only_a_completed_turn_has_an_answer_and_every_other_keeps_its_text(room, clock, status):
    given.ended_turn("builder", status, clock=clock, text="half a sen")

    assert not Event.objects.filter(type="message.created", actor_id="agent:builder").exists()
    assert Event.objects.get(type=f"turn.{status}").body["partialText"] == "half a sen"


def test_a_second_end_changes_nothing_and_tells_the_first(room, clock):
    claimed = given.completed_turn("builder", clock=clock)
    before = Event.objects.count()

    second = given.finished(claimed, "builder", TurnOutcome(status=TurnStatus.FAILED), clock=clock)

    assert second is TurnStatus.COMPLETED
    assert Event.objects.count() == before


def test_a_waiting_turn_is_cancelled_at_once(room, clock):
    turn_id = given.queued_turn("builder", clock=clock)

    answer = given.cancelled(turn_id, clock=clock)

    assert answer == {"turnId": turn_id, "accepted": True, "status": "cancelled"}
    assert types_of(turn_id) == ["turn.queued", "turn.cancelled"]


def test_a_running_turn_is_cancelling_until_its_lane_ends_it(room, clock):
    claimed = given.running_turn("builder", clock=clock)

    assert given.cancelled(claimed.turn_id, clock=clock)["status"] == "cancelling"
    assert given.cancelled(claimed.turn_id, clock=clock)["accepted"] is True
    assert types_of(claimed.turn_id)[-1] == "turn.started"


def test_a_completion_that_wins_against_a_cancel_stays_completed(room, clock):
    claimed = given.running_turn("builder", clock=clock)
    given.cancelled(claimed.turn_id, clock=clock)

    status = given.finished(claimed, "builder", TurnOutcome(status=TurnStatus.COMPLETED, text="done"), clock=clock)

    assert status is TurnStatus.COMPLETED
    assert given.cancelled(claimed.turn_id, clock=clock) == {
        "turnId": claimed.turn_id,
        "accepted": False,
        "status": "completed",
    }


def test_an_unknown_turn_cannot_be_cancelled(room, clock):
    with pytest.raises(GroupXError) as refused:
        given.cancelled("turn_nowhere", clock=clock)
    assert refused.value.code is ErrorCode.NOT_FOUND


def test_a_retry_is_a_new_turn_caused_by_the_old_one(room, clock):
    old = given.ended_turn("builder", TurnStatus.FAILED, clock=clock)

    answer = a_retry(old.turn_id, clock)

    queued = next(e for e in events_after(0, 50) if e.body.get("turnId") == answer["turnId"])
    assert (queued.type, queued.causation_id) == ("turn.queued", old.turn_id)
    assert Turn.objects.get(turn_id=old.turn_id).status == "failed"


def test_a_second_retry_of_the_same_turn_is_a_duplicate(room, clock):
    old = given.ended_turn("builder", TurnStatus.INTERRUPTED, clock=clock)
    a_retry(old.turn_id, clock)

    with pytest.raises(GroupXError) as refused:
        a_retry(old.turn_id, clock)
    assert refused.value.code is ErrorCode.DUPLICATE_DISPATCH


def test_a_completed_or_open_turn_is_not_retried(room, clock):
    for turn_id in (given.completed_turn("builder", clock=clock).turn_id, given.queued_turn("reviewer", clock=clock)):
        with pytest.raises(GroupXError) as refused:
            a_retry(turn_id, clock)
        assert refused.value.code is ErrorCode.STORE_CONFLICT


def test_a_worker_that_was_replaced_writes_nothing_any_more(room, clock):
    claimed = given.running_turn("builder", clock=clock, token="old")
    take_lane("agent:builder", "new", 2, clock=clock)

    with pytest.raises(GroupXError) as refused:
        given.finished(claimed, "builder", TurnOutcome(status=TurnStatus.COMPLETED), token="old", clock=clock)

    assert refused.value.code is ErrorCode.STORE_CONFLICT
    assert Turn.objects.get(turn_id=claimed.turn_id).status == "running"


def test_a_restart_is_asked_for_by_a_number_that_rises(room, clock):
    given.a_lane("builder", clock=clock)
    command = Command(client_command_id=given.command_id())

    assert restart("agent:builder", command, caller=web_caller(), clock=clock).result["accepted"] is True
    restart("agent:builder", command, caller=web_caller(), clock=clock)

    assert Lane.objects.get(actor_id="agent:builder").restart_generation == 1


def test_recovery_sends_an_unsent_turn_again_under_a_new_attempt(room, clock):
    claimed = given.claimed_turn("builder", clock=clock, token="old")
    take_lane("agent:builder", "new", 2, clock=clock)

    recover_turns(given.agent("builder"), clock=clock)
    again = claim_turn("agent:builder", "new", clock=clock)

    assert (again.turn_id, again.attempt_id != claimed.attempt_id) == (claimed.turn_id, True)


def test_recovery_keeps_what_is_known_of_the_delivery(room, clock):
    claimed = given.running_turn("builder", clock=clock, token="old")
    take_lane("agent:builder", "new", 2, clock=clock)

    recover_turns(given.agent("builder"), clock=clock)

    attempt = TurnAttempt.objects.get(attempt_id=claimed.attempt_id)
    assert attempt.delivery_certainty == DeliveryCertainty.DELIVERED
    assert attempt.dispatch_phase == DispatchPhase.TERMINAL
    assert Event.objects.get(type="turn.interrupted").body["errorCode"] == "TURN_INTERRUPTED"


def test_starting_late_twice_is_refused(room, clock):
    claimed = given.running_turn("builder", clock=clock)
    with pytest.raises(GroupXError):
        mark_started(claimed.attempt_id, "lane", given.agent("builder"), native_turn_id=None, clock=clock)


def test_a_turn_whose_prompt_may_have_been_sent_never_goes_back_to_its_queue(room, clock):
    claimed = given.claimed_turn("builder", clock=clock)
    given.invoke_prompt(claimed, given.a_session("builder", clock=clock), clock=clock)
    with pytest.raises(GroupXError) as refused:
        release_turn(claimed.attempt_id, "lane", clock=clock)
    assert refused.value.code is ErrorCode.STORE_CONFLICT
