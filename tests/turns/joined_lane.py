"""A lane's link and the server's side of it, joined over a real socket, for tests."""

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve

from groupx.kernel.config import Limits
from rooms.tail import Tail
from tests.fakes.clock import FakeClock
from turns.consumers import LaneSocket
from turns.lane_link import LaneLink

SECRET = "the run's secret"


class NotingClock(FakeClock):
    """Tells when somebody begins to sleep: a link does between two connections."""

    def __init__(self) -> None:
        super().__init__()
        self.slept = asyncio.Event()

    async def sleep(self, seconds: float) -> None:
        self.slept.set()
        await super().sleep(seconds)


class WorkerServer:
    """The server's side of workers' WebSockets behind a real socket: an application as daphne would call it."""

    def __init__(self, application: Callable[[dict, Any, Any], Awaitable[None]]) -> None:
        self.application = application
        self.connections: set[ServerConnection] = set()
        self._server: Server | None = None
        self.port = 0

    async def open(self) -> None:
        self._server = await serve(self._talk, "127.0.0.1", self.port, max_size=None, compression=None)
        self.port = self._server.sockets[0].getsockname()[1]

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        await self._server.wait_closed()

    async def _talk(self, connection: ServerConnection) -> None:
        self.connections.add(connection)
        headers = [(name.lower().encode(), value.encode()) for name, value in connection.request.headers.raw_items()]
        assert not any(name == b"origin" for name, _ in headers)
        incoming: asyncio.Queue[dict] = asyncio.Queue()
        incoming.put_nowait({"type": "websocket.connect"})

        async def receive() -> dict:
            return await incoming.get()

        async def send(message: dict) -> None:
            if message["type"] == "websocket.send":
                await connection.send(message["text"])
            elif message["type"] == "websocket.close":
                await connection.close(message["code"])

        scope = {"url_route": {"kwargs": {"agent_id": "builder"}}, "headers": headers}
        answering = asyncio.create_task(self.application(scope, receive, send))
        async for text in connection:
            incoming.put_nowait({"type": "websocket.receive", "text": text})
        incoming.put_nowait({"type": "websocket.disconnect"})
        await answering
        self.connections.discard(connection)


class Lanes(WorkerServer):
    """Those of lanes."""

    def __init__(self, clock: NotingClock) -> None:
        self.tail = Tail(Limits(), clock)
        self.cards: list[str] = []
        self.store_failures: list[str] = []
        super().__init__(
            LaneSocket(
                self.tail, SECRET, clock, card_changed=self.cards.append, store_failed=self.store_failures.append
            )
        )

    @property
    def url(self) -> str:
        return f"ws://127.0.0.1:{self.port}/ws/lanes/builder"

    def told(self) -> list[dict]:
        ring = self.tail.ring
        return [json.loads(ring[index].frame[6:]) for index in range(ring.first, ring.next)]

    async def until_told(self, count: int) -> list[dict]:
        while self.tail.ring.next < count:
            await self.tail.ring.changed()
        return self.told()


@asynccontextmanager
async def joined(clock: NotingClock, secret: str = SECRET) -> AsyncIterator[tuple[LaneLink, Lanes]]:
    lanes = Lanes(clock)
    await lanes.open()
    link = LaneLink(lanes.url, secret, "builder", clock)
    running = asyncio.create_task(link.run())
    try:
        async with asyncio.timeout(10):
            yield link, lanes
    finally:
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)
        await lanes.close()
