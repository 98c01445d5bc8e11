"""What agents have used: of one since a moment, of each day, of today. All by indexes on the ends of turns and jobs.

Sums of tokens and cost include what jobs outside turns have used (docs/jobs.md); they are no turns.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from django.db import connection
from django.db.models import Count, QuerySet, Sum
from pydantic.alias_generators import to_camel

from groupx.kernel.days import ONE_DAY, LocalDays
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import Actor
from rooms.prepared import PreparedSelect
from rooms.transactions import snapshot
from rooms.vocabulary import ActorKind
from turns.models import AgentJob, TurnUsage
from turns.pauses import Spent
from turns.requests import UsageQuery
from turns.usage_answers import Usage, UsageOfDay, UsageSums

SUMMED = ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "total_tokens", "cost_usd")
NOTHING = (None,) * len(SUMMED)
COST_DIGITS = 6
OLDEST_DAY, NEWEST_DAY = date(1970, 1, 2), date(2999, 12, 30)


type Figures = Sequence[Any]
"""As SUMMED; None is unknown."""


def _sums(rows: QuerySet[TurnUsage]) -> QuerySet[TurnUsage, Any]:
    """(agent, turns, *SUMMED); null where no turn told a figure."""
    sums = {f"sum_{name}": Sum(name) for name in SUMMED}
    return (
        rows.order_by()
        .values("actor_id")
        .annotate(turns=Count("turn_id"), **sums)
        .values_list("actor_id", "turns", *sums)
    )


_BETWEEN = PreparedSelect(
    lambda since, until: _sums(TurnUsage.objects.filter(ended_at__gte=since, ended_at__lt=until)),
)
_OF_ONE_BETWEEN = PreparedSelect(
    lambda actor_id, since, until: _sums(
        TurnUsage.objects.filter(actor_id=actor_id, ended_at__gte=since, ended_at__lt=until)
    ),
)


_JOBS_BETWEEN = PreparedSelect(
    lambda since, until: AgentJob.objects.filter(
        usage__isnull=False, ended_at__gte=since, ended_at__lt=until
    ).values_list("actor_id", "usage"),
)


def spent_since(actor_id: str, since: datetime, until: datetime) -> Spent:
    """By the turns and jobs of an agent that ended in between, as far as it told."""
    _, *of_turns = _OF_ONE_BETWEEN.fetch_first(actor_id, *_stored(since, until)) or ("", 0, *NOTHING)
    _, *figures = _both(of_turns, _used_by_jobs(since, until).get(actor_id, NOTHING))
    told = dict(zip(SUMMED, figures, strict=True))
    return Spent(tokens=told["total_tokens"] or 0, cost_usd=told["cost_usd"] or 0.0)


def usage_between(since: datetime, until: datetime) -> Mapping[str, UsageSums]:
    """By agent."""
    of_turns = {actor_id: of for actor_id, *of in _BETWEEN.fetch_all(*_stored(since, until))}
    of_jobs = _used_by_jobs(since, until)
    return {
        actor_id: _wire(*_both(of_turns.get(actor_id, (0, *NOTHING)), of_jobs.get(actor_id, NOTHING)))
        for actor_id in of_turns | of_jobs
    }


def _used_by_jobs(since: datetime, until: datetime) -> dict[str, Figures]:
    """Summed here, not in the database: an agent has a handful of them a day."""
    sums: dict[str, Figures] = {}
    for actor_id, told in _JOBS_BETWEEN.fetch_all(*_stored(since, until)):
        figures = [told.get(to_camel(name)) for name in SUMMED]
        sums[actor_id] = _added(sums.get(actor_id, NOTHING), figures)
    return sums


def _both(of_turns: Sequence[Any], of_jobs: Figures) -> tuple[Any, ...]:
    """(turns, *SUMMED)"""
    turns, *figures = of_turns
    return (turns, *_added(figures, of_jobs))


def _added(some: Figures, more: Figures) -> Figures:
    """What neither told stays unknown."""
    return [b if a is None else a if b is None else a + b for a, b in zip(some, more, strict=True)]


def usage_by_day(asked: UsageQuery, days: LocalDays, today: date) -> Usage:
    """GET /api/usage: what agents have used on each of these days, in one query a day, and altogether.

    Raises:
        GroupXError: UNKNOWN_ACTOR for an agent that was never in the room.
    """
    last = asked.last_day or today
    first = date.fromordinal(max(1, last.toordinal() - asked.days + 1))
    with snapshot():
        roster = _roster(asked.agent)
        found = [_of_day(day, days, roster) for day in _countable(first, last)]
    items = [item for of_day in found for item in of_day]
    return {
        "timeZone": days.zone.key if days.zone else None,
        "firstDay": first.isoformat(),
        "lastDay": last.isoformat(),
        "items": items,
        "totals": _totals(items),
    }


def _of_day(day: date, days: LocalDays, roster: list[str]) -> list[UsageOfDay]:
    sums = usage_between(days.start_of(day), days.start_of(day + ONE_DAY))
    return [{"day": day.isoformat(), "actorId": actor_id, **sums[actor_id]} for actor_id in roster if actor_id in sums]


def _countable(first: date, last: date) -> Iterator[date]:
    """Newest first; nothing was ever used on days that no clock of ours can show."""
    newest, oldest = min(last, NEWEST_DAY).toordinal(), max(first, OLDEST_DAY).toordinal()
    return (date.fromordinal(day) for day in range(newest, oldest - 1, -1))


def _roster(actor_id: str | None) -> list[str]:
    agents = Actor.objects.filter(kind=ActorKind.AGENT.value).order_by("roster_position", "actor_id")
    found = list((agents if actor_id is None else agents.filter(actor_id=actor_id)).values_list("actor_id", flat=True))
    if actor_id is not None and not found:
        raise GroupXError(ErrorCode.UNKNOWN_ACTOR, f"There is no agent “{actor_id}”.")
    return found


def _wire(turns: int, *figures: Any) -> UsageSums:
    told = dict(zip(SUMMED, figures, strict=True))
    return {
        "turns": turns,
        "inputTokens": told["input_tokens"],
        "cachedTokens": told["cached_tokens"],
        "outputTokens": told["output_tokens"],
        "reasoningTokens": told["reasoning_tokens"],
        "totalTokens": told["total_tokens"],
        "costUsd": None if told["cost_usd"] is None else round(told["cost_usd"], COST_DIGITS),
    }


def _totals(items: Sequence[UsageOfDay]) -> UsageSums:
    def sum_of(name: str) -> Any:
        known = [value for item in items if (value := item[name]) is not None]  # type: ignore[literal-required]
        return sum(known) if known else None

    return _wire(sum(item["turns"] for item in items), *(sum_of(to_camel(name)) for name in SUMMED))


def _stored(*moments: datetime) -> list[Any]:
    """As the database keeps them: prepared statements take values as they are."""
    return [_ENDED_AT.get_db_prep_value(moment, connection) for moment in moments]


_ENDED_AT = TurnUsage._meta.get_field("ended_at")
