"""What errors of a turn mean: by the kind that Codex gives them, and by their words. Our contract."""

from typing import Any

import pytest

from adapters.codex.failures import failure_of_turn
from adapters.codex.program import CODEX
from adapters.codex.usage import ThreadUsage, seconds_to_reset
from adapters.contract import UsageReported
from groupx.kernel.errors import ErrorCode


def status(kind: str, code: int | None) -> dict[str, Any]:
    return {kind: {"httpStatusCode": code}}


@pytest.mark.parametrize(
    ("info", "words", "code"),
    [
        ("unauthorized", "no", ErrorCode.NATIVE_AUTH_REQUIRED),
        (status("httpConnectionFailed", 401), "unexpected status", ErrorCode.NATIVE_AUTH_REQUIRED),
        ("other", "Your access token expired. Please log in again.", ErrorCode.NATIVE_AUTH_REQUIRED),
        ("usageLimitExceeded", "You've hit your usage limit.", ErrorCode.NATIVE_RATE_LIMITED),
        ("rateLimitExceeded", "Slow down.", ErrorCode.NATIVE_RATE_LIMITED),
        (status("responseTooManyFailedAttempts", 429), "exceeded retry limit", ErrorCode.NATIVE_RATE_LIMITED),
        ("contextWindowExceeded", "Codex ran out of room", ErrorCode.NATIVE_CONTEXT_FULL),
        ("serverOverloaded", "Selected model is at capacity.", ErrorCode.NATIVE_ERROR),
        (status("responseTooManyFailedAttempts", 503), "exceeded retry limit", ErrorCode.NATIVE_ERROR),
        ("internalServerError", "high demand", ErrorCode.NATIVE_ERROR),
        ("badRequest", "scripted error", ErrorCode.NATIVE_ERROR),
        ("inventedYesterday", "what", ErrorCode.NATIVE_ERROR),
        (5, "what", ErrorCode.NATIVE_ERROR),
        (None, "what", ErrorCode.NATIVE_ERROR),
    ],
)
def test_an_error_is_classified_and_comes_with_a_hint(info: object, words: str, code: ErrorCode):
    failure = failure_of_turn({"message": words, "codexErrorInfo": info})
    assert failure.code is code
    assert failure.message.startswith(words) and failure.hint


def test_a_missing_sign_in_says_how():
    assert failure_of_turn({"message": "no", "codexErrorInfo": "unauthorized"}).hint == CODEX.sign_in


@pytest.mark.parametrize(
    ("info", "shown"),
    [
        ("internalServerError", "High demand. (internalServerError)"),
        (status("httpConnectionFailed", 500), "High demand. (httpConnectionFailed, HTTP 500)"),
        (status("httpConnectionFailed", None), "High demand. (httpConnectionFailed)"),
        ("other", "High demand."),
        (None, "High demand."),
    ],
)
def test_the_kind_stands_beside_words_that_codex_rewrites(info: object, shown: str):
    assert failure_of_turn({"message": "High demand.", "codexErrorInfo": info}).message == shown


@pytest.mark.parametrize("error", [{}, {"message": None}, {"message": 5, "codexErrorInfo": [], "additionalDetails": 1}])
def test_an_error_without_words_still_says_something(error: dict[str, Any]):
    failure = failure_of_turn(error)
    assert failure.code is ErrorCode.NATIVE_ERROR and failure.message and failure.hint


@pytest.mark.parametrize(
    ("words", "seconds_to_reset", "seconds"),
    [
        ("You've hit your usage limit. Try again in 3 hours 5 minutes.", None, 10_800.0),
        ("You've hit your usage limit. Try again at 5:12 PM.", None, None),
        ("You've hit your usage limit. Try again at Sep 24th, 2027 5:12 PM.", 86_400.0, 86_400.0),
        ("You've hit your usage limit.", 600.0, 600.0),
    ],
)
def test_a_limit_is_waited_for_as_long_as_codex_says(words: str, seconds_to_reset: float | None, seconds: float | None):
    failure = failure_of_turn({"message": words, "codexErrorInfo": "usageLimitExceeded"}, seconds_to_reset)
    assert failure.retry_after_seconds == seconds


NOW = 1_800_000_000.0


def window(used_percent: object, resets_at: object) -> dict[str, object]:
    return {"usedPercent": used_percent, "windowDurationMins": 300, "resetsAt": resets_at}


@pytest.mark.parametrize(
    ("limits", "seconds"),
    [
        ({}, None),
        ({"primary": window(99, NOW + 60)}, None),
        ({"primary": window(100, 1_800_000_060)}, 60.0),
        ({"primary": window(100, 1_800_000_060), "secondary": window(100, 1_800_003_600)}, 3_600.0),
        ({"primary": window(100, 1_799_999_999)}, None),
        ({"primary": None, "secondary": window("100", None)}, None),
    ],
)
def test_an_account_that_is_used_up_is_free_again_when_the_last_of_its_windows_is(
    limits: dict[str, Any], seconds: float | None
):
    assert seconds_to_reset(limits, NOW) == seconds


# ---------------------------------------------------------------- tokens
def sums(given: int, answered: int) -> dict[str, int]:
    return {
        "inputTokens": given,
        "cachedInputTokens": given // 2,
        "outputTokens": answered,
        "reasoningOutputTokens": 1,
        "totalTokens": given + answered,
    }


def report(total: dict[str, int], last: dict[str, int]) -> dict[str, object]:
    return {"total": total, "last": last, "modelContextWindow": 258_400}


def test_a_turns_tokens_are_those_of_all_its_requests():
    usage = ThreadUsage(is_fresh=True)
    usage.begin_turn()
    usage.told(report(sums(10, 5), sums(10, 5)))
    second = usage.told(report(sums(30, 9), sums(20, 4)))
    assert second == UsageReported(
        input_tokens=30,
        cached_tokens=15,
        output_tokens=9,
        reasoning_tokens=1,
        total_tokens=39,
        context_used=24,
        context_size=258_400,
    )
    usage.begin_turn()
    assert usage.told(report(sums(60, 10), sums(30, 1))).total_tokens == 31


def test_the_first_turn_after_a_resume_does_not_count_what_was_before():
    usage = ThreadUsage(is_fresh=False)
    usage.begin_turn()
    assert usage.told(report(sums(1_000, 100), sums(20, 5))).total_tokens == 25
    assert usage.told(report(sums(1_030, 106), sums(30, 6))).total_tokens == 61


def test_a_cut_request_that_was_not_counted_is_unknown_and_not_free():
    usage = ThreadUsage(is_fresh=True)
    usage.begin_turn()
    usage.told(report(sums(10, 5), sums(10, 5)))
    usage.begin_turn()
    assert usage.told(report(sums(10, 5), sums(10, 5))).total_tokens is None


@pytest.mark.parametrize("told", [{}, {"total": None, "last": 5}, {"total": {"totalTokens": "5"}}])
def test_figures_that_are_missing_are_unknown(told: dict[str, object]):
    usage = ThreadUsage(is_fresh=True)
    assert usage.told(told) == UsageReported()


FULL = {"inputTokens": 0, "cachedInputTokens": 0, "outputTokens": 0, "reasoningOutputTokens": 0}


def full(before: int) -> dict[str, object]:
    """What Codex tells when a request was refused as too long: its sums fill the window, and are made of nothing."""
    return report(FULL | {"totalTokens": 258_400}, FULL | {"totalTokens": 258_400 - before})


@pytest.mark.parametrize("is_fresh", [True, False])
def test_a_window_that_is_said_to_be_full_was_not_used_up_by_the_turn(is_fresh: bool):
    usage = ThreadUsage(is_fresh=is_fresh)
    usage.begin_turn()
    assert usage.told(full(0)).total_tokens is None
    usage.begin_turn()
    assert usage.told(report(sums(10, 5) | {"totalTokens": 258_415}, sums(10, 5))).total_tokens == 15


def test_what_a_turn_had_used_before_its_window_was_full_stays_counted():
    usage = ThreadUsage(is_fresh=True)
    usage.begin_turn()
    usage.told(report(sums(10, 5), sums(10, 5)))
    told = usage.told(full(15))
    assert (told.input_tokens, told.output_tokens, told.total_tokens) == (10, 5, 15)
    told = usage.told(report(sums(20, 4) | {"totalTokens": 258_424}, sums(20, 4)))
    assert (told.input_tokens, told.output_tokens, told.total_tokens) == (30, 9, 39)
