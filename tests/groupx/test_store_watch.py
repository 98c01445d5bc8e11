"""A database that cannot be written is told to the room, and so is its end (docs/operations.md). Our contract."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress

import pytest
from django.db import OperationalError

from groupx.store_watch import LOOK_AGAIN_SECONDS, StoreWatch
from rooms.bodies import SystemFailure
from rooms.models import Event
from rooms.transactions import in_db, in_reader, listen_for_failures
from tests.fakes.clock import FakeClock
from tests.locked_database import locked_database, short_patience
from tests.rooms.log_events import append, messages

pytestmark = pytest.mark.django_db(transaction=True)
WAIT_SECONDS = 5


@pytest.fixture(autouse=True)
def nobody_waits_long() -> Iterator[None]:
    with short_patience():
        yield


class Watched:
    def __init__(self, clock: FakeClock) -> None:
        self.told: list[SystemFailure] = []
        self.looked = asyncio.Event()
        self._clock = clock
        self.watch = StoreWatch(self.told.append, self._reopen, clock)

    def _reopen(self) -> None:
        self.looked.set()

    async def look_again(self) -> None:
        """The time for another look comes, and its writes are done."""
        await self._clock.advance(LOOK_AGAIN_SECONDS)
        async with asyncio.timeout(WAIT_SECONDS):
            await self.looked.wait()
        self.looked.clear()
        for _ in range(2):  # the writer's calls are done in order, and refused in order
            with suppress(OperationalError):
                await in_db(lambda: None)
        await self._clock.advance(0)


@asynccontextmanager
async def watched(clock: FakeClock) -> AsyncIterator[Watched]:
    under_test = Watched(clock)
    loop = asyncio.get_running_loop()
    end_listening = listen_for_failures(lambda why: loop.call_soon_threadsafe(under_test.watch.failed, why))
    task = asyncio.create_task(under_test.watch.run())
    try:
        yield under_test
    finally:
        end_listening()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


def outages() -> list[str]:
    return [event.body["message"] for event in Event.objects.filter(type="system.error").order_by("seq")]


async def test_an_outage_is_told_at_once_and_its_end_is_kept_in_the_log(live_room, clock):
    async with watched(clock) as room:
        with locked_database():
            with pytest.raises(OperationalError):
                await in_db(append, *messages(1), clock=clock)
            await clock.advance(0)
            assert [told.error_code for told in room.told] == ["STORE_UNAVAILABLE"]
            assert room.watch.outage is not None and room.watch.outage.reason == "database is locked"
            await room.look_again()
            await clock.advance(40)
            assert await in_reader(outages) == []

        await room.look_again()

        assert room.watch.outage is None
        [message] = await in_reader(outages)
        assert "database is locked" in message and "works again" in message
        assert len(room.told) == 1


async def test_calls_that_queued_behind_a_failing_one_are_refused_with_it(live_room, clock):
    tried = []

    def try_to_write() -> None:
        tried.append(1)
        append(*messages(1), clock=clock)

    with locked_database():
        answers = await asyncio.gather(*(in_db(try_to_write) for _ in range(50)), return_exceptions=True)
        assert [type(answer) for answer in answers] == [OperationalError] * 50
        assert len(tried) == 1

    await in_db(try_to_write)
    assert len(tried) == 2
