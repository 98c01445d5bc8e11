"""What an outcome means for a job, and whether it may work later (docs/jobs.md, "Limits and failures"). Pure."""

from datetime import UTC, datetime, timedelta

import pytest

from adapters.contract import AdapterError
from groupx.kernel.errors import ErrorCode
from rooms.bodies import UsageTold
from turns.job_ends import end_of, start_failed
from turns.settlement import TurnOutcome
from turns.state import TurnStatus

NOW = datetime(2026, 11, 30, 10, 41, tzinfo=UTC)
USED = UsageTold(total_tokens=7)


def completed(text, stop_reason="end_turn"):
    return TurnOutcome(status=TurnStatus.COMPLETED, text=text, stop_reason=stop_reason, usage=USED)


def failed(code, status=TurnStatus.FAILED, **more):
    return TurnOutcome(status=status, text="half", error_code=code, message="It broke.", usage=USED, **more)


def test_a_completed_prompt_is_the_answer():
    end = end_of(completed("All is well."), NOW)
    assert (end.answer, end.failure, end.usage) == ("All is well.", None, USED)


@pytest.mark.parametrize(
    ("outcome", "code", "is_temporary"),
    [
        (completed(" \n"), "NATIVE_EMPTY_RESPONSE", True),
        (completed("half", "max_tokens"), "NATIVE_ERROR", False),
        (completed("half", "max_turn_requests"), "NATIVE_ERROR", False),
        (completed("I will not.", "refusal"), "NATIVE_ERROR", False),
        (failed(ErrorCode.NATIVE_ERROR), "NATIVE_ERROR", True),
        (failed(ErrorCode.NATIVE_EXITED), "NATIVE_EXITED", True),
        (failed(ErrorCode.NATIVE_SESSION_LOST), "NATIVE_SESSION_LOST", True),
        (failed(ErrorCode.TURN_FIRST_EVENT_TIMEOUT), "TURN_FIRST_EVENT_TIMEOUT", True),
        (failed(ErrorCode.TURN_IDLE_TIMEOUT), "TURN_IDLE_TIMEOUT", True),
        (failed(ErrorCode.TURN_TIME_LIMIT), "TURN_TIME_LIMIT", False),
        (failed(ErrorCode.NATIVE_CONTEXT_FULL), "NATIVE_CONTEXT_FULL", False),
        (failed(ErrorCode.NATIVE_AUTH_REQUIRED), "NATIVE_AUTH_REQUIRED", False),
        (failed(ErrorCode.PROTOCOL_INVALID_MESSAGE), "PROTOCOL_INVALID_MESSAGE", False),
        (failed(ErrorCode.UNEXPECTED_NATIVE_INTERACTION), "UNEXPECTED_NATIVE_INTERACTION", False),
        (failed(ErrorCode.NATIVE_CANCELLED, TurnStatus.INTERRUPTED), "NATIVE_CANCELLED", True),
        (failed(ErrorCode.TURN_CANCELLED, TurnStatus.CANCELLED), "TURN_CANCELLED", True),
    ],
)
def test_everything_else_is_a_failure_that_keeps_no_text_and_what_it_used(outcome, code, is_temporary):
    end = end_of(outcome, NOW)
    assert end.failure is not None and end.failure.message
    assert (end.failure.code, end.failure.is_temporary, end.answer, end.usage) == (code, is_temporary, "", USED)


def test_the_delay_of_a_rate_limit_goes_to_who_asked():
    limited = failed(ErrorCode.NATIVE_RATE_LIMITED, paused_until=NOW + timedelta(seconds=90))
    assert end_of(limited, NOW).failure.retry_after_seconds == 90


@pytest.mark.parametrize(
    ("error", "is_temporary", "retry_after_seconds"),
    [
        (AdapterError(ErrorCode.COMMAND_NOT_FOUND, "No."), False, None),
        (AdapterError(ErrorCode.NATIVE_START_FAILED, "No."), False, None),
        (AdapterError(ErrorCode.NATIVE_START_FAILED, "Busy.", temporary=True), True, None),
        (AdapterError(ErrorCode.NATIVE_RATE_LIMITED, "Later.", retry_after_seconds=60), True, 60),
        (AdapterError(ErrorCode.NATIVE_RATE_LIMITED, "Later.", retry_after_seconds=1e12), True, None),
    ],
)
def test_a_start_that_failed_is_as_temporary_as_its_driver_says(error, is_temporary, retry_after_seconds):
    failure = start_failed(error)
    assert (failure.code, failure.message) == (error.code, error.message)
    assert (failure.is_temporary, failure.retry_after_seconds) == (is_temporary, retry_after_seconds)
