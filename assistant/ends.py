"""What the end of a native turn, or of a start, means for the question. Pure."""

from adapters.contract import AdapterError
from assistant.state import MAX_STORED_CHARACTERS, QuestionEnd, QuestionState
from groupx.kernel.errors import ErrorCode
from groupx.kernel.text import clip, storable
from turns.settlement import TurnOutcome, stop_note
from turns.state import TurnStatus

IF_STILL_WANTED = "Ask again if you still want it."
ASK_AGAIN = "Ask again; if it happens again, look at the log."


def end_of(outcome: TurnOutcome | None) -> QuestionEnd:
    """`outcome` None: the conversation with the CLI broke."""
    if outcome is None:
        return _failed(
            ErrorCode.PROTOCOL_INVALID_MESSAGE,
            "The conversation with the assistant's CLI broke in a way that GroupX did not expect.",
            ASK_AGAIN,
        )
    match outcome.status:
        case TurnStatus.COMPLETED:
            return _answered(outcome)
        case TurnStatus.CANCELLED:
            return QuestionEnd(state=QuestionState.CANCELLED)
        case TurnStatus.INTERRUPTED if outcome.error_code is ErrorCode.TURN_INTERRUPTED:
            return _failed(outcome.error_code, "The assistant was stopped while it answered.", IF_STILL_WANTED)
        case _:
            return _failed(outcome.error_code or ErrorCode.NATIVE_ERROR, outcome.message, outcome.hint)


def start_failed(error: AdapterError) -> QuestionEnd:
    """No session came about."""
    return _failed(error.code, error.message, error.hint)


def _answered(outcome: TurnOutcome) -> QuestionEnd:
    note = stop_note(outcome.stop_reason)
    if not outcome.text.strip():
        return _failed(ErrorCode.NATIVE_EMPTY_RESPONSE, note or "The assistant ended without an answer.", "Ask again.")
    text = clip(storable(outcome.text), MAX_STORED_CHARACTERS - len(note or "") - 2)
    return QuestionEnd(state=QuestionState.ANSWERED, answer=f"{text}\n\n{note}" if note else text)


def _failed(code: ErrorCode, message: str, hint: str | None) -> QuestionEnd:
    words = message.strip() or "The assistant could not answer."
    return QuestionEnd(state=QuestionState.FAILED, error_code=code.value, message=words, hint=hint or "")
