"""A lane's transactions prove that it still is the lane: a replaced worker changes nothing any more."""

from dataclasses import dataclass

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.prepared import PreparedSelect
from rooms.transactions import joins
from turns.models import TurnAttempt
from turns.state import DeliveryCertainty, DispatchPhase, TurnStatus


@dataclass(frozen=True, kw_only=True)
class LaneTurn:
    """What a lane's steps need of the turn they work on."""

    turn_id: str
    status: TurnStatus
    room_id: str
    source_event_id: str
    target_id: str
    correlation_id: str
    root_correlation_id: str


@dataclass(frozen=True, kw_only=True)
class LaneAttempt:
    attempt_id: str
    dispatch_phase: DispatchPhase
    delivery_certainty: DeliveryCertainty
    context_through_seq: int
    summary_through_seq: int | None
    native_session_id: str | None
    turn: LaneTurn


_ATTEMPT = PreparedSelect(
    lambda attempt_id: TurnAttempt.objects.filter(attempt_id=attempt_id).values_list(
        "dispatch_phase",
        "delivery_certainty",
        "context_through_seq",
        "summary_through_seq",
        "binding__native_session_id",
        "lane_token",
        "turn__target__lane__lane_token",
        "turn_id",
        "turn__status",
        "turn__room_id",
        "turn__source_event_id",
        "turn__target_id",
        "turn__correlation_id",
        "turn__root_correlation_id",
    )
)


def own_attempt(attempt_id: str, lane_token: str) -> LaneAttempt:
    """The attempt with its turn, if this worker claimed it and still holds the lane.

    Raises:
        GroupXError: STORE_CONFLICT when another worker holds the lane.
    """
    joins()
    row = _ATTEMPT.fetch_first(attempt_id)
    if row is None:
        raise _not_ours()
    phase, certainty, through_seq, summary_through_seq, native_session_id, *rest = row
    token_of_attempt, token_of_lane, turn_id, status, *facts = rest
    if not token_of_attempt == token_of_lane == lane_token:
        raise _not_ours()
    room_id, source_event_id, target_id, correlation_id, root_correlation_id = facts
    return LaneAttempt(
        attempt_id=attempt_id,
        dispatch_phase=DispatchPhase(phase),
        delivery_certainty=DeliveryCertainty(certainty),
        context_through_seq=through_seq,
        summary_through_seq=summary_through_seq,
        native_session_id=native_session_id,
        turn=LaneTurn(
            turn_id=turn_id,
            status=TurnStatus(status),
            room_id=room_id,
            source_event_id=source_event_id,
            target_id=target_id,
            correlation_id=correlation_id,
            root_correlation_id=root_correlation_id,
        ),
    )


def open_attempt(attempt_id: str, lane_token: str) -> LaneAttempt:
    """The same for an attempt that must not have ended.

    Raises:
        GroupXError: STORE_CONFLICT when it has, or another worker holds the lane.
    """
    attempt = own_attempt(attempt_id, lane_token)
    if attempt.dispatch_phase is DispatchPhase.TERMINAL:
        raise GroupXError(ErrorCode.STORE_CONFLICT, "This attempt has ended.")
    return attempt


def _not_ours() -> GroupXError:
    return GroupXError(ErrorCode.STORE_CONFLICT, "Another worker has taken over this lane.")
