"""Which child of the parent counts as hung (docs/operations.md, "What happens when …"). Our contract."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from groupx.watchdog import HUNG_SECONDS, PING_SECONDS, Watchdog
from tests.fakes.clock import FakeClock

START_SECONDS = 120.0


class Watched:
    """A watchdog at work, and a child that answers while `answers` is true."""

    def __init__(self, clock: FakeClock) -> None:
        self.answers, self.pings = False, 0
        self.watchdog = Watchdog(self._pinged, START_SECONDS, clock)
        self.task = asyncio.create_task(self.watchdog.until_hung())

    def _pinged(self) -> None:
        self.pings += 1
        if self.answers:
            self.watchdog.heard()

    @property
    def is_hung(self) -> bool:
        return self.task.done()


@asynccontextmanager
async def watched(clock: FakeClock) -> AsyncIterator[Watched]:
    child = Watched(clock)
    try:
        yield child
    finally:
        child.task.cancel()
        await asyncio.gather(child.task, return_exceptions=True)


async def test_who_answers_is_never_hung(clock: FakeClock):
    async with watched(clock) as child:
        child.answers = True
        await clock.advance(100 * HUNG_SECONDS)
        assert not child.is_hung and child.pings > 100


async def test_who_is_silent_for_long_is_hung(clock: FakeClock):
    async with watched(clock) as child:
        child.answers = True
        await clock.advance(PING_SECONDS)
        child.answers = False
        await clock.advance(HUNG_SECONDS - 2 * PING_SECONDS)
        assert not child.is_hung
        await clock.advance(3 * PING_SECONDS)
        assert child.is_hung


async def test_who_is_busy_and_answers_late_is_left_alone(clock: FakeClock):
    async with watched(clock) as child:
        child.watchdog.heard()
        for _ in range(10):
            await clock.advance(HUNG_SECONDS - 2 * PING_SECONDS)
            child.watchdog.heard()
        assert not child.is_hung


async def test_time_in_which_the_parent_itself_slept_is_not_counted(clock: FakeClock):
    async with watched(clock) as child:
        child.watchdog.heard()
        for _ in range(3):
            await clock.advance(HUNG_SECONDS / 4)
            clock.tick(8 * 3600)  # the lid is closed: nobody runs
        assert not child.is_hung
        child.answers = True
        await clock.advance(HUNG_SECONDS)
        assert not child.is_hung


async def test_before_its_first_word_a_child_has_as_long_as_a_start_may_take(clock: FakeClock):
    async with watched(clock) as child:
        child.answers = False
        await clock.advance(START_SECONDS - PING_SECONDS)
        assert not child.is_hung
        await clock.advance(2 * PING_SECONDS)
        assert child.is_hung
