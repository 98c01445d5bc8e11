"""The only writer of events: takes the next seqs of the room and inserts, in the caller's transaction."""

from collections.abc import Sequence

from django.db import connection

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.announcements import Committed, announce
from rooms.envelope import shorten_body
from rooms.models import Event
from rooms.new_event import NewEvent
from rooms.prepared import PreparedInsert
from rooms.transactions import joins
from rooms.vocabulary import MAIN_ROOM

_INSERT = PreparedInsert(Event)


def append_events(new: Sequence[NewEvent], *, clock: Clock, room_id: str = MAIN_ROOM) -> list[Event]:
    """Append in the given order, with consecutive seqs, and announce the last one after commit.

    Raises:
        GroupXError: NOT_FOUND if there is no such room.
        IntegrityError: an idempotency key is already there; the action that made it decides what that means.
    """
    joins()
    last_seq = _take_seqs(room_id, len(new))
    now = clock.now()
    bodies = [event.body.wire() for event in new]
    events = [
        Event(
            event_id=event.event_id,
            room_id=room_id,
            seq=last_seq - len(new) + 1 + index,
            type=event.body.event_type.value,
            actor_id=event.actor.actor_id,
            actor_name=event.actor.display_name,
            instance_id=event.actor.instance_id,
            to=list(event.to),
            correlation_id=event.correlation_id,
            root_correlation_id=event.root_correlation_id,
            causation_id=event.causation_id,
            reply_to_event_id=event.reply_to_event_id,
            forwarded_event_id=event.forwarded_event_id,
            idempotency_key=event.idempotency_key,
            source_kind=event.source_kind.value,
            body=body,
            occurred_at=now,
            cut_body=None if (shown := shorten_body(body)) is body else shown,
        )
        for index, (event, body) in enumerate(zip(new, bodies, strict=True))
    ]
    _INSERT.insert_rows(events)
    announce(Committed(room_id, last_seq))
    return events


def _take_seqs(room_id: str, count: int) -> int:
    """The last of `count` new seqs. The row stays locked until commit, so seq follows commit order."""
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE rooms_room SET last_seq = last_seq + %s WHERE room_id = %s RETURNING last_seq", [count, room_id]
        )
        row = cursor.fetchone()
    if row is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no room “{room_id}”.")
    return int(row[0])
