"""What a lane tells of a running turn stays bounded, whatever its agent says (turns/lane_frames.py). Our contract."""

import pytest

from groupx.server import MAX_WEBSOCKET_MESSAGE_BYTES
from rooms.bodies import ToolProgress
from rooms.envelope import SHOWN_CHARS, ActorRef
from rooms.live_turn import DeltaKind, LiveTurn
from tests.fakes.clock import FakeClock
from turns.lane_frames import MAX_FRAME_BYTES, DeltaFrame, FlushFrame, TurnFrame, encode
from turns.lane_outbox import LENGTH_STEP_CHARS, MAX_WAITING_CHARS, LaneOutbox

AGENT = ActorRef(actor_id="agent:builder", display_name="Builder")
TURN = LiveTurn(turn_id="turn_1", actor=AGENT, correlation_id="corr_1", root_correlation_id="corr_1")
LONG_WHEN_ESCAPED = "\x01"


@pytest.fixture
def outbox() -> LaneOutbox:
    outbox = LaneOutbox()
    outbox.open()
    outbox.begin_turn(TURN)
    assert isinstance(outbox.take(), TurnFrame)
    return outbox


def taken(outbox: LaneOutbox) -> list:
    return list(iter(outbox.take, None))


def test_of_an_answer_in_one_chunk_the_beginning_is_told_with_the_length(outbox: LaneOutbox) -> None:
    outbox.add_text("turn_1", DeltaKind.CONTENT, "x" * 3_000_000)

    [delta] = taken(outbox)
    assert (len(delta.text), delta.full_length) == (SHOWN_CHARS, 3_000_000)


def test_what_is_no_longer_shown_is_told_as_a_length_now_and_then(outbox: LaneOutbox) -> None:
    outbox.add_text("turn_1", DeltaKind.CONTENT, "x" * SHOWN_CHARS)
    told = []
    for _ in range(10_000):
        outbox.add_text("turn_1", DeltaKind.CONTENT, "y" * 100)
        told += taken(outbox)

    assert [frame.chunk_index for frame in told] == list(range(len(told)))
    assert "".join(frame.text for frame in told) == "x" * SHOWN_CHARS
    assert len(told) <= 2 + 1_000_000 // LENGTH_STEP_CHARS
    assert told[-1].full_length > SHOWN_CHARS + 1_000_000 - 2 * LENGTH_STEP_CHARS


def test_no_frame_is_longer_than_the_server_takes(outbox: LaneOutbox) -> None:
    for kind in DeltaKind:
        outbox.add_text("turn_1", kind, LONG_WHEN_ESCAPED * 5_000_000)
    frames = taken(outbox)
    outbox.close()
    outbox.open()  # a new connection: both texts in one frame
    frames += taken(outbox)

    assert {type(frame) for frame in frames} == {DeltaFrame, TurnFrame}
    assert max(len(encode(frame).encode()) for frame in frames) < MAX_FRAME_BYTES
    assert MAX_FRAME_BYTES <= MAX_WEBSOCKET_MESSAGE_BYTES


def test_live_events_that_nobody_takes_are_bounded_by_their_size_and_come_again_when_taken(outbox: LaneOutbox) -> None:
    def report(call: int) -> None:
        body = ToolProgress(
            turn_id="turn_1",
            native_type="tool.updated",
            tool_call_id=str(call),
            name="build",
            status="running",
            details={"output": "x" * 60_000},
        )
        outbox.add_transient(body, AGENT, "corr_1", FakeClock().now())

    for call in range(1_000):
        report(call)
    outbox.add(FlushFrame(turn_id="turn_1"))
    waited = taken(outbox)
    assert sum(len(encode(frame)) for frame in waited) < MAX_WAITING_CHARS + 100_000
    assert isinstance(waited[-1], FlushFrame)

    report(1_000)
    assert len(taken(outbox)) == 1
