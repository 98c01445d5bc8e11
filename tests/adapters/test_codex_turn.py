"""What notifications of a turn become: pieces told once, a blank line between messages, one terminal. Our contract."""

from collections import Counter
from typing import Any

import pytest

from adapters.codex.turn import OUTPUT_STEP_CHARS, CodexTurn
from adapters.codex.updates import read_update
from adapters.contract import (
    Cancelled,
    Completed,
    Diagnostic,
    Failed,
    Interrupted,
    NativeEvent,
    ProgressReported,
    ReasoningDelta,
    Started,
    TextDelta,
    ToolEvent,
)
from adapters.jsonrpc import Notification, ProtocolViolation
from groupx.kernel.errors import ErrorCode

type Told = tuple[str, dict[str, Any]]


def word(text: str, item: str = "m") -> Told:
    return "item/agentMessage/delta", {"itemId": item, "delta": text}


def over(item: dict[str, Any]) -> Told:
    return "item/completed", {"item": item}


def message(text: str, item: str = "m") -> Told:
    return over({"type": "agentMessage", "id": item, "text": text})


def thought(text: str, part: int = 0, item: str = "r") -> Told:
    return "item/reasoning/summaryTextDelta", {"itemId": item, "summaryIndex": part, "delta": text}


def ended(status: str = "completed", **turn: Any) -> Told:
    return "turn/completed", {"turn": {"id": "u", "items": [], "status": status, **turn}}


def turn_of(*told: Told, cancel_sent: bool = False) -> list[NativeEvent]:
    turn = CodexTurn(Counter())
    turn.native_id, turn.cancel_sent = "u", cancel_sent
    for method, params in told:
        update = read_update(Notification(method, {"threadId": "t", "turnId": "u", **params}))
        assert update is not None
        turn.told(update.what)
    rest, terminal = turn.finish()
    return [*rest, terminal]


def text_of(events: list[NativeEvent]) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def test_a_message_is_told_once_though_it_comes_in_pieces_and_whole():
    assert turn_of(word("hel"), word("lo"), message("hello"), ended()) == [
        Started("u"),
        TextDelta("hel"),
        TextDelta("lo"),
        Completed("hello"),
    ]


def test_what_was_not_told_in_pieces_is_told_when_the_message_is_over():
    assert text_of(turn_of(word("hel"), message("hello"), ended())) == "hello"
    assert text_of(turn_of(message("hello"), ended())) == "hello"


def test_a_message_that_only_the_end_tells_is_the_answer():
    end = ended(items=[{"type": "agentMessage", "id": "m", "text": "hello"}])
    assert turn_of(end)[-1] == Completed("hello")
    assert turn_of(message("hello"), end)[-1] == Completed("hello"), "and is not told twice"


def test_two_messages_are_parted_by_a_blank_line():
    command = over({"type": "commandExecution", "id": "c", "command": "ls", "status": "completed"})
    events = turn_of(word("I look."), message("I look."), command, word("Do", "n"), word("ne.", "n"), ended())
    assert events[-1] == Completed("I look.\n\nDone.")


def test_thoughts_come_in_parts_and_are_told_once():
    item = {"type": "reasoning", "id": "r", "summary": ["first", "second"], "content": []}
    events = turn_of(thought("fir"), thought("st"), thought("second", 1), over(item), message("hi"), ended())
    thoughts = [event.text for event in events if isinstance(event, ReasoningDelta)]
    assert "".join(thoughts) == "first\n\nsecond"


def test_thoughts_that_were_not_told_in_pieces_are_told_when_they_are_over():
    raw = {"type": "reasoning", "id": "r", "summary": [], "content": ["all of it"]}
    assert ReasoningDelta("all of it") in turn_of(over(raw), message("hi"), ended())


def test_a_tool_begins_and_ends_once():
    item = {"type": "commandExecution", "id": "c", "command": "ls", "cwd": "/", "status": "inProgress"}
    begins = ("item/started", {"item": item})
    events = turn_of(begins, over({**item, "status": "completed", "aggregatedOutput": "a\n"}), ended())
    tools = [(event.phase, event.status) for event in events if isinstance(event, ToolEvent)]
    assert tools == [("tool.started", "running"), ("tool.completed", "completed")]
    assert events[-1] == Completed("")


def test_output_of_a_command_is_shown_while_it_runs_at_a_cost_that_does_not_grow_with_its_square():
    begins = ("item/started", {"item": {"type": "commandExecution", "id": "c", "command": "make"}})
    pieces = [("item/commandExecution/outputDelta", {"itemId": "c", "delta": "line\n"})] * 4_000
    updates = [event for event in turn_of(begins, *pieces, ended()) if isinstance(event, ToolEvent)][1:]
    shown = [len(str(update.details["output"])) for update in updates]
    assert shown[0] == 5 and max(shown) >= 20_000 - OUTPUT_STEP_CHARS
    assert len(shown) < 30


def test_a_plan_is_told_as_progress():
    plan = ("turn/plan/updated", {"explanation": None, "plan": [{"step": "look", "status": "inProgress"}, {"x": 1}]})
    events = turn_of(plan, message("hi"), ended())
    assert ProgressReported("plan", {"entries": [{"content": "look", "status": "inProgress"}]}) in events


def test_a_shortened_memory_is_told():
    assert ProgressReported("compaction") in turn_of(over({"type": "contextCompaction", "id": "x"}), ended())


def test_an_attempt_that_codex_repeats_is_progress_and_no_end():
    error = {"message": "Reconnecting... 1/5", "codexErrorInfo": {"responseStreamDisconnected": {}}}
    events = turn_of(("error", {"error": error, "willRetry": True}), message("hi"), ended())
    shown = "Reconnecting... 1/5 (responseStreamDisconnected)"
    assert ProgressReported("retry", {"message": shown}) in events and events[-1] == Completed("hi")


# ---------------------------------------------------------------- ends
def failed(events: list[NativeEvent]) -> Failed:
    assert isinstance(events[-1], Failed)
    return events[-1]


ERROR = {"message": "scripted error", "codexErrorInfo": "badRequest", "additionalDetails": None}


def test_a_failed_turn_keeps_its_text_and_says_why():
    events = turn_of(word("so far"), ended("failed", error=ERROR))
    assert text_of(events) == "so far"
    assert failed(events).message == "scripted error (badRequest)"


def test_a_failed_turn_without_a_reason_has_that_of_the_error_before_it():
    events = turn_of(("error", {"error": ERROR, "willRetry": False}), ended("failed", error=None))
    assert failed(events).message == "scripted error (badRequest)"


def test_an_end_without_any_answer_is_a_failure():
    assert failed(turn_of(thought("hm"), ended())).code is ErrorCode.NATIVE_EMPTY_RESPONSE


@pytest.mark.parametrize("status", ["interrupted", "failed", "completed"])
def test_whatever_codex_makes_of_our_cancel_it_is_cancelled(status: str):
    events = turn_of(word("so far"), ended(status, error=ERROR), cancel_sent=True)
    assert events[-1] == Cancelled(is_certain=status == "interrupted") and text_of(events) == "so far"


def test_an_interrupt_that_nobody_asked_for_interrupts():
    assert isinstance(turn_of(word("so far"), ended("interrupted"))[-1], Interrupted)


def test_an_unknown_status_completes_with_a_note():
    assert turn_of(word("so far"), ended("invented"))[-1] == Completed("so far", "invented")


# ---------------------------------------------------------------- odd shapes
@pytest.mark.parametrize(
    ("told", "counted"),
    [
        (("item/inventedYesterday", {}), {"unknown_update": 1}),
        (("turn/inventedYesterday", {}), {"unknown_update": 1}),
        (("item/started", {}), {"unknown_update": 1}),
        (over({"type": "inventedYesterday", "id": "i"}), {"unknown_item": 1}),
        (over({}), {"unknown_item": 1}),
        (("turn/diff/updated", {"diff": "x"}), {}),
        (("turn/plan/updated", {"plan": None}), {}),
        (word(""), {}),
        (("item/agentMessage/delta", {}), {}),
        (("thread/tokenUsage/updated", {"tokenUsage": None}), {}),
        (("error", {"error": None}), {}),
    ],
)
def test_an_odd_update_does_not_stop_the_turn(told: Told, counted: dict[str, int]):
    events = turn_of(told, message("hi"), ended())
    assert events[-1] == Completed("hi")
    assert {event.kind: event.count for event in events if isinstance(event, Diagnostic)} == counted


@pytest.mark.parametrize(
    ("method", "params"),
    [
        ("item/agentMessage/delta", {"delta": 5}),
        ("item/agentMessage/delta", {"itemId": 5, "delta": "x"}),
        ("item/started", {"item": "x"}),
        ("item/completed", {"item": {"type": 5, "id": "i"}}),
        ("turn/completed", {}),
        ("turn/completed", {"turn": {"status": 5}}),
        ("turn/started", {"turn": {"id": 5}}),
        ("turn/started", {"threadId": 5}),
        ("turn/started", {"turnId": []}),
    ],
)
def test_a_wrong_type_where_we_need_the_value_breaks_the_protocol(method: str, params: dict[str, Any]):
    with pytest.raises(ProtocolViolation):
        read_update(Notification(method, params))


@pytest.mark.parametrize("method", ["warning", "thread/started", "account/updated", "fs/changed", "invented/yesterday"])
def test_what_is_about_no_turn_is_no_update(method: str):
    assert read_update(Notification(method, {"threadId": "t"})) is None
