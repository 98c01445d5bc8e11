"""What a native session has been given of the room, it has: its delivery cursor moves, only forward."""

from typing import Protocol

from django.db.models import QuerySet

from rooms.prepared import PreparedInsert, PreparedSelect, PreparedUpdate
from rooms.transactions import joins
from turns.models import DeliveryCursor


class Place(Protocol):
    """Whose turn an attempt is of, and in which room."""

    @property
    def room_id(self) -> str: ...
    @property
    def target_id(self) -> str: ...


class DeliveredAttempt(Protocol):
    """What the cursor has to know of an attempt that its agent was given."""

    @property
    def native_session_id(self) -> str | None: ...
    @property
    def context_through_seq(self) -> int: ...
    @property
    def summary_through_seq(self) -> int | None: ...
    @property
    def turn(self) -> Place: ...


def _cursor(room_id: str, actor_id: str, session_id: str) -> QuerySet[DeliveryCursor]:
    return DeliveryCursor.objects.filter(room_id=room_id, actor_id=actor_id, native_session_id=session_id)


_STANDS = PreparedSelect(
    lambda room_id, actor_id, session_id: _cursor(room_id, actor_id, session_id).values_list(
        "last_delivered_seq", "last_summary_seq"
    )
)
_MOVE = PreparedUpdate(_cursor, "last_delivered_seq", "last_summary_seq")
_INSERT = PreparedInsert(DeliveryCursor)


def move_cursor(attempt: DeliveredAttempt) -> None:
    """Joins the transaction that records the native start of this attempt, or its end when it was delivered.

    A cursor is moved to what this attempt was given and no further; one that is there already stays as it is.
    """
    joins()
    if not attempt.native_session_id:
        return
    place = (attempt.turn.room_id, attempt.turn.target_id, attempt.native_session_id)
    given = (attempt.context_through_seq, attempt.summary_through_seq or 0)
    stands = _STANDS.fetch_first(*place)
    if stands is None:
        room_id, actor_id, session_id = place
        cursor = DeliveryCursor(room_id=room_id, actor_id=actor_id, native_session_id=session_id)
        cursor.last_delivered_seq, cursor.last_summary_seq = given
        _INSERT.insert_rows([cursor])
        return
    delivered, summary = max(stands[0], given[0]), max(stands[1], given[1])
    if (delivered, summary) != stands:
        _MOVE.update_rows(*place, last_delivered_seq=delivered, last_summary_seq=summary)
