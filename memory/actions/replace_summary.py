"""A new summary takes the place of the one that counted, and of the messages since."""

from groupx.kernel.clock import Clock
from groupx.kernel.ids import new_summary_id
from memory.models import Summary
from memory.queries.compaction import Coverage, check_stands
from memory.vocabulary import SummaryStatus
from rooms.transactions import durable
from rooms.vocabulary import MAIN_ROOM


@durable
def replace_summary(coverage: Coverage, *, writer_id: str, content: str, lease_token: str, clock: Clock) -> str:
    """Gives the new summary's id.

    Raises:
        GroupXError: STORE_CONFLICT, as `check_stands`.
    """
    check_stands(coverage, lease_token)
    now = clock.now()
    active = Summary.objects.filter(room_id=MAIN_ROOM, status=SummaryStatus.ACTIVE.value)
    active.update(status=SummaryStatus.SUPERSEDED.value, superseded_at=now)
    old = Summary.objects.filter(summary_id=coverage.old_summary_id).first() if coverage.old_summary_id else None
    new = Summary.objects.create(
        summary_id=new_summary_id(),
        room_id=MAIN_ROOM,
        writer_id=writer_id,
        from_seq=coverage.from_seq,
        through_seq=coverage.through_seq,
        content=content,
        supersedes=old,
        created_at=now,
    )
    return new.summary_id
