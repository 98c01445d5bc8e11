"""Turns of Claude Code: words that come twice, tools, sub-agents, what the CLI tells beside them. A real child process
says it."""

from pathlib import Path
from typing import Any

import pytest

from adapters.claude.driver import ClaudeDriver
from adapters.contract import (
    Completed,
    Interrupted,
    ProgressReported,
    ReasoningDelta,
    Started,
    TextDelta,
    ToolEvent,
    ToolPhase,
    ToolStatus,
    UsageReported,
)
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.dialects import CLAUDE
from tests.adapters.scripted import (
    do,
    failed,
    log_of,
    logged,
    play,
    spec,
    streamed,
)
from tests.fakes.clock import FakeClock


def tools(events: list[Any]) -> list[ToolEvent]:
    return [event for event in events if isinstance(event, ToolEvent)]


def frame(**fields: Any) -> dict[str, Any]:
    return {"frame": fields}


def assistant(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return frame(type="assistant", message={"id": "msg_other", "content": content}, **more)


TEXT = {"type": "text", "text": "words"}
CALL = {"id": "t1", "name": "Bash", "input": {"command": "echo hi"}}


# ---------------------------------------------------------------- words
async def test_words_that_were_streamed_and_come_again_whole_are_told_once(open_claude: Open):
    events = await play(
        await open_claude(), do({"thought": "let me "}, {"thought": "see"}, {"text": "he"}, {"text": "llo"})
    )
    assert [event for event in events if isinstance(event, ReasoningDelta)] == [
        ReasoningDelta("let me "),
        ReasoningDelta("see"),
    ]
    assert [event for event in events if isinstance(event, TextDelta)] == [TextDelta("he"), TextDelta("llo")]
    assert events[0] == Started() and events[-1] == Completed("hello")


async def test_a_message_that_was_not_streamed_is_told_all_the_same(open_claude: Open):
    events = await play(await open_claude(), do({"say": "at once"}))
    assert streamed(events) == "at once" and events[-1] == Completed("at once")


async def test_what_the_stream_left_out_is_told_with_the_whole(open_claude: Open):
    whole = frame(type="assistant", message={"id": "$message", "content": [{"type": "text", "text": "hello world"}]})
    events = await play(await open_claude(), do({"text": "hello"}, whole, {"result": {}}))
    assert [event for event in events if isinstance(event, TextDelta)] == [TextDelta("hello"), TextDelta(" world")]


async def test_a_result_with_words_that_nothing_else_told_is_the_answer(open_claude: Open):
    events = await play(await open_claude(), do({"result": {"result": "only here"}}))
    assert streamed(events) == "only here" and events[-1] == Completed("only here")


async def test_a_result_without_words_keeps_those_that_were_streamed(open_claude: Open):
    events = await play(await open_claude(), do({"text": "streamed"}, {"result": {"result": ""}}))
    assert events[-1] == Completed("streamed")


async def test_what_is_said_before_and_after_a_tool_is_set_apart(open_claude: Open):
    steps = (
        {"text": "I look."},
        {"tool": CALL},
        {"outcome": {"tool_use_id": "t1", "content": "hi"}},
        {"text": "Found."},
    )
    assert (await play(await open_claude(), do(*steps)))[-1] == Completed("I look.\n\nFound.")


# ---------------------------------------------------------------- tools and sub-agents
async def test_a_tool_begins_and_ends_once_with_what_came_of_it(open_claude: Open):
    steps = ({"tool": CALL}, {"outcome": {"tool_use_id": "t1", "content": "hi\n"}}, {"text": "done"})
    told = tools(await play(await open_claude(), do(*steps)))
    assert [event.phase for event in told] == [ToolPhase.STARTED, ToolPhase.UPDATED, ToolPhase.COMPLETED]
    assert {event.tool_call_id for event in told} == {"t1"}
    assert (told[-1].name, told[-1].status) == ("Bash: echo hi", ToolStatus.COMPLETED)
    assert told[-1].details["output"] == "hi\n" and told[-1].details["input"] == {"command": "echo hi"}


async def test_a_tool_without_a_word_is_an_answer(open_claude: Open):
    steps = ({"tool": CALL}, {"outcome": {"tool_use_id": "t1", "content": "no", "is_error": True}})
    events = await play(await open_claude(), do(*steps))
    assert events[-1] == Completed("") and tools(events)[-1].status is ToolStatus.FAILED


async def test_words_of_a_sub_agent_are_not_the_answer_but_its_tools_are_shown(open_claude: Open):
    inner = (
        frame(type="stream_event", event={"type": "content_block_delta", "delta": {"type": "text_delta", "text": "in"}},
              parent_tool_use_id="t1"),
        assistant(TEXT, parent_tool_use_id="t1"),
        assistant({"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "/a"}},
                  parent_tool_use_id="t1"),
    )  # fmt: skip
    events = await play(await open_claude(), do({"tool": CALL}, *inner, {"text": "outer"}))
    assert events[-1] == Completed("outer")
    assert [event.name for event in tools(events)][-1] == "Read: /a"


async def test_tools_that_a_former_turn_has_left_running_are_not_those_of_this_turn(open_claude: Open):
    inner = {"type": "tool_use", "id": "t2", "name": "Read", "input": {"file_path": "/a"}}
    left = (
        assistant(inner, parent_tool_use_id="of_a_former_turn"),
        {"outcome": {"tool_use_id": "of_a_former_turn", "content": "done"}},
    )
    events = await play(await open_claude(), do(*left, {"text": "hi"}))
    assert tools(events) == [] and events[-1] == Completed("hi")


# ---------------------------------------------------------------- what is told beside
async def test_a_retry_and_a_compaction_are_shown_as_progress(open_claude: Open):
    retry = frame(type="system", subtype="api_retry", attempt=2, max_retries=10, retry_delay_ms=500, error_status=529)
    compacted = frame(type="system", subtype="compact_boundary", compact_metadata={"trigger": "auto", "pre_tokens": 9})
    events = await play(await open_claude(), do(retry, compacted, {"text": "hi"}))
    assert [event for event in events if isinstance(event, ProgressReported)] == [
        ProgressReported("retry", {"attempt": 2, "maxRetries": 10, "delayMs": 500.0, "status": 529}),
        ProgressReported("compaction", {"trigger": "auto", "tokensBefore": 9}),
    ]


async def test_what_a_turn_has_used_is_told_with_its_own_share_of_the_cost(open_claude: Open):
    session = await open_claude()
    used = UsageReported(
        input_tokens=11,
        cached_tokens=3,
        output_tokens=7,
        total_tokens=18,
        cost_usd=0.25,
        context_used=18,
        context_size=200_000,
    )
    for n in ("1", "2"):
        events = await play(session, do({"text": "hi"}, n=n))
        assert [event for event in events if isinstance(event, UsageReported)] == [used]


async def test_a_limit_of_the_account_tells_when_it_is_over(cwd: Path):
    clock = FakeClock()
    session = await ClaudeDriver(clock).open(spec(cwd, CLAUDE.driver), None, None)
    over = clock.now().timestamp() + 600
    limit = frame(type="rate_limit_event", rate_limit_info={"status": "rejected", "resetsAt": over})
    failure = failed(await play(session, do(limit, {"error": {"text": "You've hit your session limit"}})))
    assert (failure.code, failure.retry_after_seconds) == (ErrorCode.NATIVE_RATE_LIMITED, 600.0)
    await session.close()


async def test_an_error_in_the_guise_of_a_message_is_no_answer(open_claude: Open):
    session = await open_claude()
    error = {"error": {"text": "API Error: 400 bad request", "status": 400, "kind": "invalid_request"}}
    events = await play(session, do(error))
    assert failed(events).message == "API Error: 400 bad request" and streamed(events) == ""
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


async def test_an_interrupt_that_nobody_asked_for_interrupts(open_claude: Open):
    aborted = {"subtype": "error_during_execution", "is_error": True, "terminal_reason": "aborted_tools"}
    events = await play(await open_claude(), do({"text": "so far"}, {"result": aborted}))
    assert isinstance(events[-1], Interrupted) and streamed(events) == "so far"


# ---------------------------------------------------------------- what the CLI asks
@pytest.mark.parametrize("subtype", ["hook_callback", "mcp_message", "invented"])
async def test_what_we_do_not_serve_is_refused_and_the_turn_goes_on(open_claude: Open, cwd: Path, subtype: str):
    events = await play(await open_claude(), do({"ask": {"subtype": subtype}}, {"text": "hi"}))
    assert events[-1] == Completed("hi")
    (answer,) = [entry for entry in log_of(cwd) if entry["ev"] == "answer"]
    assert "Unsupported" in answer["error"]


async def test_a_question_is_answered_by_its_refusal(open_claude: Open, cwd: Path):
    ask = {"subtype": "can_use_tool", "tool_name": "Bash", "input": {"command": "rm -rf /"}, "tool_use_id": "t"}
    failure = failed(await play(await open_claude(), do({"text": "a"}, {"ask": ask}, {"wait": ""})))
    assert failure.code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION
    assert (await logged(cwd, "answer"))["result"]["behavior"] == "deny"
