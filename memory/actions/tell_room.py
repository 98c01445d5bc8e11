"""The one event that tells the room of a record, and the facts that the record and the answer share with it."""

from datetime import datetime
from typing import Any

from groupx.kernel.clock import Clock, iso
from memory.answers import Kept, Retracted
from memory.drafts import Occasion
from memory.vocabulary import RecordSource, RecordStatus
from rooms.actions.append_event import append_events
from rooms.bodies import RecordBody
from rooms.caller import Caller
from rooms.models import Event
from rooms.new_event import NewEvent
from rooms.vocabulary import MAIN_ROOM


def tell_room(body: RecordBody, *, caller: Caller, occasion: Occasion, clock: Clock) -> Event:
    """Joins the caller's transaction."""
    event = NewEvent(
        body=body,
        actor=caller.actor,
        source_kind=caller.source_kind,
        correlation_id=occasion.correlation_id,
        root_correlation_id=occasion.root,
        causation_id=occasion.causation_id,
    )
    [appended] = append_events([event], clock=clock)
    return appended


def written(event: Event, caller: Caller) -> dict[str, Any]:
    """By whom, through what and when, as the event says it."""
    return {
        "room_id": MAIN_ROOM,
        "author_id": caller.actor.actor_id,
        "source_kind": RecordSource(caller.source_kind.value).value,
        "seq": event.seq,
        "created_at": event.occurred_at,
    }


def kept(event: Event) -> Kept:
    """What the caller sees of a new record, but for its id."""
    return {
        "status": RecordStatus.ACTIVE,
        "eventId": event.event_id,
        "seq": event.seq,
        "createdAt": iso(event.occurred_at),
    }


def retracted(event: Event, at: datetime) -> Retracted:
    """What the caller sees of a record that counts no longer, but for its id."""
    return {"status": RecordStatus.RETRACTED, "eventId": event.event_id, "seq": event.seq, "retractedAt": iso(at)}
