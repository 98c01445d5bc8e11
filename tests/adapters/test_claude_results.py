"""How a turn of Claude Code ends, by its result, and what it has cost."""

from dataclasses import replace
from typing import Any

import pytest

from adapters.claude.results import Costs, answer_of, ending_of
from adapters.contract import Completed, Failed, Interrupted, UsageReported
from adapters.endings import PromptReply, Seen, terminal_of
from groupx.kernel.errors import ErrorCode

SEEN = Seen(text="words", used_tools=False, thought=False, cancel_sent=False, session_is_proven=True, diagnostics={})


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ({"subtype": "success", "stop_reason": "end_turn"}, "end_turn"),
        ({"subtype": "success", "stop_reason": None}, "end_turn"),
        ({"subtype": "success", "stop_reason": "tool_use"}, "end_turn"),
        ({"subtype": "success"}, "end_turn"),
        ({}, "end_turn"),
        ({"subtype": "success", "stop_reason": "max_tokens"}, "max_tokens"),
        ({"subtype": "success", "stop_reason": "refusal"}, "refusal"),
        ({"subtype": "error_max_turns", "is_error": False}, "max_turn_requests"),
        ({"subtype": "error_max_turns", "is_error": True}, "max_turn_requests"),
    ],
    ids=str,
)
def test_a_result_completes_a_turn(result: dict[str, Any], reason: str):
    assert terminal_of(ending_of(result), SEEN, None) == Completed("words", reason)


@pytest.mark.parametrize("reason", ["aborted_streaming", "aborted_tools"])
def test_an_end_by_somebody_elses_interrupt_interrupts(reason: str):
    result = {"subtype": "error_during_execution", "is_error": True, "terminal_reason": reason}
    assert isinstance(terminal_of(ending_of(result), SEEN, None), Interrupted)


def failed(result: dict[str, Any], retry_after_seconds: float | None = None) -> Failed:
    terminal = terminal_of(ending_of(result, retry_after_seconds), SEEN, "Sign in.")
    assert isinstance(terminal, Failed)
    assert terminal.message and terminal.hint
    return terminal


@pytest.mark.parametrize(
    ("text", "status", "code"),
    [
        ("Invalid API key · Please run /login", None, ErrorCode.NATIVE_AUTH_REQUIRED),
        ("Not logged in · Please run /login", None, ErrorCode.NATIVE_AUTH_REQUIRED),
        ("Failed to authenticate. API Error: 401 Invalid bearer token", 401, ErrorCode.NATIVE_AUTH_REQUIRED),
        ("OAuth token has expired · Please run /login", None, ErrorCode.NATIVE_AUTH_REQUIRED),
        ("API Error: Request rejected (429) · slow down", 429, ErrorCode.NATIVE_RATE_LIMITED),
        ("Something went wrong", 429, ErrorCode.NATIVE_RATE_LIMITED),
        ("You've hit your session limit · resets 3pm", None, ErrorCode.NATIVE_RATE_LIMITED),
        ("Claude AI usage limit reached|1755806400", None, ErrorCode.NATIVE_RATE_LIMITED),
        ("5-hour limit reached ∙ resets 3pm", None, ErrorCode.NATIVE_RATE_LIMITED),
        ("Credit balance is too low", None, ErrorCode.NATIVE_RATE_LIMITED),
        ("Prompt is too long", 400, ErrorCode.NATIVE_CONTEXT_FULL),
        ("Context limit reached · /compact or /clear to continue", None, ErrorCode.NATIVE_CONTEXT_FULL),
        ("API Error: Repeated 529 Overloaded errors", 529, ErrorCode.NATIVE_ERROR),
        ("API Error: 400 scripted error", 400, ErrorCode.NATIVE_ERROR),
    ],
)
def test_a_success_that_is_an_error_fails_the_turn_under_its_code(text: str, status: int | None, code: ErrorCode):
    failure = failed({"subtype": "success", "is_error": True, "result": text, "api_error_status": status})
    assert failure.code is code and not failure.session_lost


def test_an_overloaded_service_is_called_so():
    failure = failed({"subtype": "success", "is_error": True, "result": "API Error: 529 Overloaded"})
    assert "overloaded" in str(failure.hint)


@pytest.mark.parametrize(
    ("result", "message"),
    [
        ({"subtype": "error_during_execution", "errors": ["one", "two", 3]}, "one; two"),
        ({"subtype": "error_during_execution", "errors": None}, "It ended with “error_during_execution”."),
        ({"subtype": "error_max_budget_usd"}, "It ended with “error_max_budget_usd”."),
        ({"is_error": True}, "It ended with “an error”."),
        (
            {"is_error": True, "result": 'API Error: 400 {"type":"error","error":{"message":"bad tool"}}'},
            "API Error: 400 bad tool",
        ),
        ({"is_error": True, "result": "API Error: 400 {not JSON"}, "API Error: 400 {not JSON"),
    ],
    ids=str,
)
def test_an_error_tells_its_reason_in_words(result: dict[str, Any], message: str):
    assert failed(result).message == message


def test_when_a_limit_is_over_is_passed_on():
    limit = {"subtype": "success", "is_error": True, "result": "You've hit your limit · resets 3pm"}
    assert failed(limit, 3_600.0).retry_after_seconds == 3_600.0


def test_words_of_an_error_are_no_answer():
    assert answer_of({"result": "hi"}) == "hi"
    assert answer_of({"result": "API Error", "is_error": True}) == ""
    assert answer_of({"result": None}) == answer_of({}) == ""


def test_an_end_without_a_word_is_empty():
    terminal = terminal_of(ending_of({"subtype": "success"}), replace(SEEN, text=""), None)
    assert isinstance(terminal, Failed) and terminal.code is ErrorCode.NATIVE_EMPTY_RESPONSE
    assert ending_of({"subtype": "success"}) == PromptReply(stop_reason="end_turn")


# ---------------------------------------------------------------- usage
def spent(total_usd: object) -> dict[str, Any]:
    return {"total_cost_usd": total_usd, "usage": {"input_tokens": 8, "cache_read_input_tokens": 3, "output_tokens": 7}}


def test_the_sum_of_a_process_is_split_into_its_turns():
    costs = Costs()
    assert [costs.usage_of(spent(usd), None).cost_usd for usd in (0.5, 0.75, 0.75)] == [0.5, 0.25, 0.0]


def test_a_sum_that_falls_or_is_none_is_unknown():
    costs = Costs()
    told = [costs.usage_of(spent(usd), None).cost_usd for usd in (0.5, 0.25, None, 1e999, "much", 0.5)]
    assert told == [0.5, None, None, None, None, 0.25]


def test_tokens_from_a_cache_are_input_too():
    usage = Costs().usage_of(spent(0.5), context_used=18)
    assert usage == UsageReported(
        input_tokens=11, cached_tokens=3, output_tokens=7, total_tokens=18, cost_usd=0.5, context_used=18
    )


def test_the_context_is_that_of_the_model_which_said_most():
    models = {"helper": {"outputTokens": 1, "contextWindow": 10}, "main": {"outputTokens": 9, "contextWindow": 200_000}}
    assert Costs().usage_of({"modelUsage": models}, None).context_size == 200_000


@pytest.mark.parametrize("result", [{}, {"usage": None}, {"usage": {"input_tokens": 0, "output_tokens": 0}}], ids=str)
def test_no_tokens_are_unknown_and_not_none(result: dict[str, Any]):
    assert Costs().usage_of(result, None) == UsageReported()
