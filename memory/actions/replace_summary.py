"""A new summary takes the place of the one that counted, and of the messages since."""

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import new_summary_id
from memory.models import CompactionLease, Summary
from memory.queries.compaction import Coverage
from memory.queries.summaries import context_floor
from memory.vocabulary import SummaryStatus
from rooms.transactions import durable
from rooms.vocabulary import MAIN_ROOM


@durable
def replace_summary(coverage: Coverage, *, writer_id: str, content: str, lease_token: str, clock: Clock) -> str:
    """Gives the new summary's id.

    Raises:
        GroupXError: STORE_CONFLICT when another summary counts by now, the context was reset meanwhile, or the lease
            was lost: what was read for this one is no longer what is to be summed up.
    """
    if not CompactionLease.objects.filter(room_id=MAIN_ROOM, token=lease_token).exists():
        raise _conflict("Another compaction of this room has begun.")
    if context_floor() != coverage.reset_through_seq:
        raise _conflict("The context was reset meanwhile.")
    active = Summary.objects.filter(room_id=MAIN_ROOM, status=SummaryStatus.ACTIVE.value)
    if active.values_list("summary_id", flat=True).first() != coverage.old_summary_id:
        raise _conflict("Another summary was written meanwhile.")
    now = clock.now()
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


def _conflict(message: str) -> GroupXError:
    return GroupXError(ErrorCode.STORE_CONFLICT, message)
