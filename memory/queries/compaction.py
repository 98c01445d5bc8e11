"""What a compaction would cover now, its messages, a window of the log at a time, and whether one is at work."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from groupx.kernel.errors import ErrorCode, GroupXError
from memory.compaction_plan import VERBATIM_MESSAGES, RoomMessage, kept_verbatim
from memory.models import CompactionLease, Summary
from memory.queries.summaries import context_floor
from memory.vocabulary import SummaryStatus
from rooms.models import Event
from rooms.transactions import snapshot
from rooms.vocabulary import CONTEXT_TYPES, MAIN_ROOM

WINDOW_SEQS = 200
"""Of the log at once: so the messages in memory are bounded, whatever the room has said."""

LEASE_SECONDS = 20.0
"""How long the room waits for a process that died while it summed up."""

type Fits = Callable[[Sequence[RoomMessage]], bool]
"""Whether these newest messages have room beside a summary of all that is older; they stand oldest first."""


@dataclass(frozen=True, kw_only=True)
class Coverage:
    """What a new summary is to stand for, and what it takes the place of."""

    old_summary_id: str | None
    old_content: str
    reset_through_seq: int
    """As it was when this was decided."""
    from_seq: int
    """Where the new summary begins: with the one before it, or behind the reset."""
    after_seq: int
    """Behind this seq begin the messages that no summary covers yet."""
    through_seq: int


def coverage(through_seq: int, fits: Fits) -> Coverage | None:
    """The older messages up to `through_seq` that no summary covers: all but the newest 12, or fewer if they do not
    fit. None when there are none."""
    with snapshot():
        floor = context_floor()
        old = Summary.objects.filter(room_id=MAIN_ROOM, status=SummaryStatus.ACTIVE.value).first()
        after_seq = max(floor, old.through_seq if old else 0)
        newest = _newest(after_seq, through_seq)
    kept = kept_verbatim(newest[-VERBATIM_MESSAGES:], fits)
    covered = newest[: len(newest) - len(kept)]
    if not covered:
        return None
    return Coverage(
        old_summary_id=old.summary_id if old else None,
        old_content=old.content if old else "",
        reset_through_seq=floor,
        from_seq=old.from_seq if old else floor + 1,
        after_seq=after_seq,
        through_seq=covered[-1].seq,
    )


def check_stands(coverage: Coverage, lease_token: str) -> None:
    """
    Raises:
        GroupXError: STORE_CONFLICT when another summary counts by now, the context was reset meanwhile, or the lease
            was lost: what was read is no longer what is to be summed up.
    """
    if not CompactionLease.objects.filter(room_id=MAIN_ROOM, token=lease_token).exists():
        raise _overtaken("Another compaction of this room has begun.")
    if context_floor() != coverage.reset_through_seq:
        raise _overtaken("The context was reset meanwhile.")
    active = Summary.objects.filter(room_id=MAIN_ROOM, status=SummaryStatus.ACTIVE.value)
    if active.values_list("summary_id", flat=True).first() != coverage.old_summary_id:
        raise _overtaken("Another summary was written meanwhile.")


def _overtaken(message: str) -> GroupXError:
    return GroupXError(ErrorCode.STORE_CONFLICT, message)


def summed_up_through() -> int:
    """Up to where the summary that counts now reaches; 0 without one."""
    active = Summary.objects.filter(room_id=MAIN_ROOM, status=SummaryStatus.ACTIVE.value)
    return active.values_list("through_seq", flat=True).first() or 0


def is_held(expires_at: datetime, now: datetime) -> bool:
    """A lease that lasts longer than any can was written before the clock was set back."""
    return now < expires_at <= now + timedelta(seconds=LEASE_SECONDS)


def lease_is_free(now: datetime) -> bool:
    """Whether nobody sums the room up: a look without a write, since who waits asks often."""
    expires_at = CompactionLease.objects.filter(room_id=MAIN_ROOM).values_list("expires_at", flat=True).first()
    return expires_at is None or not is_held(expires_at, now)


def _newest(after_seq: int, through_seq: int) -> list[RoomMessage]:
    """Those that may stay verbatim and the one before them, oldest first."""
    rows = (
        Event.objects.filter(room_id=MAIN_ROOM, type__in=CONTEXT_TYPES, seq__gt=after_seq, seq__lte=through_seq)
        .order_by("-seq")
        .values_list("seq", "actor_id", "body")[: VERBATIM_MESSAGES + 1]
    )
    return [_message(row) for row in rows][::-1]


def messages_between(first_seq: int, last_seq: int) -> list[RoomMessage]:
    """All of them from one seq through another, in their order; for a window of the log or a block."""
    rows = (
        Event.objects.filter(room_id=MAIN_ROOM, type__in=CONTEXT_TYPES, seq__gte=first_seq, seq__lte=last_seq)
        .order_by("seq")
        .values_list("seq", "actor_id", "body")
    )
    return [_message(row) for row in rows]


def _message(row: tuple) -> RoomMessage:
    seq, author, body = row
    return RoomMessage(seq=seq, author=author, content=body.get("content", ""))
