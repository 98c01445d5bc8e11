"""Whatever an agent sends, what becomes of it can be stored: as JSON, and as UTF-8 without NUL. Our contract."""

import json
from collections import Counter
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from adapters.acp.messages import read_prompt_reply
from adapters.acp.profiles import BY_DRIVER
from adapters.acp.turn import AcpTurn
from adapters.acp.updates import UsageUpdate, read_update
from adapters.bounds import Bounded
from adapters.contract import NativeEvent, UsageReported
from adapters.failures import failure_of
from adapters.jsonrpc import ProtocolViolation, RpcError

TEXT = st.text(st.characters(), max_size=20) | st.just("\0\ud800")
NUMBERS = st.floats() | st.integers() | st.sampled_from([10**400, -(10**400), float("inf"), float("nan")])
ANYTHING = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXT,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXT, inner, max_size=4),
    max_leaves=20,
)
KINDS = {
    "tool_call": ("title", "kind", "status", "rawInput", "rawOutput", "locations", "content"),
    "tool_call_update": ("title", "kind", "status", "rawInput", "rawOutput", "locations", "content"),
    "usage_update": ("used", "size", "cost"),
    "plan": ("entries",),
    "agent_message_chunk": ("content",),
}
PARTS = ANYTHING | st.fixed_dictionaries(
    {},
    optional=dict.fromkeys(("amount", "type", "path", "oldText", "newText", "content", "text", "line"), ANYTHING),
)


@st.composite
def updates(draw: st.DrawFn) -> dict[str, Any]:
    kind = draw(st.sampled_from(sorted(KINDS)))
    fields = {name: draw(PARTS | st.lists(PARTS, max_size=3)) for name in KINDS[kind]}
    return {"sessionUpdate": kind, "toolCallId": draw(TEXT), **fields}


def can_be_stored(value: object) -> bool:
    text = json.dumps(value, allow_nan=False, ensure_ascii=False)
    return "\\u0000" not in text and text.encode() is not None


def turn_of(*told: dict[str, Any]) -> list[NativeEvent]:
    """The events before the terminal, as a session would make them."""
    turn = AcpTurn(BY_DRIVER["acp"], Counter())
    for one in told:
        try:
            _, update = read_update({"update": one})
        except ProtocolViolation:
            continue
        usage = None
        if isinstance(update, UsageUpdate):
            usage = UsageReported(cost_usd=update.cost_usd, context_used=update.used, context_size=update.size)
        turn.updated(update, usage)
    turn.end(read_prompt_reply(None))
    return turn.finish()[0]


@given(st.lists(updates(), max_size=4))
def test_every_event_of_a_turn_can_be_stored(told: list[dict[str, Any]]):
    for event in turn_of(*told):
        assert can_be_stored(vars(event))


@given(ANYTHING)
def test_a_bounded_value_can_be_stored(value: object):
    assert can_be_stored(Bounded().value(value))


KINDS_OF_TOKENS = ("inputTokens", "outputTokens", "totalTokens", "cachedReadTokens", "thoughtTokens")


@given(st.fixed_dictionaries({}, optional=dict.fromkeys(KINDS_OF_TOKENS, ANYTHING)))
def test_the_usage_of_a_reply_can_be_stored(usage: dict[str, object]):
    told = read_prompt_reply({"usage": usage}).usage
    assert told is None or can_be_stored(vars(told))


@given(TEXT, st.dictionaries(st.sampled_from(["retry_after", "retryAfterMs", "status", "message"]), ANYTHING))
def test_a_failure_can_be_stored(message: str, data: dict[str, object]):
    assert can_be_stored(vars(failure_of(RpcError(1, message, data))))


def test_a_value_that_was_left_out_is_marked():
    _, event = turn_of({"sessionUpdate": "tool_call", "toolCallId": "c", "rawInput": float("inf")})
    assert vars(event)["details"] == {"truncated": True}
