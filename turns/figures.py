"""What the turns of the last day add up to: how many in each hour, how long they took, what went wrong. Pure."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from turns.state import TurnStatus

HOURS = 24
SPANS_SECONDS = (1, 3, 10, 30, 60, 180, 600)
"""Upper bounds of how long turns took; the last span has none."""


@dataclass(frozen=True, kw_only=True)
class TurnFact:
    created_at: datetime
    ended_at: datetime | None
    status: TurnStatus
    error_code: str


@dataclass(frozen=True, kw_only=True)
class Hour:
    begin: datetime
    completed: int
    ended_otherwise: int
    still_open: int

    @property
    def total(self) -> int:
        return self.completed + self.ended_otherwise + self.still_open


@dataclass(frozen=True, kw_only=True)
class Figures:
    hours: tuple[Hour, ...]
    """Oldest first; the last one is the present hour."""
    median_seconds: float | None
    p95_seconds: float | None
    """Of completed turns, from the message to the answer."""
    spans: tuple[int, ...]
    """Completed turns by SPANS_SECONDS, one more than bounds."""
    errors: tuple[tuple[str, int], ...]
    """Codes of turns that did not complete, most frequent first."""

    @property
    def turns(self) -> int:
        return sum(hour.total for hour in self.hours)


def first_hour(now: datetime) -> datetime:
    return now.replace(minute=0, second=0, microsecond=0) - timedelta(hours=HOURS - 1)


def figures_of(facts: Iterable[TurnFact], now: datetime) -> Figures:
    """Of turns created since `first_hour(now)`; what is older, or from the future, is left out."""
    begin = first_hour(now)
    hours = [[0, 0, 0] for _ in range(HOURS)]
    took: list[float] = []
    errors: Counter[str] = Counter()
    for fact in facts:
        index = (fact.created_at - begin) // timedelta(hours=1)
        if not 0 <= index < HOURS:
            continue
        if fact.status is TurnStatus.COMPLETED and fact.ended_at is not None:
            hours[index][0] += 1
            took.append(max(0.0, (fact.ended_at - fact.created_at).total_seconds()))
        elif fact.status.is_terminal:
            hours[index][1] += 1
            errors[fact.error_code] += 1
        else:
            hours[index][2] += 1
    took.sort()
    return Figures(
        hours=tuple(
            Hour(begin=begin + timedelta(hours=at), completed=done, ended_otherwise=otherwise, still_open=still)
            for at, (done, otherwise, still) in enumerate(hours)
        ),
        median_seconds=percentile(took, 50),
        p95_seconds=percentile(took, 95),
        spans=spans_of(took),
        errors=tuple(errors.most_common()),
    )


def percentile(ordered: Sequence[float], percent: int) -> float | None:
    """The smallest value that at least so many percent of all do not exceed; None of nothing."""
    return ordered[ceil(len(ordered) * percent / 100) - 1] if ordered else None


def spans_of(took: Iterable[float]) -> tuple[int, ...]:
    counts = [0] * (len(SPANS_SECONDS) + 1)
    for seconds in took:
        counts[sum(seconds > bound for bound in SPANS_SECONDS)] += 1
    return tuple(counts)
