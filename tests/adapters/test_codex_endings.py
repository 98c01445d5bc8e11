"""How a turn of Codex ends by its own word: errors and questions. A real child process says it."""

from pathlib import Path
from typing import Any

import pytest

from adapters.codex.messages import CANCELLED
from adapters.contract import Cancelled, Completed, Interrupted, ProgressReported, ReasoningDelta, Started
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import Running, diagnostics, do, failed, heard, logged, play, prompts, streamed


async def test_an_error_of_the_model_leaves_the_session_usable(open_agent: Open):
    session = await open_agent(driver="codex")
    info = {"responseTooManyFailedAttempts": {"httpStatusCode": 429}}
    error = {"message": "exceeded retry limit, try again in 3s", "codexErrorInfo": info, "additionalDetails": None}
    failure = failed(await play(session, do({"text": "so far"}, {"error": error})))
    assert (failure.code, failure.retry_after_seconds) == (ErrorCode.NATIVE_RATE_LIMITED, 3.0)
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


async def test_a_limit_of_the_account_lasts_until_its_window_begins_anew(open_agent: Open):
    session = await open_agent(driver="codex")
    window = {"usedPercent": 100, "windowDurationMins": 300, "resetsAt": 32_503_680_000}  # a long time from now
    limits = {"method": "account/rateLimits/updated", "params": {"rateLimits": {"primary": window}}}
    error = {"message": "You've hit your usage limit.", "codexErrorInfo": "usageLimitExceeded"}
    failure = failed(await play(session, do({"frame": limits}, {"error": error})))
    assert failure.code is ErrorCode.NATIVE_RATE_LIMITED
    assert failure.retry_after_seconds is not None and failure.retry_after_seconds > 1_000


async def test_a_prompt_that_is_refused_fails_its_turn_and_nothing_else(open_agent: Open, cwd: Path):
    refusal = {"error": {"code": -32600, "message": "input exceeds the limit"}}
    session = await open_agent({"replies": {"turn/start": refusal}}, driver="codex")
    events = await play(session, do({"text": "hi"}))
    assert events[0] == Started() and failed(events).code is ErrorCode.NATIVE_ERROR
    assert session.usable and await session.settled(1)


async def test_attempts_that_codex_repeats_are_shown(open_agent: Open):
    error = {"message": "Reconnecting... 1/5", "codexErrorInfo": "serverOverloaded"}
    again = {"notice": {"method": "error", "params": {"error": error, "willRetry": True}}}
    events = await play(await open_agent(driver="codex"), do(again, {"text": "hi"}))
    assert ProgressReported("retry", {"message": "Reconnecting... 1/5 (serverOverloaded)"}) in events
    assert events[-1] == Completed("hi")


async def test_an_end_without_any_answer_is_a_failure(open_agent: Open):
    session = await open_agent(driver="codex")
    events = await play(session, do({"thought": "hm"}, {"raw": "reason: bad key"}, {"stop": "completed"}))
    assert failed(events).code is ErrorCode.NATIVE_EMPTY_RESPONSE
    assert diagnostics(events) == {"noise": 1} and ReasoningDelta("hm") in events


async def test_an_interrupt_that_nobody_asked_for_interrupts(open_agent: Open):
    events = await play(await open_agent(driver="codex"), do({"text": "so far"}, {"turn": {"status": "interrupted"}}))
    assert isinstance(events[-1], Interrupted) and streamed(events) == "so far"


# ---------------------------------------------------------------- questions
@pytest.mark.parametrize("method", CANCELLED)
async def test_a_question_ends_the_turn_at_once_and_is_never_answered_for_the_person(
    open_agent: Open, cwd: Path, method: str
):
    session = await open_agent(driver="codex")
    params = {"itemId": "c", "command": "rm -rf /", "availableDecisions": ["accept", "cancel"]}
    events = await play(session, do({"text": "partial"}, {"ask": {"method": method, "params": params}}, {"wait": ""}))
    failure = failed(events)
    assert failure.code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION
    assert "rm -rf" not in f"{failure.message}{failure.hint}"
    assert streamed(events) == "partial"
    assert await session.settled(5)
    assert (await logged(cwd, "answer"))["result"] == CANCELLED[method]
    assert len(heard(cwd, "turn/interrupt")) == 1
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")
    assert prompts(cwd) == ["1", "2"]


async def test_a_question_in_an_unknown_form_is_refused_and_ends_the_turn_too(open_agent: Open, cwd: Path):
    session = await open_agent(driver="codex")
    events = await play(session, do({"text": "a"}, {"ask": {"method": "invented/confirm"}}, {"wait": ""}))
    assert failed(events).code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION
    assert (await logged(cwd, "answer"))["error"]["code"] == -32601


async def test_a_question_of_another_thread_is_answered_at_once(open_agent: Open, cwd: Path):
    """A subagent asks in a thread of its own; left without an answer it would hang, and the turn with it."""
    ask: dict[str, Any] = {"method": "item/fileChange/requestApproval", "params": {"threadId": "a-subagent"}}
    events = await play(await open_agent(driver="codex"), do({"text": "a"}, {"ask": ask}, {"wait": ""}))
    assert failed(events).code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION
    assert (await logged(cwd, "answer"))["result"] == {"decision": "cancel"}


async def test_a_question_outside_a_turn_is_answered_and_disturbs_nothing(open_agent: Open, cwd: Path):
    session = await open_agent(driver="codex")
    steps = ({"text": "hi"}, {"stop": "completed"}, {"ask": {"method": "mcpServer/elicitation/request"}})
    assert (await play(session, do(*steps)))[-1] == Completed("hi")
    assert (await logged(cwd, "answer"))["result"] == {"action": "cancel"}
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")
    assert heard(cwd, "turn/interrupt") == []


async def test_a_question_that_crosses_our_cancel_changes_nothing(open_agent: Open, cwd: Path):
    session = await open_agent(driver="codex")
    ask = {"ask": {"method": "item/commandExecution/requestApproval"}}
    ends = {"turn": {"status": "interrupted"}}
    running = Running(session, do({"text": "a"}, {"ignore_cancel": True}, {"wait": "go"}, ask, ends))
    await running.has_text()
    await session.cancel()
    (cwd / "go").touch()
    assert (await running.end())[-1] == Cancelled()
    assert (await logged(cwd, "answer"))["result"] == {"decision": "cancel"}
