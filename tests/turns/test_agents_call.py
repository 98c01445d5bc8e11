"""What agents send, ask and publish out of their turns (protocol sections 4, 6.1, 6.2, 8). Our contract, on SQLite."""

import pytest
from django.db import IntegrityError, transaction

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.actions.bind_session import unbind_session
from rooms.models import Event
from tests import given
from tests import given_calls as calls
from turns.models import Turn
from turns.queries.members import member_of
from turns.state import TurnStatus


def message(receipt) -> Event:
    return Event.objects.get(event_id=receipt.result["messageEventId"])


def turn_of(receipt) -> Turn:
    return Turn.objects.get(turn_id=receipt.result["turns"][0]["turnId"])


# ---------------------------------------------------------------- the message and its turns
def test_a_message_of_an_agent_belongs_to_the_chain_of_its_turn(room, clock):
    builder = calls.member("builder", clock=clock)

    sent = calls.sent(builder, "reviewer", clock=clock)

    said, turn = message(sent), turn_of(sent)
    assert (said.actor_id, said.instance_id) == ("agent:builder", builder.caller.actor.instance_id)
    assert (said.source_kind, said.to) == ("mcp", ["agent:reviewer"])
    assert said.correlation_id == said.root_correlation_id == builder.turn.root_correlation_id
    assert said.causation_id == builder.turn.turn_id
    assert (turn.parent_turn_id, turn.hop_count) == (builder.turn.turn_id, 1)
    assert (turn.root_correlation_id, turn.command_type) == (builder.turn.root_correlation_id, "mcp.send")


def test_it_answers_what_its_turn_answers_unless_it_names_another_message(room, clock):
    other = given.sent(given.a_message("scribe"), clock=clock).result["messageEventId"]
    builder = calls.member("builder", clock=clock)

    assert message(calls.sent(builder, "reviewer", clock=clock)).reply_to_event_id == builder.turn.source_event_id
    named = calls.sent(builder, "reviewer", replyToEventId=other, clock=clock)
    assert message(named).reply_to_event_id == other


def test_everyone_of_an_agent_are_the_others(room, clock):
    builder = calls.member("builder", clock=clock)

    request = calls.a_call() | {"to": ["@all"]}
    sent = calls.sent(builder, clock=clock, **request)

    assert [turn["target"] for turn in sent.result["turns"]] == ["agent:reviewer", "agent:scribe"]


def test_an_agent_may_send_to_itself_and_waits_behind_its_own_turn(room, clock):
    builder = calls.member("builder", clock=clock)

    [queued] = calls.sent(builder, "builder", clock=clock).result["turns"]

    assert (queued["queuePosition"], queued["activeTurnId"]) == (1, builder.turn.turn_id)


def test_the_receipt_tells_how_the_queue_stands(room, clock):
    builder = calls.member("builder", clock=clock)
    working = given.running_turn("reviewer", clock=clock)
    given.queued_turn("reviewer", clock=clock)

    busy, idle = calls.sent(builder, "reviewer", "scribe", clock=clock).result["turns"]

    assert (busy["queuePosition"], busy["activeTurnId"]) == (2, working.turn_id)
    assert idle["queuePosition"] == 0 and "activeTurnId" not in idle


def test_a_forwarded_message_keeps_its_author_and_the_forwarder_is_the_actor(room, clock):
    original = given.sent(given.a_message("builder"), clock=clock).result["messageEventId"]
    builder = calls.next_turn("builder", clock=clock)

    said = message(calls.sent(builder, "reviewer", forwardedEventId=original, clock=clock))

    assert (said.forwarded_event_id, said.actor_id) == (original, "agent:builder")
    assert Event.objects.get(event_id=original).actor_id == "user:web"


@pytest.mark.parametrize("field", ["replyToEventId", "forwardedEventId"])
def test_a_message_that_is_not_there_can_be_neither_answered_nor_forwarded(room, clock, field):
    builder = calls.member("builder", clock=clock)

    with pytest.raises(GroupXError) as refused:
        calls.sent(builder, "reviewer", clock=clock, **{field: "evt_unknown"})

    assert refused.value.code is ErrorCode.NOT_FOUND
    assert refused.value.details["issues"][0]["path"] == field


def test_only_what_was_said_can_be_forwarded(room, clock):
    builder = calls.member("builder", clock=clock)
    queued = Event.objects.get(type="turn.queued")

    with pytest.raises(GroupXError) as refused:
        calls.sent(builder, "reviewer", forwardedEventId=queued.event_id, clock=clock)

    assert refused.value.code is ErrorCode.NOT_FOUND


def test_what_is_published_wakes_nobody(room, clock):
    builder = calls.member("builder", clock=clock)

    said = message(calls.published(builder, content="half done", clock=clock))

    assert (said.to, said.reply_to_event_id) == ([], builder.turn.source_event_id)
    assert said.root_correlation_id == builder.turn.root_correlation_id
    assert Turn.objects.count() == 1


def test_the_same_command_of_one_session_is_one_message_also_when_its_turn_has_ended(room, clock):
    builder = calls.member("builder", clock=clock)
    call = calls.a_call("reviewer")
    first = calls.sent(builder, clock=clock, **call)
    calls.ended(builder, clock=clock)

    assert calls.sent(builder, clock=clock, **call).text == first.text
    assert Event.objects.filter(source_kind="mcp").count() == 1


# ---------------------------------------------------------------- in a turn or not
@pytest.mark.parametrize("ended", [status for status in TurnStatus if status.is_terminal])
def test_a_turn_that_has_ended_since_it_was_looked_up_says_nothing_more(room, clock, ended):
    builder = calls.member("builder", clock=clock)
    calls.ended(builder, status=ended, clock=clock)
    before = Event.objects.count()

    for call in (calls.sent, calls.asked):
        with pytest.raises(GroupXError) as refused:
            call(builder, "reviewer", clock=clock)
        assert refused.value.code is ErrorCode.SESSION_NOT_AVAILABLE
    with pytest.raises(GroupXError) as refused:
        calls.published(builder, clock=clock)
    assert refused.value.code is ErrorCode.SESSION_NOT_AVAILABLE
    assert Event.objects.count() == before


def test_a_turn_that_is_being_cancelled_starts_nothing(room, clock):
    builder = calls.member("builder", clock=clock)
    given.cancelled(builder.turn.turn_id, clock=clock)

    with pytest.raises(GroupXError, match="being cancelled"):
        calls.sent(builder, "reviewer", clock=clock)


def test_a_session_speaks_for_its_agent_only_while_its_turn_runs(room, clock):
    claimed = given.claimed_turn("builder", clock=clock)
    session = given.a_session("builder", clock=clock)
    handle = given.last_handle()

    def refusal() -> str:
        with pytest.raises(GroupXError) as refused:
            member_of(handle)
        return refused.value.code

    assert refusal() == ErrorCode.SESSION_NOT_AVAILABLE  # before its prompt
    given.invoke_prompt(claimed, session, clock=clock)
    member = member_of(handle)
    assert (member.caller.actor.actor_id, member.caller.binding_id) == ("agent:builder", session.binding_id)
    assert member.turn.turn_id == claimed.turn_id
    given.cancelled(claimed.turn_id, clock=clock)
    assert refusal() == ErrorCode.SESSION_NOT_AVAILABLE  # while it is cancelled
    calls.ended(member, status=TurnStatus.CANCELLED, clock=clock)
    assert refusal() == ErrorCode.SESSION_NOT_AVAILABLE  # after it
    unbind_session(given.agent("builder"), session, exit_code=0, reason=None, clock=clock)
    assert refusal() == ErrorCode.MCP_BINDING_MISMATCH


def test_a_former_session_does_not_speak_for_a_turn_of_a_later_one(room, clock):
    given.a_session("builder", clock=clock)
    former = given.last_handle()
    given.running_turn("builder", clock=clock)

    with pytest.raises(GroupXError) as refused:
        member_of(former)

    assert refused.value.code in (ErrorCode.SESSION_NOT_AVAILABLE, ErrorCode.MCP_BINDING_MISMATCH)


# ---------------------------------------------------------------- chains
def test_a_child_is_one_hop_further_in_the_same_root(room, clock):
    builder = calls.member("builder", clock=clock)
    reviewer = calls.child_turn(builder, "reviewer", clock=clock)
    scribe = calls.child_turn(reviewer, "scribe", command="ask", clock=clock)

    assert [m.turn.hop_count for m in (builder, reviewer, scribe)] == [0, 1, 2]
    assert len({m.turn.root_correlation_id for m in (builder, reviewer, scribe)}) == 1


def test_an_ask_to_who_waits_is_refused_and_a_send_to_it_is_not(room, clock):
    builder = calls.member("builder", clock=clock)
    reviewer = calls.child_turn(builder, "reviewer", command="ask", clock=clock)

    with pytest.raises(GroupXError) as refused:
        calls.asked(reviewer, "builder", clock=clock)

    assert refused.value.code is ErrorCode.CAUSAL_CYCLE
    assert not Event.objects.filter(type="routing.loop_stopped").exists()
    assert turn_of(calls.sent(reviewer, "builder", clock=clock)).hop_count == 2


def test_nobody_waits_for_another_try_of_what_it_asked(room, clock):
    builder = calls.member("builder", clock=clock)
    failed = calls.child_turn(builder, "reviewer", command="ask", clock=clock)
    calls.ended(failed, status=TurnStatus.FAILED, clock=clock)
    given.retried(failed.turn.turn_id, clock=clock)
    again = calls.next_turn("reviewer", clock=clock)

    assert again.turn.hop_count == failed.turn.hop_count
    assert turn_of(calls.asked(again, "builder", clock=clock)).hop_count == 2


def test_a_chain_that_is_damaged_in_the_database_starts_nothing(room, clock):
    builder = calls.member("builder", clock=clock)
    reviewer = calls.child_turn(builder, "reviewer", clock=clock)
    Turn.objects.filter(turn_id=builder.turn.turn_id).update(root_correlation_id="corr_other")

    with pytest.raises(GroupXError) as refused:
        calls.sent(reviewer, "scribe", clock=clock)

    assert refused.value.code is ErrorCode.STORE_CONFLICT


@pytest.mark.parametrize("changes", [{"hop_count": 1}, {"hop_count": -1}])
def test_the_database_takes_hops_only_below_a_parent(room, clock, changes):
    given.queued_turn("builder", clock=clock)

    with pytest.raises(IntegrityError, match="turn_hops_fit_its_parent"), transaction.atomic():
        Turn.objects.update(**changes)


def test_a_child_without_a_hop_is_refused_by_the_database(room, clock):
    builder = calls.member("builder", clock=clock)
    child = calls.child_turn(builder, "reviewer", clock=clock)

    with pytest.raises(IntegrityError, match="turn_hops_fit_its_parent"), transaction.atomic():
        Turn.objects.filter(turn_id=child.turn.turn_id).update(hop_count=0)


# ---------------------------------------------------------------- queues
def test_agents_leave_the_last_places_of_a_queue_to_people(room, clock):
    limits = Limits(queue_per_agent=8)
    builder = calls.member("builder", clock=clock)
    for _ in range(7):
        calls.sent(builder, "reviewer", limits=limits, clock=clock)

    with pytest.raises(GroupXError) as refused:
        calls.sent(builder, "reviewer", limits=limits, clock=clock)
    given.sent(given.a_message("reviewer"), limits=limits, clock=clock)

    assert refused.value.code is ErrorCode.QUEUE_CAPACITY_REACHED
    assert refused.value.details["fullTargets"] == ["agent:reviewer"]


def test_a_full_queue_is_told_in_the_room_once_for_each_turn_that_meets_it(room, clock):
    limits = Limits(queue_per_agent=1)
    builder = calls.member("builder", clock=clock)
    given.queued_turn("reviewer", clock=clock)

    for _ in range(3):
        with pytest.raises(GroupXError):
            calls.sent(builder, "reviewer", limits=limits, clock=clock)

    [told] = Event.objects.filter(type="routing.loop_stopped")
    assert told.root_correlation_id == builder.turn.root_correlation_id
    assert told.body["errorCode"] == "QUEUE_CAPACITY_REACHED" and told.body["limit"] == "queuePerAgent"
    assert (told.body["actorId"], told.body["targets"]) == ("agent:builder", ["agent:reviewer"])
    assert "excerpt" not in told.body
