"""Two who write an agent's day at once, or write and retract it: one wins (real connections, real SQLite)."""

import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from datetime import date

from django.db import connection

from groupx.kernel.errors import GroupXError
from memory.actions.write_rollup import write_rollup
from memory.models import MemoryRecord, RollupSource
from memory.queries.rollups import day_now
from memory.rollup_prompt import RollupBatch, build_batch
from rooms.models import Event
from tests import given

BUILDER, TODAY = "agent:builder", date(2026, 11, 30)


def batch() -> RollupBatch:
    return build_batch(day_now(BUILDER, TODAY))


def at_once(*acts: Callable[[], object]) -> list[str]:
    """What became of each: a code, or "done"."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], object]) -> str:
        try:
            connection.ensure_connection()
            start.wait(timeout=10)
            act()
        except GroupXError as error:
            return error.code.value
        finally:
            connection.close()
        return "done"

    with ThreadPoolExecutor(len(acts)) as all_of_them:
        return list(all_of_them.map(run, acts))


def test_of_two_who_write_a_day_at_once_one_wins_and_nothing_is_doubled(live_room, clock):
    given.completed_turn("builder", clock=clock)
    given.completed_turn("builder", clock=clock)
    same = batch()

    outcomes = at_once(
        lambda: write_rollup(same, "one", agent=given.agent("builder"), clock=clock),
        lambda: write_rollup(same, "other", agent=given.agent("builder"), clock=clock),
    )

    assert sorted(outcomes) == ["STORE_CONFLICT", "done"]
    record = MemoryRecord.objects.get()
    assert [source.record_id for source in RollupSource.objects.all()] == [record.pk, record.pk]
    assert Event.objects.filter(type="memory.remembered").count() == 1


def test_of_two_who_supersede_a_day_at_once_one_wins(live_room, clock):
    given.completed_turn("builder", clock=clock)
    write_rollup(batch(), "first", agent=given.agent("builder"), clock=clock)
    given.completed_turn("builder", clock=clock)
    same = batch()

    outcomes = at_once(
        lambda: write_rollup(same, "one", agent=given.agent("builder"), clock=clock),
        lambda: write_rollup(same, "other", agent=given.agent("builder"), clock=clock),
    )

    assert sorted(outcomes) == ["STORE_CONFLICT", "done"]
    assert MemoryRecord.objects.filter(status="active").count() == 1
    assert Event.objects.filter(type="memory.superseded").count() == 1


def test_a_day_that_is_retracted_while_it_is_written_again_is_either_not_both(live_room, clock):
    given.completed_turn("builder", clock=clock)
    first = write_rollup(batch(), "first", agent=given.agent("builder"), clock=clock)
    given.completed_turn("builder", clock=clock)
    same = batch()

    outcomes = at_once(
        lambda: write_rollup(same, "second", agent=given.agent("builder"), clock=clock),
        lambda: given.retracted(first, clock=clock),
    )

    assert sorted(outcomes) == ["STORE_CONFLICT", "done"]
    is_retracted = outcomes[1] == "done"
    assert RollupSource.objects.filter(rolled_at=None).count() == (1 if is_retracted else 0)
    assert MemoryRecord.objects.filter(content="second").exists() is not is_retracted
