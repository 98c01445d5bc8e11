"""How full the context is (docs/context.md, "The gauge"). Our contract."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from hypothesis import HealthCheck, settings
from hypothesis import given as over
from hypothesis import strategies as st

from groupx.kernel.clock import iso
from groupx.kernel.errors import ErrorCode, GroupXError
from memory.actions.reset_context import reset_context
from memory.packet_text import BETWEEN_PARTS, PacketMessage, message_entry, section
from memory.queries.context_usage import context_usage
from rooms.caller import web_caller
from rooms.models import Event
from rooms.queries import last_seq
from rooms.transactions import durable
from tests import given

from .rooms_context import MAX_CHARACTERS, many, said, summarised, usage


def as_given() -> int:
    """How many characters of a packet all messages take, as a turn is given them that knows none."""
    messages = Event.objects.filter(type="message.created").order_by("seq")
    entries = [
        message_entry(
            PacketMessage(
                event_id=event.event_id,
                seq=event.seq,
                author=event.actor_id,
                source=event.source_kind,
                content=event.body["content"],
                to=tuple(event.to),
                reply_to=event.reply_to_event_id,
            )
        )
        for event in messages
    ]
    return len(section("room_delta_since_cursor", entries) + BETWEEN_PARTS) if entries else 0


def is_near_to_what_is_given(spare: int = 0) -> None:
    """To a few characters per message, and `spare` for lines that are parted by something rare."""
    shown = usage()
    assert abs(shown["estimatedCharacters"] - as_given()) <= 3 * shown["uncompactedMessageCount"] + spare


def test_an_empty_room_fills_nothing(room):
    assert usage() == {
        "roomId": "room:main",
        "throughSeq": 0,
        "estimatedCharacters": 0,
        "maxCharacters": 256_000,
        "compactionTriggerCharacters": 192_000,
        "utilizationPercent": 0.0,
        "uncompactedMessageCount": 0,
        "compactable": False,
    }


def test_a_message_counts_as_it_is_given_in_code_points_and_with_its_marks(room, clock):
    said("你好，世界 🙂\n\nsecond line", clock=clock)
    given.completed_turn("builder", clock=clock, text="a reply")

    is_near_to_what_is_given()
    assert usage()["uncompactedMessageCount"] == 3


class TakenBackError(Exception):
    pass


TEXT = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\x00"), min_size=1).filter(str.strip)


@over(TEXT)
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_text_counts_about_as_it_is_given_whatever_is_in_it(room, clock, content):
    before = usage()["estimatedCharacters"] - as_given()
    said(content, clock=clock)
    rare = 3 * (len(content.splitlines(keepends=True)) - len(content.split("\n")) + 1)
    assert abs(usage()["estimatedCharacters"] - as_given() - before) <= 6 + abs(rare)


def test_reasoning_tools_and_what_the_room_tells_of_turns_fill_nothing(room, clock):
    said("hello", clock=clock)
    before = usage()["estimatedCharacters"]
    given.cancelled(given.queued_turn("reviewer", clock=clock, content="hello"), clock=clock)
    given.remembered("x" * 5_000, clock=clock)

    assert usage()["uncompactedMessageCount"] == 2
    assert usage()["estimatedCharacters"] < 3 * before


def test_a_summary_stands_for_what_it_covers_and_says_since_when(room, clock):
    said(*many(20), clock=clock)
    whole = usage()["estimatedCharacters"]
    covered = Event.objects.filter(type="message.created").order_by("seq")[7].seq
    summary = summarised("short", clock=clock, through_seq=covered)

    shown = usage()

    assert (shown["summaryThroughSeq"], shown["summaryCreatedAt"]) == (covered, iso(summary.created_at))
    assert shown["uncompactedMessageCount"] == 12
    assert not shown["compactable"]
    assert shown["estimatedCharacters"] < whole


def test_more_than_the_newest_twelve_messages_can_be_summed_up(room, clock):
    said(*many(12), clock=clock)
    assert not usage()["compactable"]
    said("one more", clock=clock)
    assert usage()["compactable"]


def test_a_few_long_messages_can_be_summed_up_when_they_are_too_much_for_a_turn(room, clock):
    said("x" * 3_000, clock=clock)
    assert context_usage(2_000)["compactable"]
    assert not usage()["compactable"]


def test_it_is_a_part_of_the_limit_and_may_be_more_than_all_of_it(room, clock):
    said("x" * 3_000, clock=clock)
    shown = context_usage(2_000)
    assert shown["compactionTriggerCharacters"] == 1_500
    assert shown["utilizationPercent"] == round(shown["estimatedCharacters"] / 20, 1) > 150


def test_another_room_is_not_found(room):
    with pytest.raises(GroupXError) as refused:
        context_usage(MAX_CHARACTERS, "room:other")
    assert refused.value.code is ErrorCode.NOT_FOUND


def test_what_was_counted_once_is_not_read_again(live_room, clock):
    said(*many(30), clock=clock)
    usage()
    begin = last_seq()
    said("the newest", clock=clock)

    with CaptureQueriesContext(connection) as queries:
        shown = usage()

    [counted] = [query["sql"] for query in queries.captured_queries if "SUM(" in query["sql"]]
    assert f'"seq" > {begin}' in counted
    assert shown["uncompactedMessageCount"] == 31
    is_near_to_what_is_given()


def test_what_a_transaction_takes_back_is_not_counted(live_room, clock):
    said("stays", clock=clock)
    before = usage()

    @durable
    def taken_back() -> None:
        reset_context(caller=web_caller(), max_characters=MAX_CHARACTERS, clock=clock)
        raise TakenBackError

    with pytest.raises(TakenBackError):
        taken_back()
    assert usage() == before

    said("and more", clock=clock)
    assert usage()["uncompactedMessageCount"] == 2
    is_near_to_what_is_given()
