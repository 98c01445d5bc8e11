"""Who waits for turns is woken by their ends alone, and misses none (docs/mcp.md, "ask")."""

import asyncio

import pytest

from groupx.kernel.config import GroupXConfig, Limits
from rooms.tail import UNREAD_POLL_SECONDS, Tail
from rooms.transactions import in_db, in_reader
from rooms.turn_ends import TurnEnds
from tests import given
from tests.fakes.clock import FakeClock, settle
from tests.loop_steps import begun
from tests.rooms.running_tail import running_tail

pytestmark = pytest.mark.django_db(transaction=True)


async def test_a_wait_is_over_when_all_of_its_turns_have_ended():
    ends = TurnEnds()
    with ends.listening() as listener:
        wait = begun(listener.until_ended(["a", "b"]))
        ends.tell("b")
        ends.tell("of somebody else")
        await settle()
        assert not wait.done()
        ends.tell("a")
        await wait


async def test_an_end_between_the_look_and_the_wait_is_heard():
    ends = TurnEnds()
    with ends.listening() as listener:
        ends.tell("a")
        await begun(listener.until_ended(["a"]))


async def test_who_listens_no_more_hears_nothing():
    ends = TurnEnds()
    with ends.listening() as listener:
        pass
    ends.tell("a")

    assert listener.ended == set()


async def test_the_tail_tells_of_each_turn_that_ends(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock) as tail:
        await clock.until_asleep(2)
        with tail.turn_ends.listening() as listener:
            running = await in_db(given.running_turn, "builder", clock=clock)
            wait = begun(listener.until_ended([running.turn_id]))
            other = await in_db(given.completed_turn, "reviewer", clock=clock)
            await in_db(given.cancelled, await in_db(given.queued_turn, "scribe", clock=clock), clock=clock)
            await in_db(given.finished, running, "builder", clock=clock)
            await wait

    assert {other.turn_id, running.turn_id} < listener.ended


async def test_ends_that_another_process_committed_are_found_without_its_word(
    live_room: GroupXConfig, clock: FakeClock
):
    running = await in_db(given.running_turn, "builder", clock=clock)
    tail = Tail(Limits(), clock)
    task = asyncio.create_task(tail.run())
    try:
        async with asyncio.timeout(10):
            await clock.until_asleep(2)
            with tail.turn_ends.listening() as listener:
                wait = begun(listener.until_ended([running.turn_id]))
                await in_db(given.finished, running, "builder", clock=clock)
                while not wait.done():
                    await clock.advance(UNREAD_POLL_SECONDS)
                    await in_reader(lambda: None)
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        tail.close_threads()


async def test_who_waited_before_the_tail_knew_where_the_log_ends_looks_again(
    live_room: GroupXConfig, clock: FakeClock
):
    tail = Tail(Limits(), clock)
    with tail.turn_ends.listening() as listener:
        wait = begun(listener.until_ended(["a"]))
        task = asyncio.create_task(tail.run())
        try:
            async with asyncio.timeout(10):
                await wait
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)
            tail.close_threads()


async def test_the_end_of_the_streams_ends_all_waits(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock) as tail:
        await clock.until_asleep(2)
        with tail.turn_ends.listening() as one, tail.turn_ends.listening() as other:
            waits = [begun(listener.until_ended(["a"])) for listener in (one, other)]
            tail.close()
            await asyncio.gather(*waits)
