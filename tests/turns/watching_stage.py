"""An observer in its watch turn that calls `watch` on a real database, beside a tail that reads it and a lane that
reports live."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from groupx.kernel.config import Limits, Timeouts
from groupx.kernel.shapes import parse
from rooms.live_turn import DeltaKind, LiveTurn
from rooms.tail import Tail
from rooms.transactions import in_db, in_reader
from rooms.vocabulary import EventType
from tests import given
from tests.fakes.clock import FakeClock
from tests.rooms.running_tail import running_tail
from tests.turns.asking_stage import OF_THE_TAIL, readers_are_done
from tests.turns.supervising import Watched, steered_by, watched
from turns.settlement import TurnOutcome
from turns.state import TurnStatus
from turns.tools.tool import ToolCall, ToolRoom
from turns.tools.watch import WATCH


class WatchingStage:
    """Reviewer is in its watch turn, Builder in the turn that is watched."""

    def __init__(self, tail: Tail, clock: FakeClock, scene: Watched) -> None:
        self.tail, self.clock, self.scene = tail, clock, scene
        self.room = self.new_server()
        self.progress: list[str] = []
        self._chunk = -1

    def new_server(self) -> ToolRoom:
        """What a server process begins with: it has told nobody anything."""
        return ToolRoom(limits=Limits(), timeouts=Timeouts(), clock=self.clock, tail=self.tail)

    async def watch(self, until: str = "next_milestone", *, member: Any = None, **more: Any) -> dict[str, Any]:
        async def tell_progress(seconds: float, message: str) -> None:
            self.progress.append(message)

        call = ToolCall(member=member or self.scene.observer, room=self.room, tell_progress=tell_progress)
        return dict(await WATCH.run(parse(WATCH.request, {"until": until, **more}), call))

    async def watching(self, until: str = "next_milestone", *, waits: int = 1, **more: Any) -> "asyncio.Task[Any]":
        """A watch that waits, of `waits` in all."""
        task = asyncio.create_task(self.watch(until, **more))
        await self.clock.until_asleep(OF_THE_TAIL + waits * (2 if until == "next_milestone" else 1))
        await readers_are_done()
        return task

    async def do(self, step: Any, *args: Any, **more: Any) -> Any:
        return await in_db(step, *args, clock=self.clock, **more)

    async def end(self, status: TurnStatus, **more: Any) -> None:
        await self.do(given.end_turn, self.scene.worker_turn_id, "builder", TurnOutcome(status=status, **more))

    async def steer(self, action: str, **more: Any) -> dict[str, Any]:
        return await self.do(steered_by, self.scene.observer, action, **more)

    # what Builder's lane reports
    def begins(self) -> None:
        turn = LiveTurn(
            turn_id=self.scene.worker_turn_id,
            actor=given.agent("builder"),
            correlation_id=self.scene.answer["correlationId"],
            root_correlation_id=self.scene.answer["correlationId"],
        )
        self.tail.live.begin(turn)

    def tool(self, tool_call_id: str, name: str, status: str, **details: Any) -> None:
        turn_id = self.scene.worker_turn_id
        body = {"turnId": turn_id, "toolCallId": tool_call_id, "name": name, "status": status, "details": details}
        self.tail.live.transient(
            EventType.TOOL_PROGRESS, body, given.agent("builder"), "corr", self.clock.now(), turn_id
        )

    def says(self, text: str, kind: DeltaKind = DeltaKind.CONTENT) -> None:
        self._chunk += 1
        self.tail.live.delta(self.scene.worker_turn_id, kind, self._chunk, text)


@asynccontextmanager
async def watching_stage(clock: FakeClock, **more: Any) -> AsyncIterator[WatchingStage]:
    async with running_tail(clock) as tail:
        scene = await in_reader(lambda: watched(clock=clock, **more))
        stage = WatchingStage(tail, clock, scene)
        stage.begins()
        await clock.until_asleep(OF_THE_TAIL)
        yield stage
