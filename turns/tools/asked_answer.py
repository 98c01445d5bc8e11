"""What an asker is told: each target's answer or failure, or why it is still to come (edge)."""

from collections.abc import Sequence

from groupx.kernel.errors import ErrorCode
from turns.asked import AskedTurn
from turns.member_answers import Asked, AskedResult
from turns.queries.reading import PAGE_CHARS
from turns.settlement import stop_note
from turns.state import TurnStatus

NOTE_CHARS = 2_000
HOW_TO_GO_ON = "Get the answer by collect with this messageEventId; do not ask again."
STEERED = "Its observer has steered it: its agent goes on in another turn, and answers in the room."


def asked_answer(
    message_event_id: str,
    correlation_id: str,
    turns: Sequence[AskedTurn],
    *,
    why_pending: str = "",
    how_to_go_on: str = HOW_TO_GO_ON,
) -> Asked:
    """`why_pending` is a sentence that holds for all that are still open; without it each has its own. `how_to_go_on`
    says how the asker comes to the answer later."""
    shown = _shares({turn.turn_id: len(turn.response.content) for turn in turns if turn.response})
    return {
        "messageEventId": message_event_id,
        "correlationId": correlation_id,
        "state": "terminal" if all(turn.status.is_terminal for turn in turns) else "pending",
        "results": [_result(turn, shown.get(turn.turn_id, 0), why_pending, how_to_go_on) for turn in turns],
    }


def _result(turn: AskedTurn, shown_chars: int, why_pending: str, how_to_go_on: str) -> AskedResult:
    result: AskedResult = {
        "target": turn.target,
        "turnId": turn.turn_id,
        "status": "pending",
        "queuePosition": turn.ahead,
    }
    note = turn.message[:NOTE_CHARS]
    match turn.status:
        case TurnStatus.COMPLETED:
            result["status"], note = "completed", stop_note(turn.stop_reason) or ""
        case TurnStatus.FAILED:
            result["status"], result["errorCode"] = "failed", turn.error_code
        case TurnStatus.INTERRUPTED:
            result["status"], result["errorCode"] = "failed", ErrorCode.TURN_INTERRUPTED
            note = STEERED if turn.was_steered else note
        case TurnStatus.CANCELLED:
            result["status"], result["errorCode"] = "cancelled", turn.error_code
            note = STEERED if turn.was_steered else note
        case _:
            note = f"{why_pending or _why_pending(turn)} {how_to_go_on}"
            if turn.active_turn_id:
                result["activeTurnId"] = turn.active_turn_id
    if (response := turn.response) is not None:
        result["responseEventId"], result["content"] = response.event_id, response.content[:shown_chars]
        if shown_chars < response.full_length:
            result["truncated"], result["fullLength"] = True, response.full_length
            note = f"{note} This is its beginning; read it with afterSeq {response.seq - 1} and limit 1.".strip()
    if note:
        result["note"] = note
    return result


def _why_pending(turn: AskedTurn) -> str:
    if turn.is_callers:
        return "This is your own turn."
    if turn.waits_for_caller:
        return f"{turn.target} waits for you: this ends only after your own turn."
    match turn.status:
        case TurnStatus.CANCELLING:
            return f"{turn.target} is being stopped."
        case TurnStatus.QUEUED if turn.why_it_rests:
            return turn.why_it_rests
        case TurnStatus.QUEUED if turn.ahead:
            return f"{turn.target} has {turn.ahead} other {'turn' if turn.ahead == 1 else 'turns'} to do first."
        case TurnStatus.QUEUED:
            return f"{turn.target} has not begun yet."
        case _:
            return f"{turn.target} is still working on it."


def _shares(lengths: dict[str, int]) -> dict[str, int]:
    """How much of each text is shown, PAGE_CHARS in all: short ones whole, long ones as much as each other."""
    shares, chars_left = {}, PAGE_CHARS
    for given, name in enumerate(sorted(lengths, key=lambda name: lengths[name])):
        shares[name] = min(lengths[name], chars_left // (len(lengths) - given))
        chars_left -= shares[name]
    return shares
