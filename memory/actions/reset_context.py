"""The room's context begins anew: what was said so far is given to no later turn. The transcript stays."""

from groupx.kernel.clock import Clock
from groupx.kernel.ids import new_correlation_id
from memory.context_answers import ContextResetDone
from memory.models import ContextFloor, Summary
from memory.queries.context_usage import context_usage
from memory.queries.summaries import context_floor
from memory.vocabulary import SummaryStatus
from rooms.actions.append_event import append_events
from rooms.bodies import ContextReset
from rooms.caller import Caller
from rooms.models import Event, Room
from rooms.new_event import NewEvent
from rooms.transactions import joins
from rooms.vocabulary import CONTEXT_TYPES, MAIN_ROOM


def reset_context(*, caller: Caller, max_characters: int, clock: Clock) -> ContextResetDone:
    """Raise the floor to where the log ends, end the summary and tell the room. Joins the transaction of `run_once`.

    Without a message since the last reset nothing happens: of two at once one does it. A message that is accepted at
    the same moment stands before the floor or behind it, as its seq says.
    """
    joins()
    room = Room.objects.select_for_update().get(room_id=MAIN_ROOM)
    floor = context_floor()
    if not Event.objects.filter(room_id=MAIN_ROOM, type__in=CONTEXT_TYPES, seq__gt=floor).exists():
        return {"reset": False, **context_usage(max_characters)}
    through_seq = room.last_seq
    ContextFloor.objects.update_or_create(room_id=MAIN_ROOM, defaults={"reset_through_seq": through_seq})
    body = ContextReset(
        reset_through_seq=through_seq, superseded_summary_through_seq=_end_summary(through_seq, clock=clock)
    )
    correlation_id = new_correlation_id()
    event = NewEvent(
        body=body,
        actor=caller.actor,
        source_kind=caller.source_kind,
        correlation_id=correlation_id,
        root_correlation_id=correlation_id,
    )
    append_events([event], clock=clock)
    return {"reset": True, **context_usage(max_characters)}


def _end_summary(through_seq: int, *, clock: Clock) -> int | None:
    """The seq through which the one that ends has stood for everything; None without one."""
    active = Summary.objects.filter(room_id=MAIN_ROOM, status=SummaryStatus.ACTIVE.value, through_seq__lte=through_seq)
    reached: int | None = active.values_list("through_seq", flat=True).first()
    active.update(status=SummaryStatus.SUPERSEDED.value, superseded_at=clock.now())
    return reached
