"""What a native session has been given of the room, it has: its delivery cursor moves, only forward."""

from rooms.prepared import PreparedUpdate
from turns.fencing import LaneAttempt
from turns.models import DeliveryCursor

_MOVE = PreparedUpdate(
    lambda room_id, actor_id, session_id, through_seq: DeliveryCursor.objects.filter(
        room_id=room_id, actor_id=actor_id, native_session_id=session_id, last_delivered_seq__lte=through_seq
    ),
    "last_delivered_seq",
)


def move_cursor(attempt: LaneAttempt) -> None:
    """Joins the transaction that records the native start of this attempt."""
    if attempt.native_session_id is None:
        return
    turn, through_seq = attempt.turn, attempt.context_through_seq
    place = (turn.room_id, turn.target_id, attempt.native_session_id)
    if _MOVE.update_rows(*place, through_seq, last_delivered_seq=through_seq) == 0:
        DeliveryCursor.objects.get_or_create(
            room_id=turn.room_id,
            actor_id=turn.target_id,
            native_session_id=attempt.native_session_id,
            defaults={"last_delivered_seq": through_seq},
        )
