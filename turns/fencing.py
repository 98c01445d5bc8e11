"""A lane's transactions prove that it still is the lane: a replaced worker changes nothing any more."""

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.transactions import joins
from turns.models import Lane, TurnAttempt
from turns.state import DispatchPhase


def require_lane(actor_id: str, lane_token: str) -> None:
    """
    Raises:
        GroupXError: STORE_CONFLICT when another worker holds this lane.
    """
    joins()
    if not Lane.objects.filter(actor_id=actor_id, lane_token=lane_token).exists():
        raise GroupXError(ErrorCode.STORE_CONFLICT, f"Another worker has taken over the lane of {actor_id}.")


def open_attempt(attempt_id: str, lane_token: str) -> TurnAttempt:
    """The attempt with its turn, if this lane may still write it.

    Raises:
        GroupXError: STORE_CONFLICT when it has ended or belongs to another worker.
    """
    joins()
    attempt = (
        TurnAttempt.objects.select_related("turn")
        .filter(attempt_id=attempt_id, lane_token=lane_token)
        .exclude(dispatch_phase=DispatchPhase.TERMINAL.value)
        .first()
    )
    if attempt is None:
        raise GroupXError(ErrorCode.STORE_CONFLICT, "This attempt has ended or belongs to another worker.")
    require_lane(attempt.turn.target_id, lane_token)
    return attempt
