"""A lane that writes its agent's dated memory, by a clock that the test moves."""

import asyncio

from groupx.kernel.config import GroupXConfig
from rooms.transactions import in_db
from tests import given
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from tests.fakes.clock import FakeClock
from tests.turns.stage import WAIT_SECONDS, LaneStage
from turns.lane_jobs import IDLE_LOOK_SECONDS, AskSelf
from turns.lane_link import Wake
from turns.rollups import Rollups

SIDE_TASKS = 2
"""Those of a lane that look at the clock again and again."""


def answering(text: str) -> ScriptedSession:
    session = ScriptedSession("short")
    session.answer(text)
    return session


class RollupStage(LaneStage):
    """The agent answers its turns in `at_work`, and is asked about its days in the sessions of `short`."""

    def __init__(self, config: GroupXConfig, clock: FakeClock, *short: ScriptedSession) -> None:
        self.at_work, self.clock, self.short = ScriptedSession(), clock, ScriptedDriver(*short)
        self._rollups = Rollups(given.agent("builder"), given.UTC_DAYS, clock)
        self._looked = asyncio.Event()
        super().__init__(
            config, "builder", self.at_work, jobs_driver=self.short, idle_work=self._idle_work, clock=clock
        )

    async def _idle_work(self, ask: AskSelf) -> bool:
        try:
            return await self._rollups.work(ask)
        finally:
            self._looked.set()

    async def __aexit__(self, *exc_info: object) -> None:
        await super().__aexit__(*exc_info)
        self._rollups.close()

    async def completes_turns(self, number: int = 1) -> None:
        for _ in range(number):
            self.at_work.answer("the answer")
            await self.status_of(await self._queued_turn(), "completed")

    async def begins_turn(self) -> None:
        await self.status_of(await self._queued_turn(), "running")

    async def _queued_turn(self) -> str:
        turn_id = await in_db(given.queued_turn, "builder", clock=self.clock)
        self.link.signals.put_nowait(Wake())
        return turn_id

    async def idles(self, seconds: float = 0.0) -> None:
        """So much time passes; then the lane has seen what there is to do of itself, and has done it."""
        await self.clock.advance(seconds)
        self._looked.clear()
        await self.passes_until(self._looked)

    async def passes_until(self, event: asyncio.Event) -> None:
        async with asyncio.timeout(WAIT_SECONDS):
            while not event.is_set():
                await self.clock.until_asleep(SIDE_TASKS)
                await self.clock.advance(IDLE_LOOK_SECONDS)
