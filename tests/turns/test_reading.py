"""What `read` gives of a long log (docs/mcp.md, "read"). Our contract; who may read is shown in tests/agents_talk."""

from datetime import timedelta

import pytest
from django.db import transaction

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.bodies import MessageCreated, ToolProgressRecorded, TurnReasoningRecorded
from rooms.queries import last_seq
from tests import given
from tests.rooms.log_events import append, messages
from turns.actions.pause_lane import pause_lane
from turns.member import CallersTurn
from turns.member_requests import ReadRequest
from turns.pauses import LanePause
from turns.queries.reading import PAGE_CHARS, TEXT_CHARS, USUALLY_READ, read_room
from turns.queries.resting import resting_agents
from turns.state import CommandType, PauseKind

TURN = CallersTurn(
    turn_id="turn_1",
    source_event_id="evt_1",
    correlation_id="corr_2",
    root_correlation_id="corr_2",
    hop_count=0,
    command_type=CommandType.MESSAGE,
)


def read(**asked):
    return read_room(ReadRequest(**asked), TURN)


def contents(answer):
    return [event["body"]["content"] for event in answer["events"]]


def test_without_a_seq_the_newest_events_are_read_oldest_first(room, clock):
    append(*messages(USUALLY_READ + 3), clock=clock)

    found = read()

    assert contents(found) == [f"hello {number}" for number in range(3, USUALLY_READ + 3)]
    assert (found["hasMore"], found["nextAfterSeq"]) == (False, last_seq())


def test_what_follows_a_seq_is_read_in_pages_to_the_end(room, clock):
    append(*messages(5), clock=clock)

    first = read(after_seq=0, limit=3)
    rest = read(after_seq=first["nextAfterSeq"], limit=3)

    assert contents(first) + contents(rest) == [f"hello {number}" for number in range(5)]
    assert (first["hasMore"], rest["hasMore"]) == (True, False)
    assert read(after_seq=rest["nextAfterSeq"])["events"] == []


def test_more_than_is_fetched_at_once_is_read_without_a_gap(room, clock):
    append(*messages(180), clock=clock)

    assert contents(read(after_seq=0, limit=200)) == [f"hello {number}" for number in range(180)]
    assert contents(read(limit=120)) == [f"hello {number}" for number in range(60, 180)]


def test_thoughts_and_tool_records_are_passed_over(room, clock):
    hidden = [
        TurnReasoningRecorded(turn_id="t", content="hm", terminal_status="completed"),
        ToolProgressRecorded(
            turn_id="t", native_type="tool.started", tool_call_id="1", name="x", status="ok", details={}
        ),
    ]
    seq = append(*messages(1), *hidden, *hidden, clock=clock)

    found = read(after_seq=0)
    assert contents(found) == ["hello 0"]
    assert found["nextAfterSeq"] == seq


def test_a_long_text_is_cut_among_others_and_given_at_length_alone(room, clock):
    seq = append(MessageCreated(content="x" * 70_000), clock=clock)

    cut = read()["events"][-1]["body"]
    alone = read(after_seq=seq - 1, limit=1)["events"][0]["body"]

    assert cut == {"content": "x" * TEXT_CHARS, "truncated": True, "fullLength": 70_000}
    assert alone == {"content": "x" * PAGE_CHARS, "truncated": True, "fullLength": 70_000}


def test_an_answer_that_would_be_too_long_ends_early_and_loses_nothing(room, clock):
    append(*(MessageCreated(content=f"{number} " + "x" * 7_000) for number in range(20)), clock=clock)

    seen, after_seq, has_more = [], 0, True
    while has_more:
        page = read(after_seq=after_seq, limit=200)
        assert sum(len(content) for content in contents(page)) <= PAGE_CHARS
        seen += [content.split()[0] for content in contents(page)]
        after_seq, has_more = page["nextAfterSeq"], page["hasMore"]

    assert seen == [str(number) for number in range(20)]
    assert [content.split()[0] for content in contents(read())] == [str(number) for number in range(12, 20)]


def test_one_correlation_is_read_with_the_states_of_its_turns(room, clock):
    append(*messages(1), clock=clock)
    first = given.running_turn("builder", clock=clock)
    answer = given.sent(given.a_message("builder", "reviewer"), clock=clock).result

    found = read(correlation_id=answer["correlationId"])

    assert {event["correlationId"] for event in found["events"]} == {answer["correlationId"]}
    assert [(turn["target"], turn["status"], turn["queuePosition"]) for turn in found["turns"]] == [
        ("agent:builder", "queued", 1),
        ("agent:reviewer", "queued", 0),
    ]
    assert first.turn_id not in {turn["turnId"] for turn in found["turns"]}


def test_a_correlation_that_is_not_there_is_not_an_empty_one(room):
    with pytest.raises(GroupXError) as refused:
        read(correlation_id="corr_none")

    assert refused.value.code is ErrorCode.NOT_FOUND


def test_of_agents_that_take_up_nothing_it_is_said_why(room, clock):
    given.a_lane("builder", clock=clock)
    given.a_lane("scribe", clock=clock)
    until = clock.now() + timedelta(minutes=5)
    transaction.atomic()(pause_lane)(
        "agent:scribe", "lane", LanePause(kind=PauseKind.RATE_LIMIT, until=until, words="Slow down."), clock=clock
    )

    said = resting_agents(["agent:builder", "agent:reviewer", "agent:scribe"])

    assert said["agent:reviewer"] == "agent:reviewer takes up nothing now: stopped. Its turn waits."
    assert "agent:builder" not in said
    assert said["agent:scribe"] == (
        "agent:scribe takes up nothing now: Slow down. It goes on at 2026-11-30T10:46:03.000Z. Its turn waits."
    )


def test_beyond_the_end_of_the_log_one_is_sent_back_to_its_end_and_misses_nothing(room, clock):
    append(*messages(2), clock=clock)

    beyond = read(after_seq=10**9)
    append(*messages(1), clock=clock)

    assert (beyond["events"], beyond["hasMore"]) == ([], False)
    assert len(read(after_seq=beyond["nextAfterSeq"])["events"]) == 1
