"""Lane frames and recovery: what holds for every input (docs/turns.md, "Recovery")."""

from datetime import UTC

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from pydantic import ValidationError

from groupx.kernel.shapes import OwnShape
from rooms.live_turn import DeltaKind
from rooms.vocabulary import EventType
from turns import lane_frames as frames
from turns.recovery import Verdict, decide
from turns.state import DeliveryCertainty, DispatchPhase, Transport, TurnStatus


def made(shape: type[OwnShape], **fields: st.SearchStrategy[object]) -> st.SearchStrategy[OwnShape]:
    """By names of fields; hypothesis alone would fill their aliases as well."""
    return st.fixed_dictionaries(fields).map(lambda values: shape(**values))


texts = st.text()
numbers = st.integers(0, 2**53)
actors = made(frames.FrameActor, actor_id=texts, display_name=texts, instance_id=st.none() | texts)
lane_side = st.one_of(
    made(frames.HelloFrame, instance_id=st.none() | texts, pid=numbers, version=texts),
    made(
        frames.TurnFrame, turn_id=texts, actor=actors, correlation_id=texts, root_correlation_id=texts,
        text=texts, text_length=numbers, chunk_index=numbers, reasoning=texts,
    ),
    made(
        frames.DeltaFrame, turn_id=texts, kind=st.sampled_from(DeltaKind), chunk_index=numbers, text=texts,
        full_length=st.none() | numbers,
    ),
    made(
        frames.TransientFrame, turn_id=st.none() | texts, event=st.sampled_from(EventType),
        body=st.dictionaries(texts, texts | numbers | st.lists(texts, max_size=2), max_size=3), actor=actors,
        correlation_id=texts, occurred_at=st.datetimes(timezones=st.just(UTC)),
    ),
    made(frames.CommittedFrame, seq=numbers),
    made(frames.StatusFrame),
    made(frames.AskedFrame, actor_id=texts),
    made(frames.FlushFrame, turn_id=texts),
    made(frames.EndFrame, turn_id=texts),
)  # fmt: skip
server_side = st.one_of(
    made(frames.WakeFrame),
    made(frames.CancelFrame, turn_id=texts),
    made(frames.OrdersFrame),
    made(frames.FlushedFrame, turn_id=texts),
)


@given(lane_side)
def test_a_lanes_frame_comes_back_as_it_was_sent(frame: OwnShape):
    assert frames.decode_lane_frame(frames.encode(frame)) == frame


@given(server_side)
def test_the_servers_frame_comes_back_as_it_was_sent(frame: OwnShape):
    assert frames.decode_server_frame(frames.encode(frame)) == frame


@given(st.binary() | st.text().map(str.encode))
@example(b'{"type":"delta"}')
@example(b'{"type":"wake"}' + b" " * 100)
@example(b"[" * 100_000)
@example(b'{"type":"flush","turnId":"\\ud800"}')
def test_bytes_that_are_no_frame_are_refused_as_such(raw: bytes):
    for decode in (frames.decode_lane_frame, frames.decode_server_frame):
        try:
            decode(raw)
        except ValidationError:
            continue


@given(
    st.sampled_from(TurnStatus),
    st.none() | st.sampled_from(DispatchPhase),
    st.none() | st.sampled_from(DeliveryCertainty),
    st.sampled_from(Transport),
)
def test_a_prompt_that_may_have_left_is_never_queued_again(status, phase, certainty, transport):
    if (phase is None) is not (certainty is None):
        return  # both are columns of one attempt
    verdict = decide(status, phase, certainty, transport)
    is_unsent = phase is DispatchPhase.PREPARED and certainty is DeliveryCertainty.NOT_DELIVERED
    has_not_begun = phase is None and status in (TurnStatus.QUEUED, TurnStatus.DISPATCHING)
    if status.is_terminal:
        assert verdict is Verdict.LEAVE
    else:
        assert (verdict is Verdict.INTERRUPT) is not (is_unsent or has_not_begun)


@pytest.mark.parametrize("status", [s for s in TurnStatus if not s.is_terminal and s is not TurnStatus.QUEUED])
def test_no_working_turn_is_left_as_it_is(status: TurnStatus):
    for phase in (None, *DispatchPhase):
        assert decide(status, phase, None, Transport.STRUCTURED) is not Verdict.LEAVE
