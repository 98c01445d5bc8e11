"""A transcript was imported: what it leaves open ends, and its last reset counts here too."""

from collections.abc import Sequence

from groupx.kernel.clock import Clock
from memory.models import ContextFloor
from rooms.actions.append_event import append_events
from rooms.models import Event
from rooms.transactions import durable
from rooms.vocabulary import MAIN_ROOM, EventType
from turns.imported_turns import ImportedTurn, end_of


@durable
def settle_imported(open_turns: Sequence[ImportedTurn], *, clock: Clock) -> int:
    """Gives how many turns ended; does nothing a second time."""
    ends = {event.idempotency_key: event for event in map(end_of, open_turns)}
    written = Event.objects.filter(room_id=MAIN_ROOM, idempotency_key__in=ends)
    for key in written.values_list("idempotency_key", flat=True):
        del ends[key]
    if ends:
        append_events(list(ends.values()), clock=clock)
    reset = Event.objects.filter(room_id=MAIN_ROOM, type=EventType.CONTEXT_RESET.value).order_by("-seq").first()
    if reset is not None:
        ContextFloor.objects.get_or_create(room_id=MAIN_ROOM, defaults={"reset_through_seq": reset.seq})
    return len(ends)
