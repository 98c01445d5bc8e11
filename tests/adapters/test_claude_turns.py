"""Turns of Claude Code: words that come twice, tools, sub-agents, what the CLI tells beside them. A real child process
says it."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adapters.claude.driver import ClaudeDriver
from adapters.claude.session import ClaudeSession
from adapters.contract import (
    Cancelled,
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
    PATIENCE_SECONDS,
    Running,
    diagnostics,
    do,
    failed,
    heard,
    log_of,
    logged,
    play,
    prompts,
    spec,
    streamed,
)
from tests.fakes.clock import FakeClock


@pytest.fixture
def open_claude(open_agent: Open) -> Open:
    async def opened(startup: dict[str, Any] | None = None, **more: Any) -> Any:
        return await open_agent(startup, driver=CLAUDE.driver, **more)

    return opened


def tools(events: list[Any]) -> list[ToolEvent]:
    return [event for event in events if isinstance(event, ToolEvent)]


def frame(**fields: Any) -> dict[str, Any]:
    return {"frame": fields}


def assistant(*content: dict[str, Any], **more: Any) -> dict[str, Any]:
    return frame(type="assistant", message={"id": "msg_other", "content": content}, **more)


async def all_is_heard(session: ClaudeSession) -> None:
    """What both sides had said before has been read."""
    await session.connection.request("set_permission_mode", {"mode": "bypassPermissions"}, PATIENCE_SECONDS)


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


# ---------------------------------------------------------------- whose turn it is
async def test_an_end_that_nobody_waits_for_ends_no_other_turn(open_claude: Open, cwd: Path):
    session = await open_claude()
    twice = frame(type="result", subtype="success")
    assert (await play(session, do({"text": "hi"}, {"stop": "end_turn"}, twice, {"note": "said"})))[-1].text == "hi"
    await logged(cwd, "note")
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


@pytest.mark.parametrize("startup", [{}, {"tells_no_prompts": True}], ids=str)
async def test_a_prompt_waits_for_what_the_agent_does_by_itself_and_has_an_end_of_its_own(
    open_claude: Open, cwd: Path, startup: dict[str, Any]
):
    session = await open_claude(startup)
    by_itself = {"own_turn": {"text": "by myself", "wait": "go"}}
    first = await play(session, do({"text": "hi"}, {"stop": "end_turn"}, by_itself))
    assert first[-1] == Completed("hi")
    await logged(cwd, "own_turn")
    await all_is_heard(session)
    running = Running(session, do({"text": "mine"}, n="2"))
    await logged(cwd, "prompt", n="2")
    (cwd / "go").touch()
    events = await running.end()
    assert events[-1] == Completed("mine") and streamed(events) == "mine"
    assert Counter(diagnostics(first)) + Counter(diagnostics(events)) == {"late_text": 2, "own_turn": 1}


async def test_a_prompt_that_is_cancelled_while_it_waits_is_interrupted_when_it_starts(open_claude: Open, cwd: Path):
    session = await open_claude()
    by_itself = {"own_turn": {"text": "by myself", "wait": "go"}}
    await play(session, do({"text": "hi"}, {"stop": "end_turn"}, by_itself))
    await logged(cwd, "own_turn")
    running = Running(session, do({"text": "mine"}, {"wait": ""}, n="2"))
    await logged(cwd, "prompt", n="2")
    await session.cancel()
    await all_is_heard(session)
    (cwd / "go").touch()
    assert (await running.end())[-1] == Cancelled()
    assert len(heard(cwd, "interrupt")) == 2


@pytest.mark.parametrize(
    ("state", "terminal"), [("completed", Completed("hi")), ("cancelled", Interrupted)], ids=["completed", "cancelled"]
)
async def test_a_turn_whose_result_is_missing_ends_with_its_prompt(open_claude: Open, state: str, terminal: Any):
    told = frame(type="command_lifecycle", command_uuid="$prompt", state=state)
    last = (await play(await open_claude(), do({"text": "hi"}, told, {"wait": ""})))[-1]
    assert last == terminal if isinstance(terminal, Completed) else isinstance(last, terminal)


# ---------------------------------------------------------------- what only the begin of a turn tells
async def test_a_resumed_session_that_turns_out_to_be_another_fails_its_turn(open_claude: Open, cwd: Path):
    first = await open_claude()
    await first.close()
    session = await open_claude({"init": {"session_id": "another"}}, resume=first.info.native_session_id)
    failure = failed(await play(session, do({"text": "who am I?"}, {"wait": ""})))
    assert failure.code is ErrorCode.NATIVE_SESSION_LOST and failure.session_lost
    assert await session.settled(5) and len(heard(cwd, "interrupt")) == 1
    assert prompts(cwd) == ["1"]


@pytest.mark.parametrize(
    ("init", "oddity"),
    [
        ({"session_id": "another"}, "other_session"),
        ({"cwd": "/elsewhere"}, "other_folder"),
        ({"mcp_servers": [{"name": "groupx", "status": "failed"}]}, "mcp_not_connected"),
        ({"mcp_servers": [{"name": "groupx", "status": "pending"}]}, None),
        ({"mcp_servers": []}, None),
        ({"cwd": None, "permissionMode": None}, None),
    ],
    ids=str,
)
async def test_what_is_odd_about_a_session_is_counted(open_claude: Open, init: dict[str, Any], oddity: str | None):
    events = await play(await open_claude({"init": init}), do({"text": "hi"}))
    assert events[-1] == Completed("hi")
    assert diagnostics(events) == ({oddity: 1} if oddity else {})


async def test_a_mode_that_the_model_changed_is_set_again(open_claude: Open, cwd: Path):
    session = await open_claude({"init": {"permissionMode": "plan"}})
    for n in ("1", "2"):
        assert (await play(session, do({"text": "hi"}, n=n)))[-1] == Completed("hi")
    asked = [entry["method"] for entry in log_of(cwd) if entry["ev"] == "heard"]
    assert asked[1:5] == ["set_permission_mode", "user", "set_permission_mode", "user"]


async def test_a_mode_that_is_refused_in_mid_session_fails_the_turn_as_blocked(open_claude: Open, cwd: Path):
    session = await open_claude({"init": {"permissionMode": "default"}, "mode_later": "default"})
    failure = failed(await play(session, do({"text": "a"}, {"wait": ""})))
    assert failure.code is ErrorCode.NATIVE_POLICY_BLOCKED and failure.hint
    assert await session.settled(5)


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
