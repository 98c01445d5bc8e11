"""A turn shall stop: at once while it waits, by its lane while it runs; and what it asked of others with it."""

from collections.abc import Sequence

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from rooms.actions.append_event import append_events
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.transactions import joins
from turns.answers import CancelAccepted
from turns.models import Turn
from turns.queries.turns import find_turn
from turns.settlement import ended_without_attempt
from turns.state import CommandType, TurnStatus
from turns.transitions import move_turn

WAITED = "The turn was cancelled while it waited; nothing was sent."
ASKER_WAS_CANCELLED = "The turn that asked for this one was cancelled while this one waited; nothing was sent."


def cancel_turn(turn_id: str, *, clock: Clock) -> CancelAccepted:
    """Give `{turnId, accepted, status}`. A turn that has ended is not accepted and keeps its status.

    The open turns that it started by `ask` are cancelled with it, and theirs; what it sent goes on.
    Joins the transaction of `run_once`.

    Raises:
        GroupXError: NOT_FOUND.
    """
    joins()
    turn = find_turn(turn_id)
    if TurnStatus(turn.status).is_terminal:
        return {"turnId": turn_id, "accepted": False, "status": turn.status}
    status = _stop(turn, WAITED, clock)
    asked = _open_asked_by([turn])
    while asked:
        for child in asked:
            _stop(child, ASKER_WAS_CANCELLED, clock)
        asked = _open_asked_by(asked)
    return {"turnId": turn_id, "accepted": True, "status": status.value}


def _stop(turn: Turn, why_if_it_waits: str, clock: Clock) -> TurnStatus:
    """The status of the open turn after it."""
    status = TurnStatus(turn.status)
    if status is TurnStatus.QUEUED:
        end_waiting_turn(turn, why_if_it_waits, clock=clock)
        return TurnStatus.CANCELLED
    if status is not TurnStatus.CANCELLING:
        move_turn(turn.turn_id, TurnStatus.CANCELLING)
        announce(LaneSignal(turn.target_id, LaneAction.CANCEL, turn.turn_id))
    return TurnStatus.CANCELLING


def _open_asked_by(turns: Sequence[Turn]) -> list[Turn]:
    children = Turn.objects.filter(parent_turn__in=turns, command_type=CommandType.ASK.value, ended_at=None)
    return list(children.order_by("enqueue_seq"))


def end_waiting_turn(turn: Turn, message: str, *, clock: Clock) -> None:
    """A queued turn becomes cancelled at once. Joins the caller's transaction.

    Raises:
        GroupXError: STORE_CONFLICT when it does not wait any more.
    """
    joins()
    code = ErrorCode.TURN_CANCELLED
    move_turn(
        turn.turn_id,
        TurnStatus.CANCELLED,
        only_from=frozenset({TurnStatus.QUEUED}),
        ended_at=clock.now(),
        error_code=code.value,
        message=message,
    )
    append_events([ended_without_attempt(turn, TurnStatus.CANCELLED, code, message)], clock=clock)
    announce(LaneSignal(turn.target_id, LaneAction.CARD))
