"""A tool that waits: its client is told how it goes, and whoever goes away waits no longer (docs/mcp.md, "Waiting")."""

import asyncio
from contextlib import asynccontextmanager

import pytest

from groupx.kernel.shapes import OwnShape
from rooms.transactions import in_db
from tests import given
from tests.turns.tool_clients import ERAS, room_of_tools, tools_for
from turns.tools.member_desk import MemberDesk
from turns.tools.server import session_manager
from turns.tools.tool import Tool
from turns.tools.waiting import PROGRESS_SECONDS, waited_for

pytestmark = pytest.mark.django_db(transaction=True)


class Nothing(OwnShape):
    pass


class WaitingTool:
    """Waits 25 seconds for what `happen` lets happen."""

    def __init__(self) -> None:
        self.began, self.happen, self.cancelled = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def _work(self) -> str:
        self.began.set()
        try:
            await self.happen.wait()
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        return "it happened"

    async def run(self, request, call):
        return {"found": await waited_for(self._work(), call, seconds=25, doing=lambda: "Waiting for it.")}

    @property
    def tool(self) -> Tool:
        return self.named("wait")

    def named(self, name: str) -> Tool:
        return Tool(name=name, description="Waits.", request=Nothing, answer=dict[str, str | None], run=self.run)


@pytest.fixture
async def room(live_room, clock):
    async with room_of_tools(clock) as room:
        yield room


@pytest.fixture
async def handle(room, clock):
    await in_db(given.running_turn, "builder", clock=clock)
    return given.last_handle()


@asynccontextmanager
async def client_of(waiting, room, handle, era, gone=None):
    """`gone` is set when the client's connection shall break."""
    manager = session_manager(MemberDesk(room, [waiting.tool]))

    async def server(scope, receive, send):
        sent: list[str] = []
        has_read = False

        async def received():
            nonlocal has_read
            if gone is not None and has_read:
                await gone.wait()
                return {"type": "http.disconnect"}
            message = await receive()
            has_read = not message.get("more_body")
            return message

        async def send_on(message):
            sent.append(message["type"])
            await send(message)

        await manager.handle_request(scope, received, send_on)
        if gone is not None and gone.is_set():  # what the client of this test wants to see of a broken connection
            if not sent:
                await send({"type": "http.response.start", "status": 200, "headers": []})
            await send({"type": "http.response.body"})

    async with manager.run(), tools_for(server, handle, era) as client:
        yield client


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_hears_every_ten_seconds_how_its_wait_goes(room, handle, clock, era):
    waiting, told = WaitingTool(), []

    async def on_progress(progress, total, message):
        told.append((progress, message))

    async with client_of(waiting, room, handle, era) as client:
        call = asyncio.create_task(client.call_tool("wait", {}, progress_callback=on_progress))
        await waiting.began.wait()
        await clock.advance(PROGRESS_SECONDS)
        await clock.advance(PROGRESS_SECONDS)
        waiting.happen.set()
        result = await call

    assert result.structured_content == {"found": "it happened"}
    assert told == [(10, "Waiting for it."), (20, "Waiting for it.")]


async def test_a_wait_ends_with_nothing_when_its_time_is_over(room, handle, clock):
    waiting = WaitingTool()

    async with client_of(waiting, room, handle, "2026-07-28") as client:
        call = asyncio.create_task(client.call_tool("wait", {}))
        await waiting.began.wait()
        await clock.advance(25)
        result = await call

    assert result.structured_content == {"found": None}
    assert waiting.cancelled.is_set()


@pytest.mark.parametrize("era", ERAS)
async def test_whoever_goes_away_waits_no_longer(room, handle, era):
    waiting, gone = WaitingTool(), asyncio.Event()

    async with asyncio.timeout(10), client_of(waiting, room, handle, era, gone) as client:
        call = asyncio.create_task(client.call_tool("wait", {}))
        await waiting.began.wait()
        gone.set()
        await waiting.cancelled.wait()
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)
