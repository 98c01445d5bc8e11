"""Where the context of later turns begins, and what agents have kept of their days: rows as the actions leave them."""

from datetime import date

from groupx.kernel.clock import Clock
from groupx.kernel.ids import new_memory_id, new_token
from memory.models import ContextFloor, MemoryRecord, Summary
from memory.vocabulary import AgentMemoryType, MemoryKind, MemoryScope, RecordSource, RecordStatus, SummaryStatus
from rooms.queries import last_seq
from rooms.vocabulary import MAIN_ROOM


def summed_up(through_seq: int, content: str = "what was said", *, clock: Clock, by: str = "reviewer") -> str:
    """A summary of everything up to this seq, in place of the one before; gives its id."""
    Summary.objects.filter(status=SummaryStatus.ACTIVE.value).update(
        status=SummaryStatus.SUPERSEDED.value, superseded_at=clock.now()
    )
    summary = Summary.objects.create(
        summary_id=f"sum_{new_token()[:24]}",
        room_id=MAIN_ROOM,
        writer_id=f"agent:{by}",
        from_seq=1,
        through_seq=through_seq,
        content=content,
        supersedes=Summary.objects.order_by("-pk").first(),
        created_at=clock.now(),
    )
    return summary.summary_id


def reset(through_seq: int | None = None) -> int:
    """The context begins anew behind this seq, by default behind all there is; gives it."""
    floor = last_seq() if through_seq is None else through_seq
    ContextFloor.objects.update_or_create(room_id=MAIN_ROOM, defaults={"reset_through_seq": floor})
    return floor


def day_kept(name: str, day: date, content: str, *, clock: Clock, seq: int | None = None) -> str:
    """What an agent has kept of a day; gives its id."""
    record = MemoryRecord.objects.create(
        record_id=new_memory_id(),
        room_id=MAIN_ROOM,
        author_id=f"agent:{name}",
        subject_id=f"agent:{name}",
        content=content,
        source_kind=RecordSource.AUTOMATIC_ROLLUP.value,
        status=RecordStatus.ACTIVE.value,
        seq=last_seq() if seq is None else seq,
        created_at=clock.now(),
        scope_type=MemoryScope.AGENT.value,
        scope_id=f"agent:{name}",
        agent_memory_type=AgentMemoryType.DATED.value,
        kind=MemoryKind.SUMMARY.value,
        day=day,
    )
    return record.record_id
