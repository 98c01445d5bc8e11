"""A turn shall stop: at once while it waits, by its lane while it runs."""

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from rooms.actions.append_event import append_events
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.transactions import joins
from turns.answers import CancelAccepted
from turns.queries.turns import find_turn
from turns.settlement import ended_without_attempt
from turns.state import TurnStatus
from turns.transitions import move_turn


def cancel_turn(turn_id: str, *, clock: Clock) -> CancelAccepted:
    """Give `{turnId, accepted, status}`. A turn that has ended is not accepted and keeps its status.

    Joins the transaction of `run_once`.

    Raises:
        GroupXError: NOT_FOUND.
    """
    joins()
    turn = find_turn(turn_id)
    status = TurnStatus(turn.status)
    accepted = True
    if status is TurnStatus.QUEUED:
        code, message = ErrorCode.TURN_CANCELLED, "The turn was cancelled while it waited; nothing was sent."
        move_turn(
            turn_id,
            TurnStatus.CANCELLED,
            only_from=frozenset({status}),
            ended_at=clock.now(),
            error_code=code.value,
            message=message,
        )
        append_events([ended_without_attempt(turn, TurnStatus.CANCELLED, code, message)], clock=clock)
        status = TurnStatus.CANCELLED
        announce(LaneSignal(turn.target_id, LaneAction.CARD))
    elif status in (TurnStatus.DISPATCHING, TurnStatus.RUNNING):
        move_turn(turn_id, TurnStatus.CANCELLING)
        status = TurnStatus.CANCELLING
        announce(LaneSignal(turn.target_id, LaneAction.CANCEL, turn_id))
    else:
        accepted = status is TurnStatus.CANCELLING
    return {"turnId": turn_id, "accepted": accepted, "status": status.value}
