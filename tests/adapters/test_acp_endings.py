"""How a turn ends by the agent's own word: stop reasons, errors, questions. A real child process says it."""

from pathlib import Path

import pytest

from adapters.contract import (
    Cancelled,
    Completed,
    Interrupted,
    ReasoningDelta,
    Started,
    ToolEvent,
    ToolPhase,
    UsageReported,
)
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import (
    Running,
    diagnostics,
    do,
    failed,
    heard,
    logged,
    play,
    prompts,
    streamed,
)


# ---------------------------------------------------------------- stop reasons, errors
@pytest.mark.parametrize("reason", ["max_tokens", "max_turn_requests", "refusal", "invented"])
async def test_an_unusual_stop_reason_keeps_the_text(open_agent: Open, reason: str):
    assert (await play(await open_agent(), do({"text": "so far"}, {"stop": reason})))[-1] == Completed("so far", reason)


async def test_a_cancel_that_nobody_asked_for_interrupts(open_agent: Open):
    events = await play(await open_agent(), do({"text": "so far"}, {"stop": "cancelled"}))
    assert isinstance(events[-1], Interrupted) and streamed(events) == "so far"


async def test_an_end_without_any_answer_is_a_failure(open_agent: Open):
    events = await play(await open_agent(), do({"thought": "hm"}, {"raw": "reason: bad key"}, {"stop": "end_turn"}))
    assert failed(events).code is ErrorCode.NATIVE_EMPTY_RESPONSE
    assert diagnostics(events) == {"noise": 1}
    assert ReasoningDelta("hm") in events


async def test_an_end_with_a_tool_but_no_text_is_an_answer(open_agent: Open):
    call = {"update": {"sessionUpdate": "tool_call_update", "toolCallId": "c", "status": "completed"}}
    events = await play(await open_agent(), do(call))
    assert events[-1] == Completed("")
    assert [event.phase for event in events if isinstance(event, ToolEvent)] == [ToolPhase.STARTED, ToolPhase.COMPLETED]


async def test_an_error_of_the_agent_leaves_the_session_usable(open_agent: Open):
    session = await open_agent()
    error = {"code": -32603, "message": "Internal error", "data": {"error": {"message": "429: retry after 3s"}}}
    failure = failed(await play(session, do({"error": error})))
    assert (failure.code, failure.retry_after_seconds) == (ErrorCode.NATIVE_RATE_LIMITED, 3.0)
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


async def test_a_session_that_is_dead_at_the_prompt_is_not_prompted_again(open_agent: Open, cwd: Path):
    session = await open_agent()
    failure = failed(await play(session, do({"error": {"code": -32602, "message": "Session not found"}})))
    assert failure.code is ErrorCode.NATIVE_SESSION_LOST and failure.session_lost
    assert prompts(cwd) == ["1"]


# ---------------------------------------------------------------- questions
@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("session/request_permission", "permission"),
        ("elicitation/create", "an answer"),
        ("_x/ask_user_question", "an answer"),
    ],
)
async def test_a_question_ends_the_turn_at_once_and_is_never_answered_for_the_person(
    open_agent: Open, cwd: Path, method: str, kind: str
):
    session = await open_agent()
    params = {
        "options": [{"optionId": "rm", "name": "rm -rf", "kind": "allow_once"}],
        "toolCall": {"title": "rm -rf /"},
    }
    events = await play(session, do({"text": "partial"}, {"ask": {"method": method, "params": params}}, {"wait": ""}))
    failure = failed(events)
    assert failure.code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION
    assert kind in failure.message and "rm" not in f"{failure.message}{failure.hint}".replace("permission", "")
    assert streamed(events) == "partial"
    assert await session.settled(5)
    assert (await logged(cwd, "answer"))["result"] == {"outcome": {"outcome": "cancelled"}}
    assert len(heard(cwd, "session/cancel")) == 1
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


async def test_a_question_alone_proves_that_the_prompt_arrived(open_agent: Open):
    events = await play(await open_agent(), do({"ask": {"method": "session/request_permission"}}))
    assert events[0] == Started()


async def test_a_question_that_crosses_our_cancel_changes_nothing(open_agent: Open, cwd: Path):
    session = await open_agent()
    ask = {"ask": {"method": "session/request_permission"}}
    running = Running(session, do({"text": "a"}, {"ignore_cancel": True}, {"wait": "go"}, ask, {"stop": "cancelled"}))
    await running.has_text()
    await session.cancel()
    (cwd / "go").touch()
    assert (await running.end())[-1] == Cancelled()
    assert (await logged(cwd, "answer"))["result"] == {"outcome": {"outcome": "cancelled"}}


async def test_one_prompt_at_a_time(open_agent: Open):
    session = await open_agent()
    running = Running(session, do({"text": "a"}, {"wait": ""}))
    await running.has_text()
    with pytest.raises(RuntimeError):
        await anext(session.prompt("second"))
    await session.cancel()
    await running.end()


async def test_a_question_of_a_session_that_is_not_ours_is_answered_at_once(open_agent: Open, cwd: Path):
    """A subagent asks in a session of its own; left without an answer it would hang, and the turn with it."""
    ask = {"ask": {"method": "session/request_permission", "params": {"sessionId": "a-subagent"}}}
    failure = failed(await play(await open_agent(), do({"text": "a"}, ask, {"wait": ""})))
    assert failure.code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION
    assert (await logged(cwd, "answer"))["result"] == {"outcome": {"outcome": "cancelled"}}


async def test_a_question_outside_a_turn_is_answered_and_disturbs_nothing(open_agent: Open, cwd: Path):
    session = await open_agent()
    steps = ({"text": "hi"}, {"stop": "end_turn"}, {"ask": {"method": "session/request_permission"}})
    assert (await play(session, do(*steps)))[-1] == Completed("hi")
    assert (await logged(cwd, "answer"))["result"] == {"outcome": {"outcome": "cancelled"}}
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")
    assert heard(cwd, "session/cancel") == []


async def test_an_error_beside_an_ordinary_stop_reason_fails_the_turn(open_agent: Open):
    reply = {"stopReason": "refusal", "_meta": {"codebuddy.ai/errorMessage": "429 too many requests, retry after 7s"}}
    failure = failed(await play(await open_agent(driver="codebuddy"), do({"text": "a"}, {"reply": reply})))
    assert (failure.code, failure.retry_after_seconds) == (ErrorCode.NATIVE_RATE_LIMITED, 7.0)


async def test_a_message_of_an_error_that_poses_as_an_answer_is_kept_as_the_answer(open_agent: Open):
    events = await play(await open_agent({"name": "hermes-agent"}, driver="hermes"), do({"text": "Error 400"}))
    assert events[-1] == Completed("Error 400")


async def test_tokens_told_as_sums_of_a_session_are_split_into_its_turns(open_agent: Open):
    session = await open_agent({"name": "hermes-agent"}, driver="hermes")
    told = []
    for n, tokens in (("1", 10), ("2", 25)):
        usage = {"inputTokens": tokens, "outputTokens": 5, "totalTokens": tokens + 5}
        events = await play(session, do({"text": "hi"}, {"reply": {"usage": usage}}, n=n))
        told += [(event.input_tokens, event.total_tokens) for event in events if isinstance(event, UsageReported)]
    assert told == [(10, 15), (15, 15)]
