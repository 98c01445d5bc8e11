"""Two that want the room summed up at once, and a reset meanwhile: one at a time, and nothing is summed up twice."""

import asyncio

import pytest

from memory.actions.compaction_lease import give_lease_back, renew_lease, take_lease
from memory.actions.replace_summary import replace_summary
from memory.compaction_lease import RENEW_SECONDS
from memory.models import CompactionLease, Summary
from memory.queries.compaction import LEASE_SECONDS, coverage
from rooms.queries import last_seq
from rooms.transactions import in_db, in_reader
from tests import given_context
from tests.at_once import at_once
from tests.loop_steps import begun
from tests.memory.compacting import Scripted, active_summary, said

pytestmark = pytest.mark.django_db(transaction=True)
LONG = "a message of the room that says something at length, " * 20


def test_of_two_that_take_the_lease_at_once_one_has_it(live_room, clock):
    took = at_once(lambda: take_lease("one", clock=clock), lambda: take_lease("other", clock=clock))
    assert sorted(took) == [False, True]
    assert CompactionLease.objects.get().token == ("one" if took[0] else "other")


def test_of_two_that_take_a_lease_that_has_run_out_at_once_one_has_it(live_room, clock):
    take_lease("dead", clock=clock)
    clock.tick(LEASE_SECONDS)
    assert sorted(at_once(lambda: take_lease("one", clock=clock), lambda: take_lease("other", clock=clock))) == [
        False,
        True,
    ]
    assert not renew_lease("dead", clock=clock)
    give_lease_back("dead")
    assert CompactionLease.objects.count() == 1


def test_a_lease_from_before_the_clock_was_set_back_holds_nobody_up(live_room, clock):
    clock.tick(3_600)
    take_lease("ahead", clock=clock)
    clock.tick(-3_600)
    assert take_lease("now", clock=clock)


def test_of_two_summaries_of_the_same_messages_one_stands(live_room, clock):
    said(20, clock=clock, content=LONG)
    found = coverage(last_seq(), lambda kept: True)
    take_lease("lease", clock=clock)

    def replaced(content: str) -> str:
        return replace_summary(found, writer_id="agent:builder", content=content, lease_token="lease", clock=clock)

    outcomes = at_once(lambda: replaced("one"), lambda: replaced("other"))
    assert sorted(outcome.startswith("sum_") for outcome in outcomes) == [False, True]
    assert "STORE_CONFLICT" in outcomes
    assert Summary.objects.count() == 1


def test_a_reset_at_the_same_time_leaves_no_summary_of_what_was_reset(live_room, clock):
    said(20, clock=clock, content=LONG)
    found = coverage(last_seq(), lambda kept: True)
    take_lease("lease", clock=clock)

    def replaced() -> str:
        return replace_summary(found, writer_id="agent:builder", content="x", lease_token="lease", clock=clock)

    outcome, _ = at_once(replaced, lambda: given_context.reset(clock=clock))
    assert outcome.startswith("sum_") or outcome == "STORE_CONFLICT"
    assert coverage(last_seq(), lambda kept: False) is None, "nothing at or below the reset is summed up again"


async def test_who_comes_second_waits_and_then_needs_nothing_any_more(live_room, clock):
    await in_db(said, 20, clock=clock, content=LONG)
    gate = asyncio.Event()
    first, second = Scripted(clock, builder=[gate]), Scripted(clock, reviewer=["never asked"])
    compacting = begun(first.compact())
    await first.is_asked.wait()
    waiting = begun(second.compact())
    await clock.until_asleep(2)  # the first one's lease, and who waits for it
    gate.set()
    assert (await compacting).compacted
    await clock.advance(1)
    assert not (await waiting).compacted
    assert second.prompts == [] and second.told == []
    assert (await in_reader(active_summary)).content == "noted"


async def test_a_lease_is_kept_however_long_a_writer_takes(live_room, clock):
    await in_db(said, 20, clock=clock, content=LONG)
    gate = asyncio.Event()
    first = Scripted(clock, builder=[gate])
    compacting = begun(first.compact())
    await first.is_asked.wait()
    for _ in range(10):
        await clock.until_asleep()
        await clock.advance(RENEW_SECONDS)
        await clock.until_asleep()
        assert not await in_db(take_lease, "another", clock=clock)
    gate.set()
    assert (await compacting).compacted


async def test_who_lost_the_lease_stops_and_begins_anew_when_it_is_free(live_room, clock):
    """A process that was asleep for an hour."""
    await in_db(said, 20, clock=clock, content=LONG)
    gate = asyncio.Event()
    first = Scripted(clock, builder=[gate, "noted by the first"])
    compacting = begun(first.compact())
    await first.is_asked.wait()
    clock.tick(3_600)
    assert await in_db(take_lease, "another", clock=clock)
    await clock.advance(0)
    await clock.until_asleep()
    assert first.kinds == ["started", "failed"]
    await in_db(give_lease_back, "another")
    await clock.advance(1)
    assert (await compacting).compacted
    assert (await in_reader(active_summary)).content == "noted by the first"
