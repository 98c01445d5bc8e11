"""What an agent's error means: classified by code and by text, since neither alone tells. Our contract."""

import json
import math

import pytest

from adapters.contract import Failed
from adapters.failures import error_of_text, failure_of, readable, retry_after_seconds, says_policy_forbids
from adapters.jsonrpc import RpcError
from groupx.kernel.errors import ErrorCode


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (RpcError(-32000, "Authentication required"), ErrorCode.NATIVE_AUTH_REQUIRED),
        (RpcError(-32000, "scripted refusal"), ErrorCode.NATIVE_ERROR),
        (RpcError(-32603, "Internal error", {"details": "401 Unauthorized"}), ErrorCode.NATIVE_AUTH_REQUIRED),
        (RpcError(-32603, "Please log in first"), ErrorCode.NATIVE_AUTH_REQUIRED),
        (RpcError(-32603, "Invalid API key provided"), ErrorCode.NATIVE_AUTH_REQUIRED),
        (RpcError(-32603, "Could not read authors.txt"), ErrorCode.NATIVE_ERROR),
        (RpcError(-32603, "API error", {"http_status": 429}), ErrorCode.NATIVE_RATE_LIMITED),
        (RpcError(-32603, "Rate limit reached for requests"), ErrorCode.NATIVE_RATE_LIMITED),
        (RpcError(-32603, "You exceeded your current quota"), ErrorCode.NATIVE_RATE_LIMITED),
        (RpcError(-32603, "This model's maximum context length is 8192 tokens"), ErrorCode.NATIVE_CONTEXT_FULL),
        (RpcError(-32603, "prompt is too long: 210000 tokens"), ErrorCode.NATIVE_CONTEXT_FULL),
        (RpcError(-32602, "Session not found: abc"), ErrorCode.NATIVE_SESSION_LOST),
        (RpcError(-32602, "unknown session"), ErrorCode.NATIVE_SESSION_LOST),
        (RpcError(-32603, "Overloaded"), ErrorCode.NATIVE_ERROR),
        (RpcError(1, ""), ErrorCode.NATIVE_ERROR),
    ],
)
def test_an_error_is_classified_and_comes_with_a_hint(error: RpcError, code: ErrorCode):
    failure = failure_of(error)
    assert failure.code is code
    assert failure.message
    assert failure.hint


def test_an_overloaded_service_is_told_by_the_hint():
    assert "overloaded" in str(failure_of(RpcError(-32603, "529 overloaded_error")).hint)


def test_the_hint_for_signing_in_is_the_agents_own():
    assert failure_of(RpcError(-32000, "Authentication required"), "Run “x login”.").hint == "Run “x login”."


def test_a_lost_session_must_not_be_used_again():
    assert failure_of(RpcError(-32602, "Session not found")).session_lost
    assert not failure_of(RpcError(-32603, "oops")).session_lost


@pytest.mark.parametrize(
    ("error", "seconds"),
    [
        (RpcError(1, "429", {"retry_after": 12}), 12.0),
        (RpcError(1, "429", {"error": {"headers": {"retry-after": "7"}}}), 7.0),
        (RpcError(1, "429", {"retryAfterMs": 1500}), 1.5),
        (RpcError(1, "Rate limited. Please try again in 20s."), 20.0),
        (RpcError(1, "Too many requests, retry after 2 minutes"), 120.0),
        (RpcError(1, "429 try again in 250ms"), 0.25),
        (RpcError(1, "429 try again later"), None),
        (RpcError(1, "429", {"retry_after": -1}), None),
        (RpcError(1, "429", {"retry_after": math.inf}), None),
        (RpcError(1, "429", {"retry_after": math.nan}), None),
        (RpcError(1, "429", {"retry_after": 10**400}), None),
        (RpcError(1, f"429 try again in {10**400} s"), None),
    ],
)
def test_a_given_delay_is_passed_on(error: RpcError, seconds: float | None):
    assert retry_after_seconds(error) == seconds


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (RpcError(1, "plain words"), "plain words"),
        (RpcError(1, "Internal error", {"details": "the reason"}), "the reason"),
        (RpcError(1, "Internal error: the reason"), "the reason"),
        (RpcError(1, "Internal error", {"error": {"message": "deep"}}), "deep"),
        (RpcError(1, "Internal error", '{"error":{"message":"in a string"}}'), "in a string"),
        (RpcError(1, '{"error":{"message":"as JSON"}}'), "as JSON"),
        (RpcError(1, '{"message":"Internal error","data":{"details":"the reason"}}'), "the reason"),
        (RpcError(1, "[object Object]", {"message": "the real one"}), "the real one"),
        (RpcError(1, "two\n  lines\x1b[0m"), "two lines"),
        (RpcError(1, "Internal error", None), "Internal error"),
        (RpcError(7, "", None), "The agent reported error 7 without a reason."),
        (RpcError(1, "a\0b"), "a\ufffdb"),
    ],
)
def test_the_most_telling_words_of_a_nested_error_are_shown(error: RpcError, text: str):
    assert readable(error) == text


def test_an_error_told_as_text_is_read_like_any_other():
    """As CodeBuddy 2.117.0 tells it beside the stop reason “refusal”."""
    inner = {"message": "scripted error", "code": 0, "details": "400 scripted error (a1/b2)", "statusCode": 429}
    error = error_of_text(json.dumps({"code": -32603, "message": "Internal error", "data": inner}))
    failure = failure_of(error)
    assert (failure.code, failure.message) == (ErrorCode.NATIVE_RATE_LIMITED, "scripted error")
    assert error_of_text("only words") == RpcError(0, "only words")
    assert readable(error_of_text("{}")) == "The agent reported error 0 without a reason."


def test_a_long_error_is_cut():
    assert len(failure_of(RpcError(1, "x" * 5_000)).message) == 500


def test_only_a_policy_is_called_a_policy():
    assert says_policy_forbids(RpcError(1, "Disabled by your organization's policy"))
    assert not says_policy_forbids(RpcError(1, "unknown mode auto"))


def test_failures_compare_by_value():
    assert failure_of(RpcError(1, "x")) == failure_of(RpcError(1, "x"))
    assert isinstance(failure_of(RpcError(1, "x")), Failed)
