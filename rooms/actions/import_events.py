"""Events of an exported transcript enter the log as they were: the one other writer of events beside `append_event`.

It writes only behind the log's end, with the very seqs that come next, so that nobody who reads sees the difference.
"""

from collections.abc import Sequence

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.envelope import shorten_body
from rooms.importing.lines import ExportedEvent
from rooms.models import Actor, Event, Room
from rooms.prepared import PreparedInsert
from rooms.transactions import durable
from rooms.vocabulary import MAIN_ROOM, ActorKind

_INSERT = PreparedInsert(Event)


@durable
def import_events(events: Sequence[ExportedEvent]) -> int:
    """Take those of `events` that the log does not have; gives how many. Wakes nobody: there is no turn and no
    announcement. Whoever repeats it, also after having been killed in between, goes on where it ended.

    Raises:
        GroupXError: STORE_CONFLICT when the log has other events at these places.
    """
    room = Room.objects.select_for_update().get(room_id=MAIN_ROOM)
    there = dict(
        Event.objects.filter(room=room, seq__gte=events[0].seq, seq__lte=events[-1].seq).values_list("seq", "event_id")
    )
    if any(there.get(event.seq, event.event_id) != event.event_id for event in events):
        raise _not_empty(room.last_seq)
    missing = [event for event in events if event.seq > room.last_seq]
    if missing:
        _know_actors(missing)
        _INSERT.insert_rows([_row(event) for event in missing])
        Room.objects.filter(room_id=MAIN_ROOM).update(last_seq=missing[-1].seq)
    return len(missing)


def _know_actors(events: Sequence[ExportedEvent]) -> None:
    """Who is in no roster any more stays known by its name, and gets no turn."""
    named = {event.actor.actor_id: event.actor.display_name for event in events}
    named = {actor_id: actor_id.partition(":")[2] for event in events for actor_id in event.to} | named
    known = set(Actor.objects.filter(actor_id__in=named).values_list("actor_id", flat=True))
    Actor.objects.bulk_create(
        Actor(actor_id=actor_id, kind=_kind(actor_id), display_name=name, enabled=False)
        for actor_id, name in named.items()
        if actor_id not in known
    )


def _kind(actor_id: str) -> str:
    return ActorKind(actor_id.partition(":")[0]).value


def _row(event: ExportedEvent) -> Event:
    shown = shorten_body(event.body)
    return Event(
        event_id=event.event_id,
        room_id=MAIN_ROOM,
        seq=event.seq,
        type=event.type,
        actor_id=event.actor.actor_id,
        actor_name=event.actor.display_name,
        instance_id=event.actor.instance_id,
        to=event.to,
        correlation_id=event.correlation_id,
        root_correlation_id=event.root_correlation_id,
        causation_id=event.causation_id,
        reply_to_event_id=event.reply_to_event_id,
        forwarded_event_id=event.forwarded_event_id,
        source_kind=event.provenance.source_kind.value,
        body=event.body,
        occurred_at=event.occurred_at,
        cut_body=None if shown is event.body else shown,
    )


def _not_empty(last_seq: int) -> GroupXError:
    return GroupXError(
        ErrorCode.STORE_CONFLICT,
        f"This room has a log of its own already ({last_seq} events); import into a room that was never started.",
    )
