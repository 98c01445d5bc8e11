"""Live turns: order, numbering, latecomers and the end. Source: docs/protocol.md, "Events". Our contract."""

import json
from datetime import UTC, datetime

import pytest

from rooms.envelope import SHOWN_CHARS, ActorRef, Envelope
from rooms.live import LiveTurns
from rooms.live_turn import DeltaKind, LiveTurn, Spoken
from rooms.ring import Ring
from rooms.vocabulary import EventType, SourceKind
from tests.fakes.clock import FakeClock

AGENT = ActorRef(actor_id="agent:builder", display_name='Bu"ilder', instance_id="inst_1")
LANE_TIME = datetime(2026, 11, 30, 10, 39, 28, tzinfo=UTC)
TURN = LiveTurn(turn_id="turn_1", actor=AGENT, correlation_id="corr_1", root_correlation_id="corr_root")


@pytest.fixture
def ring() -> Ring:
    return Ring(max_entries=512, max_bytes=2_000_000)


@pytest.fixture
def live(ring: Ring) -> LiveTurns:
    return LiveTurns(ring, FakeClock())


def envelopes(frames: list[bytes]) -> list[dict]:
    for frame in frames:
        assert frame.startswith(b"data: ") and frame.endswith(b"\n\n") and frame.count(b"\n") == 2
    return [json.loads(frame[6:]) for frame in frames]


def told(ring: Ring) -> list[dict]:
    return envelopes([ring[index].frame for index in range(ring.first, ring.next)])


def said(events: list[dict]) -> list[tuple]:
    return [(e["body"]["chunkIndex"], e["body"]["text"], e["body"].get("replace", False)) for e in events]


def a_tool(live: LiveTurns, call: str, phase: str) -> None:
    body = {"turnId": "turn_1", "toolCallId": call, "nativeType": phase}
    live.transient(EventType.TOOL_PROGRESS, body, AGENT, "corr_1", LANE_TIME, "turn_1")


def test_a_delta_is_the_whole_envelope_that_the_slow_way_would_build(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    live.delta("turn_1", DeltaKind.REASONING, 4, 'a "quote", a \n line and \U0001f600')

    (event,) = told(ring)
    expected = Envelope(
        event_id=event["eventId"],
        seq=None,
        type=EventType.TURN_REASONING_DELTA.value,
        actor=AGENT,
        correlation_id="corr_1",
        root_correlation_id="corr_root",
        occurred_at=FakeClock().now(),
        body={"turnId": "turn_1", "chunkIndex": 4, "text": 'a "quote", a \n line and \U0001f600'},
        source_kind=SourceKind.ADAPTER,
    )
    assert event == expected.wire()
    assert ring[0].seq is None


def test_every_delta_has_an_id_of_its_own(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    for index in range(3):
        live.delta("turn_1", DeltaKind.CONTENT, index, "x")
    assert len({event["eventId"] for event in told(ring)}) == 3


def test_another_live_event_keeps_its_place_among_the_deltas(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    live.delta("turn_1", DeltaKind.CONTENT, 0, "before")
    a_tool(live, "c", "tool.started")
    live.delta("turn_1", DeltaKind.CONTENT, 1, "after")

    events = told(ring)
    assert [event["type"] for event in events] == ["turn.content.delta", "tool.progress", "turn.content.delta"]
    assert events[1]["rootCorrelationId"] == "corr_root"
    assert (events[1]["seq"], events[1]["durability"]) == (None, "transient")


def test_nothing_of_a_turn_is_told_after_its_end(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    live.delta("turn_1", DeltaKind.CONTENT, 0, "text")
    live.end("turn_1")

    live.delta("turn_1", DeltaKind.CONTENT, 1, "late")
    a_tool(live, "c", "tool.started")
    live.begin(TURN, Spoken(text="text, late", next_chunk=2))

    assert said(told(ring)) == [(0, "text", False)]
    assert live.so_far() == []


def test_a_latecomer_gets_the_text_so_far_as_one_delta_that_replaces(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    live.delta("turn_1", DeltaKind.REASONING, 0, "hm")
    live.delta("turn_1", DeltaKind.CONTENT, 0, "one ")
    live.delta("turn_1", DeltaKind.CONTENT, 1, "two")

    events = envelopes(live.so_far())
    assert [event["type"] for event in events] == ["turn.reasoning.delta", "turn.content.delta"]
    assert said(events) == [(0, "hm", True), (1, "one two", True)]


def test_a_turn_that_has_said_nothing_tells_a_latecomer_nothing(live: LiveTurns):
    live.begin(TURN)
    assert live.so_far() == []


def test_a_reader_that_fell_behind_gets_what_it_missed_as_one_delta(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    for index, text in enumerate("abcde"):
        live.delta("turn_1", DeltaKind.CONTENT, index, text)

    assert said(envelopes(live.missed_since(2))) == [(4, "cde", False)]
    assert live.missed_since(ring.next) == []


def test_a_reconnected_lane_tells_only_what_is_missing(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    live.delta("turn_1", DeltaKind.CONTENT, 0, "one ")

    live.begin(TURN, Spoken(text="one two", next_chunk=3))
    live.begin(TURN, Spoken(text="one two", next_chunk=3))
    live.delta("turn_1", DeltaKind.CONTENT, 3, " three")

    assert said(told(ring)) == [(0, "one ", False), (2, "two", False), (3, " three", False)]
    assert said(envelopes(live.so_far())) == [(3, "one two three", True)]


def test_a_server_that_came_back_tells_a_running_turn_whole(ring: Ring, live: LiveTurns):
    live.begin(TURN, Spoken(text="all of it", next_chunk=9))
    live.delta("turn_1", DeltaKind.CONTENT, 9, "!")

    assert said(told(ring)) == [(8, "all of it", True), (9, "!", False)]


def test_of_a_long_text_the_beginning_is_told_and_then_its_length(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    live.delta("turn_1", DeltaKind.CONTENT, 0, "x" * SHOWN_CHARS)
    live.delta("turn_1", DeltaKind.CONTENT, 1, "", 1_000_000)
    live.begin(TURN, Spoken(text="x" * SHOWN_CHARS, length=2_000_000, next_chunk=3))

    assert [event["body"].get("fullLength") for event in told(ring)] == [None, 1_000_000, 2_000_000]
    assert [event["body"].get("truncated") for event in told(ring)] == [None, True, True]
    assert said(told(ring))[1:] == [(1, "", False), (2, "", False)]


def test_a_latecomer_to_a_long_text_gets_its_beginning_as_one_bounded_delta(ring: Ring, live: LiveTurns):
    live.begin(TURN, Spoken(text="x" * SHOWN_CHARS, length=20_000_000, next_chunk=40))

    (event,) = envelopes(live.so_far())
    assert (len(event["body"]["text"]), event["body"]["replace"]) == (SHOWN_CHARS, True)
    assert (event["body"]["truncated"], event["body"]["fullLength"]) == (True, 20_000_000)
    assert max(len(ring[index].frame) for index in range(ring.first, ring.next)) < SHOWN_CHARS + 2_000


def test_a_latecomer_gets_the_first_and_the_newest_report_of_each_tool(live: LiveTurns):
    live.begin(TURN)
    for phase in ("tool.started", "tool.updated", "tool.completed"):
        a_tool(live, "a", phase)
    a_tool(live, "b", "tool.started")

    shown = [(e["body"]["toolCallId"], e["body"]["nativeType"]) for e in envelopes(live.so_far())]
    assert shown == [("a", "tool.started"), ("a", "tool.completed"), ("b", "tool.started")]


def test_a_tool_report_is_as_old_as_its_lane_says_whoever_hears_it(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    a_tool(live, "a", "tool.started")

    assert [e["occurredAt"] for e in told(ring) + envelopes(live.so_far())] == ["2026-11-30T10:39:28.000Z"] * 2


def test_a_reader_that_fell_behind_gets_only_the_tools_it_missed(ring: Ring, live: LiveTurns):
    live.begin(TURN)
    a_tool(live, "a", "tool.started")
    left_at = ring.next
    a_tool(live, "b", "tool.started")

    assert [e["body"]["toolCallId"] for e in envelopes(live.missed_since(left_at))] == ["b"]


def test_tools_of_an_ended_turn_are_not_told_again(live: LiveTurns):
    live.begin(TURN)
    a_tool(live, "a", "tool.started")
    live.end("turn_1")

    assert live.so_far() == []
