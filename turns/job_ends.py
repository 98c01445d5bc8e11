"""How a job of an agent ends: with an answer, or with a failure that says whether it may work later. Pure."""

from dataclasses import dataclass
from datetime import datetime

from adapters.contract import AdapterError
from groupx.kernel.errors import ErrorCode
from rooms.bodies import UsageTold
from turns.pauses import sound_delay
from turns.settlement import TurnOutcome, stop_note
from turns.state import TurnStatus

HOPELESS = frozenset(
    {
        ErrorCode.COMMAND_NOT_FOUND,
        ErrorCode.NATIVE_AUTH_REQUIRED,
        ErrorCode.NATIVE_POLICY_BLOCKED,
        ErrorCode.NATIVE_CONTEXT_FULL,
        ErrorCode.UNEXPECTED_NATIVE_INTERACTION,
        ErrorCode.PROTOCOL_INVALID_MESSAGE,
        ErrorCode.MESSAGE_TOO_LARGE,
        ErrorCode.TURN_TIME_LIMIT,
        ErrorCode.SPEND_LIMIT_REACHED,
        ErrorCode.INTERNAL_ERROR,
    }
)
"""The same question to the same agent would end in the same way, or cost as much again."""


class JobFailed(Exception):
    """The agent has not done it. `message` is a plain sentence; another agent may well do it."""

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        is_temporary: bool | None = None,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code, self.message = code, message
        self.is_temporary = code not in HOPELESS if is_temporary is None else is_temporary
        self.retry_after_seconds = retry_after_seconds
        """As the model's service asked for it."""


@dataclass(frozen=True, kw_only=True)
class JobEnd:
    """Exactly one of `answer` and `failure`."""

    answer: str = ""
    failure: JobFailed | None = None
    usage: UsageTold | None = None


def not_taken(display_name: str) -> JobFailed:
    return JobFailed(ErrorCode.SESSION_NOT_AVAILABLE, f"{display_name} did not take it.")


def lost_with_worker(display_name: str) -> JobFailed:
    return JobFailed(ErrorCode.TURN_INTERRUPTED, f"{display_name} did not end it: its worker ended.")


def start_failed(error: AdapterError) -> JobFailed:
    """No session came about."""
    return JobFailed(
        error.code,
        error.message,
        is_temporary=error.temporary or error.code is ErrorCode.NATIVE_RATE_LIMITED,
        retry_after_seconds=sound_delay(error.retry_after_seconds),
    )


def end_of(outcome: TurnOutcome, now: datetime) -> JobEnd:
    """What the one prompt of a short session came to."""
    failure = _failure(outcome, now)
    return JobEnd(answer="" if failure else outcome.text, failure=failure, usage=outcome.usage)


def _failure(outcome: TurnOutcome, now: datetime) -> JobFailed | None:
    if outcome.status is not TurnStatus.COMPLETED:
        delay = (outcome.paused_until - now).total_seconds() if outcome.paused_until else None
        return JobFailed(outcome.error_code or ErrorCode.NATIVE_ERROR, outcome.message, retry_after_seconds=delay)
    if (note := stop_note(outcome.stop_reason)) is not None:
        return JobFailed(ErrorCode.NATIVE_ERROR, note, is_temporary=False)
    if not outcome.text.strip():
        return JobFailed(ErrorCode.NATIVE_EMPTY_RESPONSE, "The agent ended without an answer.")
    return None
