"""Two who write an agent's day at once, or write and retract it: one wins (real connections, real SQLite)."""

from datetime import date

from groupx.kernel.errors import ErrorCode
from memory.actions.write_rollup import write_rollup
from memory.models import MemoryRecord, RollupSource
from memory.queries.rollups import day_now
from memory.rollup_prompt import RollupBatch, build_batch
from rooms.models import Event
from tests import given
from tests.at_once import at_once

BUILDER, TODAY = "agent:builder", date(2026, 11, 30)


def batch() -> RollupBatch:
    return build_batch(day_now(BUILDER, TODAY))


def test_of_two_who_write_a_day_at_once_one_wins_and_nothing_is_doubled(live_room, clock):
    given.completed_turn("builder", clock=clock)
    given.completed_turn("builder", clock=clock)
    same = batch()

    outcomes = at_once(
        lambda: write_rollup(same, "one", agent=given.agent("builder"), clock=clock),
        lambda: write_rollup(same, "other", agent=given.agent("builder"), clock=clock),
    )

    assert outcomes.count(ErrorCode.STORE_CONFLICT) == 1
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

    assert outcomes.count(ErrorCode.STORE_CONFLICT) == 1
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

    assert outcomes.count(ErrorCode.STORE_CONFLICT) == 1
    is_retracted = outcomes[0] is ErrorCode.STORE_CONFLICT
    assert RollupSource.objects.filter(rolled_at=None).count() == (1 if is_retracted else 0)
    assert MemoryRecord.objects.filter(content="second").exists() is not is_retracted
