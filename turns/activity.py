"""The turns of the last day, read for their figures: one bounded query by the index of their time."""

from datetime import datetime

from turns.figures import Figures, TurnFact, figures_of, first_hour
from turns.models import Turn
from turns.state import TurnStatus

MOST_TURNS = 20_000
"""Of a busier day the newest count."""


def figures_of_the_day(now: datetime) -> Figures:
    turns = Turn.objects.filter(created_at__gte=first_hour(now)).order_by("-created_at")
    facts = turns.values_list("created_at", "ended_at", "status", "error_code")[:MOST_TURNS]
    return figures_of(
        (
            TurnFact(created_at=created_at, ended_at=ended_at, status=TurnStatus(status), error_code=error_code)
            for created_at, ended_at, status, error_code in facts
        ),
        now,
    )
