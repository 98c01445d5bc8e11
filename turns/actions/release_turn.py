"""A claimed turn of which nothing was sent goes back to its queue, with its place."""

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.transactions import durable, joins
from turns.actions.finish_turn import AttemptFacts
from turns.actions.lane_status import announce_card
from turns.fencing import open_attempt
from turns.models import TurnAttempt
from turns.state import DispatchPhase, TurnStatus
from turns.transitions import move_turn


@durable
def release_turn(attempt_id: str, lane_token: str, *, clock: Clock) -> None:
    """What a lane does with a turn it has claimed when it is to stop or restart before delivering it.

    Raises:
        GroupXError: STORE_CONFLICT when something was or may have been sent, or the turn is being cancelled.
    """
    attempt = open_attempt(attempt_id, lane_token)
    if attempt.dispatch_phase is not DispatchPhase.PREPARED:
        raise GroupXError(ErrorCode.STORE_CONFLICT, "The prompt of this attempt was sent, or may have been.")
    put_back(attempt, clock=clock)
    announce_card(attempt.turn.target_id)


def put_back(attempt: AttemptFacts, *, clock: Clock) -> None:
    """Joins the caller's transaction; recovery does the same for a lane that died."""
    joins()
    TurnAttempt.objects.filter(attempt_id=attempt.attempt_id).update(
        dispatch_phase=DispatchPhase.TERMINAL.value, ended_at=clock.now()
    )
    move_turn(attempt.turn.turn_id, TurnStatus.QUEUED, only_from=frozenset({TurnStatus.DISPATCHING}))
