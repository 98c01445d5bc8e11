"""The server's side of a worker's WebSocket (edge): who may connect, frames in, signals out. What a frame means is the
business of who takes it.

Each connection listens and tells at once: frames of the worker are taken in order, signals come over the channel
layer's group of the worker. Plain ASGI: at thousands of deltas a second a dispatch by method name would cost more than
the delta.
"""

import asyncio
import hmac
from collections import Counter
from collections.abc import Awaitable, Callable

from channels.layers import get_channel_layer
from pydantic import ValidationError

from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from groupx.kernel.shapes import OwnShape
from rooms.asgi_json import Receive, Scope, Send

from .lane_frames import BAD_SECRET_CLOSE_CODE, SECRET_HEADER, LaneFrame, decode_lane_frame, encode

log = get_logger()

FRAMES_IN_ONE_GO = 64
"""Then the readers get their turn: a queue that is never empty would not let anybody else run."""
_SECRET_HEADER = SECRET_HEADER.lower().encode()

type TakeFrame = Callable[[str, LaneFrame, Send], Awaitable[None]]
"""Given the worker, its frame, and a way to answer."""


async def tell_worker(worker: str, frame: OwnShape) -> None:
    """Pass a frame to this worker, if it is connected to this process."""
    await get_channel_layer().group_send(_group(worker), {"type": "lane.frame", "text": encode(frame)})


class WorkerSocket:
    def __init__(self, secret: str, clock: Clock, take: TakeFrame) -> None:
        self._secret, self._clock, self._take = secret, clock, take
        self.connections: Counter[str] = Counter()
        """By worker: how many of it are connected."""

    async def serve(self, worker: str, scope: Scope, receive: Receive, send: Send) -> None:
        """Until one side ends the connection."""
        if (await receive())["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        if not self._is_ours(scope):
            log.warning("lane_refused", agent_id=worker)
            await send({"type": "websocket.close", "code": BAD_SECRET_CLOSE_CODE})
            return
        layer = get_channel_layer()
        channel = await layer.new_channel("lane")
        await layer.group_add(_group(worker), channel)
        hearing = asyncio.create_task(self._hear(worker, receive, send), name=f"lane-{worker}-in")
        telling = asyncio.create_task(_tell(channel, send), name=f"lane-{worker}-out")
        self.connections[worker] += 1
        log.info("lane_connected", agent_id=worker)
        try:
            await self._clock.wait({hearing, telling}, None)
        finally:
            self.connections[worker] -= 1
            for task in (hearing, telling):
                task.cancel()
            await asyncio.gather(hearing, telling, return_exceptions=True)
            await layer.group_discard(_group(worker), channel)
            log.info("lane_disconnected", agent_id=worker)
        for task in (hearing, telling):
            error = None if task.cancelled() else task.exception()
            if error is not None and not isinstance(error, ConnectionError):  # a lane may be gone in mid-word
                log.error("lane_socket_failed", agent_id=worker, exc_info=error)

    def _is_ours(self, scope: Scope) -> bool:
        shown = [value for name, value in scope["headers"] if name == _SECRET_HEADER]
        return len(shown) == 1 and hmac.compare_digest(shown[0], self._secret.encode())

    async def _hear(self, worker: str, receive: Receive, send: Send) -> None:
        handled = 0
        while (message := await receive())["type"] != "websocket.disconnect":
            text = message.get("text") or message.get("bytes") or b""
            try:
                await self._take(worker, decode_lane_frame(text), send)
            except ValidationError:
                log.warning("lane_frame_refused", agent_id=worker)
            handled += 1
            if handled % FRAMES_IN_ONE_GO == 0:
                await asyncio.sleep(0)


def _group(worker: str) -> str:
    return f"lane.{worker}"


async def _tell(channel: str, send: Send) -> None:
    layer = get_channel_layer()
    while True:
        message = await layer.receive(channel)
        await send({"type": "websocket.send", "text": message["text"]})
