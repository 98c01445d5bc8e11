"""An agent in its turn that calls `ask` and `collect` on a real database, beside a tail that reads it."""

import asyncio
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from anyio import create_task_group

from groupx.kernel.config import Limits, Timeouts
from groupx.kernel.shapes import parse
from rooms.tail import Tail
from rooms.transactions import in_db, in_reader
from tests import given
from tests.fakes.clock import FakeClock
from tests.rooms.running_tail import running_tail
from turns.member import Member
from turns.models import Lane, Turn
from turns.queries.members import member_of
from turns.state import LaneStatus, TurnStatus
from turns.tools.ask import ASK
from turns.tools.collect import COLLECT
from turns.tools.messages import SEND
from turns.tools.tool import AnyTool, ToolCall, ToolRoom

OF_THE_TAIL = 2
"""Sleepers that are no tool's."""
READERS = 2
"""Threads of `in_reader`."""
TOOLS: dict[str, AnyTool] = {"ask": ASK, "collect": COLLECT, "send": SEND}


async def readers_are_done() -> None:
    """Whatever was to be read before has been."""
    all_here = threading.Barrier(READERS, timeout=10)
    await asyncio.gather(*(in_reader(all_here.wait) for _ in range(READERS)))


class AskingStage:
    """`builder` is in a turn; `reviewer` and `scribe` have lanes that are ready."""

    def __init__(self, tail: Tail, clock: FakeClock, timeouts: Timeouts) -> None:
        self.tail, self.clock = tail, clock
        self.room = ToolRoom(limits=Limits(), timeouts=timeouts, clock=clock, tail=tail)
        self.progress: list[tuple[float, str]] = []
        self.handle = ""

    async def call(self, tool: str, *, member: Member | None = None, **arguments: Any) -> dict[str, Any]:
        """By `builder`, or by this member."""
        member = member or await in_reader(member_of, self.handle)

        async def tell_progress(seconds: float, message: str) -> None:
            self.progress.append((seconds, message))

        request = parse(TOOLS[tool].request, arguments)
        answer = await TOOLS[tool].run(request, ToolCall(member=member, room=self.room, tell_progress=tell_progress))
        return dict(answer)

    async def ask(self, *names: str, **more: Any) -> dict[str, Any]:
        to = [f"agent:{name}" for name in names]
        return await self.call("ask", **{"to": to, "content": "why?", "clientCommandId": given.command_id(), **more})

    async def asking(self, *names: str, **more: Any) -> "asyncio.Task[dict[str, Any]]":
        """An ask that is accepted and waits."""
        return await self.waiting(self.ask(*names, **more))

    async def waiting(self, call: Any, waits: int = 1) -> "asyncio.Task[dict[str, Any]]":
        """This call, `waits` of them in all, once it waits."""
        task = asyncio.create_task(call)
        await self.clock.until_asleep(OF_THE_TAIL + waits)
        await readers_are_done()
        return task

    @asynccontextmanager
    async def client_that_leaves(self, *names: str, **more: Any) -> AsyncIterator[None]:
        """Asks, and is gone at the end of the block: its call is cancelled as the SDK does it."""
        async with create_task_group() as connection:
            connection.start_soon(lambda: self.ask(*names, **more))
            yield
            connection.cancel_scope.cancel()

    async def do(self, step: Any, *args: Any, **more: Any) -> Any:
        """A step of a history."""
        return await in_db(step, *args, clock=self.clock, **more)

    async def rest(self, name: str, status: LaneStatus, words: str = "") -> None:
        await in_db(Lane.objects.filter(actor_id=f"agent:{name}").update, status=status.value, status_text=words)

    async def status_of(self, turn_id: str) -> TurnStatus:
        return TurnStatus((await in_reader(Turn.objects.get, turn_id=turn_id)).status)

    async def asked_turns(self) -> list[Turn]:
        """Those that came of asking, in their order."""
        return await in_reader(lambda: list(Turn.objects.exclude(parent_turn=None).order_by("enqueue_seq")))


@asynccontextmanager
async def asking_stage(clock: FakeClock, **timeouts: int) -> AsyncIterator[AskingStage]:
    async with running_tail(clock) as tail:
        stage = AskingStage(tail, clock, Timeouts.model_validate(timeouts))
        for name in ("reviewer", "scribe"):
            await stage.do(given.a_lane, name)
        await stage.do(given.running_turn, "builder")
        stage.handle = given.last_handle()
        await clock.until_asleep(OF_THE_TAIL)
        yield stage
