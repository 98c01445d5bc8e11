"""When an agent's day is to be written down: enough has come together and it is quiet, the day is over, or a
compaction waits. Pure: moments come in, a moment comes out.

Each day counts alone, so that one that cannot be written holds no other up.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date, datetime, timedelta

from groupx.kernel.days import ONE_DAY, LocalDays

BATCH_SOURCES = 8
BATCH_CHARACTERS = 16_000
QUIET = timedelta(minutes=5)
"""Since the last activity, when a day is written down before it has ended."""

TRIES_AT_ONCE = 3
FIRST_PAUSE = timedelta(minutes=1)
LONGEST_PAUSE = timedelta(hours=1)


@dataclass(frozen=True, kw_only=True)
class PendingDay:
    """What waits to be written down of one day, and how its writing went so far."""

    day: date
    sources: int
    characters: int
    """Of their messages and answers."""
    next_attempt_at: datetime | None = None
    asked_at: datetime | None = None
    """Since when a compaction is about to pass what waits."""


def due_at(pending: PendingDay, last_activity_at: datetime, days: LocalDays) -> datetime:
    """From which moment on this day may be written: at the latest when it has ended."""
    reasons = [days.start_of(pending.day + ONE_DAY)]
    if pending.sources >= BATCH_SOURCES or pending.characters >= BATCH_CHARACTERS:
        reasons.append(last_activity_at + QUIET)
    if pending.asked_at is not None:
        reasons.append(pending.asked_at)
    due = min(reasons)
    return due if pending.next_attempt_at is None else max(due, pending.next_attempt_at)


def first_due(
    pending: Iterable[PendingDay], last_activity_at: datetime, days: LocalDays
) -> tuple[datetime, PendingDay] | None:
    """Which day is written next, and from when on; None when nothing waits."""
    return min(
        ((due_at(day, last_activity_at, days), day) for day in pending),
        key=lambda found: (found[0], found[1].day),
        default=None,
    )


def pause_after(failures: int) -> timedelta:
    """How long a day is left alone after so many failures in a row."""
    if failures < TRIES_AT_ONCE:
        return timedelta()
    doublings = min(failures - TRIES_AT_ONCE, 16)  # far beyond the longest pause, and no number too large for a date
    return min(FIRST_PAUSE * 2**doublings, LONGEST_PAUSE)
