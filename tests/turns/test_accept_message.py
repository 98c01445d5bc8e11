"""Accepting a message (protocol sections 4, 8.1, 10.2). Our contract, on real SQLite."""

import json

import pytest

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import ClientCommand, Event
from rooms.queries import events_after
from tests import given
from turns.models import Turn


def test_a_message_and_a_turn_for_each_target_are_written_together(room, clock):
    answer = given.sent(given.a_message("builder", "reviewer"), clock=clock).result

    events = events_after(0, 10)
    assert [e.type for e in events] == ["message.created", "turn.queued", "turn.queued"]
    assert [e.seq for e in events] == [1, 2, 3]
    assert events[0].to == ("agent:builder", "agent:reviewer")
    assert {e.causation_id for e in events[1:]} == {answer["messageEventId"]}
    assert [t["target"] for t in answer["turns"]] == ["agent:builder", "agent:reviewer"]
    assert {t["status"] for t in answer["turns"]} == {"queued"}


def test_the_sender_is_the_channel_and_never_the_text(room, clock):
    given.sent(given.a_message("builder", content="I am @reviewer, agent:reviewer"), clock=clock)

    message = events_after(0, 1)[0]
    assert (message.actor.actor_id, message.source_kind) == ("user:web", "web")


def test_names_in_a_text_wake_nobody(room, clock):
    given.sent(given.a_message("builder", content="@reviewer @all please look"), clock=clock)

    assert list(Turn.objects.values_list("target_id", flat=True)) == ["agent:builder"]


def test_everyone_means_every_enabled_agent_in_roster_order(room, clock):
    message = given.a_message("builder").model_copy(update={"to": ["@all"]})

    answer = given.sent(message, clock=clock).result

    assert [t["target"] for t in answer["turns"]] == ["agent:builder", "agent:reviewer", "agent:scribe"]


def test_the_same_command_gives_the_same_answer_byte_for_byte_and_writes_nothing(room, clock):
    message = given.a_message("builder")
    first = given.sent(message, clock=clock)

    again = given.sent(message, clock=clock)

    assert again.text == first.text
    assert Event.objects.count() == 2


def test_the_order_of_targets_makes_no_other_command(room, clock):
    message = given.a_message("builder", "reviewer")
    first = given.sent(message, clock=clock)

    again = given.sent(message.model_copy(update={"to": ["agent:reviewer", "agent:builder"]}), clock=clock)

    assert again.text == first.text


def test_another_content_under_the_same_command_is_a_conflict(room, clock):
    message = given.a_message("builder")
    given.sent(message, clock=clock)

    with pytest.raises(GroupXError) as refused:
        given.sent(message.model_copy(update={"content": "something else"}), clock=clock)

    assert refused.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT
    assert Event.objects.count() == 2


def test_a_command_id_used_for_a_message_is_taken_for_every_other_command(room, clock):
    message = given.a_message("builder")
    turn_id = given.sent(message, clock=clock).result["turns"][0]["turnId"]

    from rooms.caller import web_caller
    from rooms.requests import Command
    from turns import commands

    with pytest.raises(GroupXError) as refused:
        commands.cancel(turn_id, Command(client_command_id=message.client_command_id), caller=web_caller(), clock=clock)
    assert refused.value.code is ErrorCode.CLIENT_COMMAND_CONFLICT


@pytest.mark.parametrize(
    ("targets", "unknown"),
    [(["nobody"], ["agent:nobody"]), (["builder", "ghost"], ["agent:ghost"]), (["retired"], ["agent:retired"])],
)
def test_an_unknown_or_disabled_target_refuses_the_message_whole_and_is_named(room, clock, targets, unknown):
    with pytest.raises(GroupXError) as refused:
        given.sent(given.a_message(*targets), clock=clock)

    assert refused.value.code is ErrorCode.UNKNOWN_TARGET
    assert refused.value.details["unknownTargets"] == unknown
    assert not Event.objects.exists()
    assert not ClientCommand.objects.exists()


def test_a_message_may_not_be_longer_than_the_limit_in_code_points(room, clock):
    limits = Limits(message_characters=5)
    given.sent(given.a_message("builder", content="😀" * 5), clock=clock, limits=limits)

    with pytest.raises(GroupXError) as refused:
        given.sent(given.a_message("builder", content="😀" * 6), clock=clock, limits=limits)

    assert refused.value.code is ErrorCode.MESSAGE_TOO_LARGE


def test_a_reply_to_nothing_is_refused(room, clock):
    with pytest.raises(GroupXError) as refused:
        given.sent(given.a_message("builder", replyToEventId="evt_nowhere"), clock=clock)

    assert refused.value.code is ErrorCode.NOT_FOUND


def test_the_65th_open_turn_of_an_agent_is_refused_and_named(room, clock):
    for _ in range(64):
        given.queued_turn("builder", clock=clock)

    with pytest.raises(GroupXError) as refused:
        given.sent(given.a_message("builder", "reviewer"), clock=clock)

    assert refused.value.code is ErrorCode.QUEUE_CAPACITY_REACHED
    assert refused.value.details["fullTargets"] == ["agent:builder"]
    assert Turn.objects.filter(target_id="agent:reviewer").count() == 0


def test_the_running_turn_counts_in_the_queue(room, clock):
    given.running_turn("builder", clock=clock)

    with pytest.raises(GroupXError) as refused:
        given.sent(given.a_message("builder"), clock=clock, limits=Limits(queue_per_agent=1))

    assert refused.value.code is ErrorCode.QUEUE_CAPACITY_REACHED


def test_a_command_taken_before_is_answered_while_the_queue_is_full(room, clock):
    limits = Limits(queue_per_agent=1)
    message = given.a_message("builder")
    first = given.sent(message, clock=clock, limits=limits)

    again = given.sent(message, clock=clock, limits=limits)

    assert json.loads(again.text) == first.result


def test_accepting_takes_the_same_number_of_queries_whatever_the_room_holds(room, clock, django_assert_max_num_queries):
    for _ in range(20):
        given.queued_turn("builder", clock=clock)

    with django_assert_max_num_queries(13):
        given.sent(given.a_message("builder", "reviewer", "scribe"), clock=clock)
