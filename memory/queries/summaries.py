"""Where the context of later turns begins: the summary that stands for what was said before, and a reset's floor.

On the way of every prompt: two prepared reads of tables with a handful of rows.
"""

from django.db.models import BigIntegerField, Subquery, Value
from django.db.models.functions import Coalesce

from memory.models import ContextFloor, Summary
from memory.packet_text import StandingSummary
from rooms.prepared import PreparedSelect
from rooms.vocabulary import MAIN_ROOM

_FLOOR = PreparedSelect(lambda: ContextFloor.objects.filter(room_id=MAIN_ROOM).values_list("reset_through_seq"))
_RESET_THROUGH = Coalesce(
    Subquery(ContextFloor.objects.filter(room_id=MAIN_ROOM).values("reset_through_seq")[:1]),
    Value(0),
    output_field=BigIntegerField(),
)
_STANDING = PreparedSelect(
    lambda through_seq: (
        Summary.objects.filter(room_id=MAIN_ROOM, through_seq__lte=through_seq, through_seq__gt=_RESET_THROUGH)
        .order_by("-through_seq", "-pk")
        .values_list("summary_id", "writer_id", "from_seq", "through_seq", "content")[:1]
    )
)


def context_floor() -> int:
    """Up to which seq the context was reset: nothing at or below it is given to a later turn. 0 without a reset."""
    found = _FLOOR.fetch_first()
    return int(found[0]) if found else 0


def standing_summary(through_seq: int) -> StandingSummary | None:
    """The summary that reaches furthest within `through_seq` and above the floor.

    One that was superseded meanwhile counts as well: a turn that was taken up before a later summary came about stands
    on the one before it.
    """
    found = _STANDING.fetch_first(through_seq)
    if found is None:
        return None
    summary_id, writer, from_seq, through, content = found
    return StandingSummary(
        summary_id=summary_id, writer=writer, from_seq=from_seq, through_seq=through, content=content
    )
