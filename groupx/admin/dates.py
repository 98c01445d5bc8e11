"""Which years, months or days a table has rows of, found by jumping along the index of its time.

Django's own date hierarchy reads the whole table for that. This stands in for the list's rows in Django's tag: it
answers the two questions that the tag asks.
"""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any

from django.db.models import QuerySet

MOST_PERIODS = 60


class Periods:
    """`rows` without the list's filters, so that each jump is one look into the index."""

    def __init__(self, rows: QuerySet[Any], field: str, chosen: Mapping[str, Any]) -> None:
        self._rows, self._field = rows.order_by(), field
        self._from, self._until = chosen_period(field, chosen)

    def aggregate(self, **_: Any) -> dict[str, datetime | None]:
        return {"first": self._edge(self._field), "last": self._edge(f"-{self._field}")}

    def datetimes(self, _field: str, kind: str) -> list[datetime]:
        found: list[datetime] = []
        after = self._from
        while after is not None and len(found) < MOST_PERIODS:
            moment = self._edge(self._field, **{f"{self._field}__gte": after})
            if moment is None or (self._until and moment >= self._until):
                break
            begin, after = period_of(moment, kind)
            found.append(begin)
        return found

    def _edge(self, order: str, **where: Any) -> datetime | None:
        moments = self._rows.filter(**where).order_by(order).values_list(self._field, flat=True)
        moment: datetime | None = moments.first()
        return moment


def period_of(moment: datetime, kind: str) -> tuple[datetime, datetime]:
    """Begin of the year, month or day (UTC) that holds the moment, and of the next one."""
    day = moment.astimezone(UTC).replace(hour=0, minute=0, second=0, microsecond=0)
    match kind:
        case "year":
            return day.replace(month=1, day=1), day.replace(year=day.year + 1, month=1, day=1)
        case "month":
            begin = day.replace(day=1)
            return begin, (begin + timedelta(days=32)).replace(day=1)
        case _:
            return day, day + timedelta(days=1)


def chosen_period(field: str, chosen: Mapping[str, Any]) -> tuple[datetime, datetime | None]:
    """What `<field>__year` and `<field>__month` of a list's address name; without them all there is."""
    year, month = (_last(chosen.get(f"{field}__{name}")) for name in ("year", "month"))
    if year is None:
        return datetime(1, 1, 1, tzinfo=UTC), None
    return period_of(datetime(year, month or 1, 1, tzinfo=UTC), "month" if month else "year")


def _last(value: Any) -> int | None:
    """The list's view has refused what is no number before this is asked."""
    if isinstance(value, (list, tuple)):
        value = value[-1] if value else None
    return int(value) if value else None
