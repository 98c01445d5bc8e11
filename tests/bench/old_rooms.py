"""What a room of a certain age has besides its log. Imported by programs that have set Django up."""

from groupx.kernel.clock import SystemClock
from groupx.kernel.ids import new_summary_id
from memory.compaction_plan import VERBATIM_MESSAGES
from memory.models import Summary
from rooms.models import Event
from rooms.vocabulary import CONTEXT_TYPES, MAIN_ROOM, WEB_USER

CONTENT = "For this part of the room it was decided: read, change, test, and tell what became of it. " * 90


def sum_up() -> None:
    """A summary of all but the newest messages, so that an agent's first prompt does not wait for one."""
    said = Event.objects.filter(type__in=CONTEXT_TYPES).order_by("-seq").values_list("seq", flat=True)
    through_seq = said[VERBATIM_MESSAGES : VERBATIM_MESSAGES + 1].first()
    if through_seq is not None:
        Summary.objects.create(
            summary_id=new_summary_id(),
            room_id=MAIN_ROOM,
            writer_id=WEB_USER,
            from_seq=1,
            through_seq=through_seq,
            content=CONTENT,
            created_at=SystemClock().now(),
        )
