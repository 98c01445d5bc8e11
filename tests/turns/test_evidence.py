"""What a turn proves of its agent, and what is worth keeping (docs/protocol.md, "Capabilities"). Our contract."""

import pytest

from adapters.contract import (
    Capability,
    Evidence,
    ReasoningDelta,
    TextDelta,
    ToolEvent,
    ToolPhase,
    ToolStatus,
    UsageReported,
)
from groupx.kernel.errors import ErrorCode
from turns.evidence import Known, Source, is_news, seen_in_turn
from turns.recording import Recording
from turns.state import TurnStatus

VERIFIED, UNSUPPORTED = Evidence.VERIFIED, Evidence.UNSUPPORTED
DOCUMENTED, PROBED = Evidence.DOCUMENTED, Evidence.PROBED
HANDSHAKE, TURN, CHECK = Source.HANDSHAKE, Source.TURN, Source.CHECK


def a_tool(kind: str, status: ToolStatus = ToolStatus.COMPLETED) -> ToolEvent:
    return ToolEvent(phase=ToolPhase.COMPLETED, tool_call_id="1", name="a tool", status=status, details={"kind": kind})


def seen(*events, status=TurnStatus.COMPLETED, code=None, is_resumed=False, heeded_cancel=False):
    recording = Recording()
    for event in events:
        recording.take(event)
    return seen_in_turn(recording, status=status, error_code=code, is_resumed=is_resumed, heeded_cancel=heeded_cancel)


@pytest.mark.parametrize(
    ("events", "verified"),
    [
        ((), set()),
        ((TextDelta("whole"),), set()),
        ((TextDelta("in "), TextDelta("pieces")), {Capability.STREAM}),
        ((ReasoningDelta("hm"),), {Capability.REASONING}),
        ((ReasoningDelta(" \n"),), set()),
        ((a_tool("read"),), {Capability.TOOLS}),
        ((a_tool("execute"),), {Capability.TOOLS, Capability.UNRESTRICTED}),
        ((a_tool("edit"),), {Capability.TOOLS, Capability.UNRESTRICTED}),
        ((a_tool("edit", ToolStatus.FAILED),), set()),
        ((UsageReported(input_tokens=3, output_tokens=7),), {Capability.USAGE}),
        ((UsageReported(total_tokens=7),), {Capability.USAGE}),
        ((UsageReported(context_used=7),), set()),
        ((UsageReported(cost_usd=0.0),), {Capability.COST}),
    ],
)
def test_a_turn_verifies_what_it_shows_and_nothing_else(events, verified):
    assert seen(*events) == dict.fromkeys({Capability.PROMPT} | verified, VERIFIED)


def test_a_turn_that_failed_has_answered_nothing_and_resumed_nothing():
    assert seen(status=TurnStatus.FAILED, code=ErrorCode.NATIVE_ERROR, is_resumed=True) == {}
    assert seen(is_resumed=True)[Capability.RESUME] is VERIFIED


def test_an_agent_that_asks_a_person_contradicts_what_its_tools_had_shown():
    shown = seen(a_tool("edit"), status=TurnStatus.FAILED, code=ErrorCode.UNEXPECTED_NATIVE_INTERACTION)
    assert shown == {Capability.TOOLS: VERIFIED, Capability.UNRESTRICTED: UNSUPPORTED}


def test_a_cancel_is_verified_by_being_heeded_and_contradicted_by_being_ignored():
    assert seen(status=TurnStatus.CANCELLED, heeded_cancel=True) == {Capability.CANCEL: VERIFIED}
    ignored = seen(status=TurnStatus.INTERRUPTED, code=ErrorCode.TURN_CANCEL_TIMEOUT)
    assert ignored == {Capability.CANCEL: UNSUPPORTED}


@pytest.mark.parametrize(
    ("new", "known", "news"),
    [
        ((DOCUMENTED, HANDSHAKE), None, True),
        ((VERIFIED, TURN), (DOCUMENTED, HANDSHAKE), True),
        ((VERIFIED, TURN), (UNSUPPORTED, HANDSHAKE), True),
        ((VERIFIED, CHECK), (VERIFIED, TURN), False),
        ((UNSUPPORTED, TURN), (VERIFIED, TURN), True),
        ((VERIFIED, TURN), (UNSUPPORTED, TURN), True),
        ((PROBED, HANDSHAKE), (DOCUMENTED, HANDSHAKE), True),
        ((PROBED, HANDSHAKE), (UNSUPPORTED, HANDSHAKE), True),
        ((UNSUPPORTED, HANDSHAKE), (PROBED, HANDSHAKE), True),
        ((DOCUMENTED, HANDSHAKE), (PROBED, HANDSHAKE), False),
        ((DOCUMENTED, HANDSHAKE), (UNSUPPORTED, HANDSHAKE), False),
        ((PROBED, HANDSHAKE), (VERIFIED, TURN), False),
        ((UNSUPPORTED, HANDSHAKE), (VERIFIED, CHECK), False),
        ((PROBED, HANDSHAKE), (UNSUPPORTED, TURN), False),
    ],
)
def test_what_a_turn_showed_stays_until_a_turn_shows_the_contrary(new, known, news):
    before = Known(evidence=known[0], source=known[1]) if known else None
    assert is_news(*new, before) is news
