"""Builder's day in the tests: what waits of it, its writing, and when it is due."""

from datetime import date, datetime

from groupx.kernel.days import LocalDays
from memory.actions.write_rollup import write_rollup
from memory.queries.rollups import day_now, next_rollup
from memory.rollup_prompt import RollupBatch, build_batch
from tests import given

BUILDER = "agent:builder"
TODAY = date(2026, 11, 30)


def batch(day: date = TODAY) -> RollupBatch:
    return build_batch(day_now(BUILDER, day))


def written(content: str | None = "what I did", *, clock, of: RollupBatch | None = None) -> str | None:
    return write_rollup(of or batch(), content, agent=given.agent("builder"), clock=clock)


def due(clock, days: LocalDays = given.UTC_DAYS) -> datetime | None:
    found = next_rollup(BUILDER, days)
    return found[0] if found else None
