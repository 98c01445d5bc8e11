"""Whatever Claude Code sends, what becomes of it can be stored, and no frame breaks more than its session."""

from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adapters.claude.frames import Result, read_frame
from adapters.claude.results import Costs, answer_of, ending_of
from adapters.claude.turn import ClaudeTurn
from adapters.contract import NativeEvent
from adapters.jsonrpc import ProtocolViolation
from tests.adapters.test_storable_events import ANYTHING, TEXT, can_be_stored

BLOCKS = st.one_of(
    st.fixed_dictionaries({"type": st.just("text"), "text": TEXT}),
    st.fixed_dictionaries({"type": st.just("thinking"), "thinking": TEXT}),
    st.fixed_dictionaries(
        {"type": st.just("tool_use"), "id": TEXT, "name": TEXT | ANYTHING},
        optional={"input": ANYTHING | st.dictionaries(st.sampled_from(["command", "file_path", "content"]), ANYTHING)},
    ),
    st.fixed_dictionaries({"type": st.just("tool_result"), "tool_use_id": TEXT, "content": ANYTHING}),
    ANYTHING,
)
MESSAGES = st.fixed_dictionaries({"content": st.lists(BLOCKS, max_size=3) | ANYTHING}, optional={"usage": ANYTHING})
DELTAS = st.fixed_dictionaries(
    {"type": st.sampled_from(["text_delta", "thinking_delta"])}, optional={"text": TEXT, "thinking": TEXT}
)
EVENTS = st.one_of(
    st.fixed_dictionaries({"type": st.just("content_block_delta"), "delta": DELTAS | ANYTHING}),
    st.fixed_dictionaries({"type": st.just("content_block_start"), "content_block": BLOCKS}),
    ANYTHING,
)
TOLD = {
    "assistant": {"message": MESSAGES},
    "user": {"message": MESSAGES},
    "stream_event": {"event": EVENTS},
    "system": {"subtype": st.sampled_from(["api_retry", "compact_boundary", "init"])},
    "rate_limit_event": {"rate_limit_info": ANYTHING | st.just({"status": "rejected", "resetsAt": 1e999})},
    "result": {"usage": ANYTHING | st.dictionaries(st.sampled_from(["input_tokens", "output_tokens"]), ANYTHING)},
    "command_lifecycle": {"command_uuid": ANYTHING, "state": ANYTHING},
}
ODD = ("attempt", "retry_delay_ms", "compact_metadata", "total_cost_usd", "modelUsage", "result", "errors", "subtype",
       "stop_reason", "terminal_reason", "api_error_status", "parent_tool_use_id", "mcp_servers", "error")  # fmt: skip


@st.composite
def frames(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(sorted(TOLD)))
    odd = draw(st.dictionaries(st.sampled_from(ODD), ANYTHING, max_size=3))
    return {"type": kind, **odd, **{name: draw(values) for name, values in TOLD[kind].items()}}


def told(turn: ClaudeTurn, frame: dict[str, Any]) -> None:
    try:
        meaning = read_frame(frame["type"], frame)
    except ProtocolViolation:
        return
    turn.take(meaning)
    if isinstance(meaning, Result):
        turn.answer(answer_of(frame))
        turn.use_up(Costs().usage_of(frame, turn.context_used))
        turn.end(ending_of(frame, turn.resets_at))


@given(st.lists(frames(), max_size=6))
def test_every_event_of_a_turn_can_be_stored(said: list[dict[str, Any]]):
    turn = ClaudeTurn(Counter())
    for frame in [*said, {"type": "result"}]:
        told(turn, frame)
    rest, terminal = turn.finish()
    events: list[NativeEvent] = [*rest, terminal]
    for event in events:
        assert can_be_stored(vars(event))
