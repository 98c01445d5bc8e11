"""What a native session has been given of the room, it has: its delivery cursor moves, only forward."""

from turns.models import DeliveryCursor, TurnAttempt


def move_cursor(attempt: TurnAttempt) -> None:
    """Joins the transaction that records the native start of this attempt."""
    if attempt.binding is None:
        return
    cursor, _ = DeliveryCursor.objects.get_or_create(
        room_id=attempt.turn.room_id,
        actor_id=attempt.turn.target_id,
        native_session_id=attempt.binding.native_session_id,
        defaults={"last_delivered_seq": attempt.context_through_seq},
    )
    if cursor.last_delivered_seq < attempt.context_through_seq:
        cursor.last_delivered_seq = attempt.context_through_seq
        cursor.save(update_fields=["last_delivered_seq"])
