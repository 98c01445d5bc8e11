"""A completed turn is to be remembered by its agent: one row that says where its message and its answer stand."""

from django.db.models.fields.json import KT
from django.db.models.functions import Length

from groupx.kernel.clock import Clock
from groupx.kernel.days import LocalDays
from groupx.kernel.text import is_blank
from memory.models import RollupSource
from rooms.models import Event
from rooms.prepared import PreparedInsert, PreparedSelect
from rooms.transactions import joins
from rooms.vocabulary import CONTEXT_TYPES

_LENGTH = PreparedSelect(
    lambda event_id: (
        Event.objects.filter(event_id=event_id, type__in=CONTEXT_TYPES)
        .annotate(chars=Length(KT("body__content")))
        .values_list("chars")
    )
)
_INSERT = PreparedInsert(RollupSource)


def note_source(actor_id: str, source_event_id: str, response: Event, *, days: LocalDays, clock: Clock) -> None:
    """Joins the transaction in which the turn completes. No text is copied.

    Nothing is noted where there is nothing to remember: of a blank answer, or of a turn that no message of the room has
    called for, as an observer's.
    """
    joins()
    answer = response.body["content"]
    source = _LENGTH.fetch_first(source_event_id)
    if source is None or is_blank(answer):
        return
    now = clock.now()
    row = RollupSource(
        actor_id=actor_id,
        source_event_id=source_event_id,
        response_event_id=response.event_id,
        seq=response.seq,
        source_chars=source[0] or 0,
        response_chars=len(answer),
        day=days.day_of(now),
        created_at=now,
    )
    _INSERT.insert_rows([row])
