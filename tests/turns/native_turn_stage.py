"""One native turn with a scripted session, a fake clock and everything it touches in reach."""

import asyncio

from adapters.contract import Started, TextDelta, ToolEvent, ToolStatus
from groupx.kernel.config import Timeouts
from tests.fakes.adapter import ScriptedSession
from tests.fakes.clock import settle
from turns.control import LaneControl
from turns.native_turn import NativeTurn, TurnHooks

TIMEOUTS = Timeouts(first_event_ms=60_000, idle_ms=100_000, turn_ms=1_000_000, cancel_ms=10_000, close_ms=5_000)


class NativeTurnStage:
    """`async with NativeTurnStage(clock)`: the turn has begun; it is ended with the block if it has not ended."""

    def __init__(self, clock, session=None, *, cancelled=False, stopped=False):
        self.clock, self.session, self.control = clock, session or ScriptedSession(), LaneControl()
        if cancelled:
            self.control.cancel("turn_1")
        if stopped:
            self.control.close()
        self.starts, self.saves, self.told, self.beats = [], [], [], []
        self.can_save, self.refusal = True, None
        self.store_answers = asyncio.Event()
        self.store_answers.set()
        turn = NativeTurn(
            "turn_1",
            self.session,
            TurnHooks(
                started=self._append(self.starts),
                save_partial=self._save,
                tell=self.told.append,
                heartbeat=self.beats.append,
            ),
            self.control,
            TIMEOUTS,
            clock,
        )
        self.task = asyncio.create_task(turn.run("the prompt"))

    def _append(self, where):
        async def append(value):
            await self.store_answers.wait()
            where.append(value)

        return append

    async def __aenter__(self):
        await settle()
        return self

    async def __aexit__(self, *exc_info):
        self.task.cancel()
        await asyncio.gather(self.task, return_exceptions=True)

    async def _save(self, text):
        await self.store_answers.wait()
        self.saves.append(text)
        if self.refusal is not None:
            raise self.refusal
        return self.can_save

    async def outcome(self):
        async with asyncio.timeout(5):
            return await self.task


def tool(phase, status=ToolStatus.RUNNING):
    return ToolEvent(phase=phase, tool_call_id="1", name="build", status=status)


class Flood(ScriptedSession):
    """An agent that always has another word ready; a tenth of a second passes with each."""

    def __init__(self, clock):
        super().__init__()
        self._clock = clock

    async def prompt(self, text):
        self._is_open = True
        yield Started()
        while not self.closed:
            self._clock.tick(0.1)
            yield TextDelta("blah ")
