"""/ws/lanes/<agent_id>: the server's side of a lane's WebSocket (edge).

What a lane tells goes straight to the live turns and the tail; what the lane must hear comes through the
channel layer's group of its agent. Plain ASGI: at thousands of deltas a second a dispatch by method name
would cost more than the delta.
"""

import asyncio
import hmac
from collections import Counter
from collections.abc import Callable

from channels.layers import get_channel_layer
from pydantic import ValidationError

from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from groupx.kernel.shapes import OwnShape
from rooms.announcements import LaneAction, LaneSignal
from rooms.asgi_json import Receive, Scope, Send
from rooms.tail import Tail

from .lane_frames import (
    BAD_SECRET_CLOSE_CODE,
    SECRET_HEADER,
    AskedFrame,
    CallsFrame,
    CancelFrame,
    CommittedFrame,
    DeltaFrame,
    EndFrame,
    FlushedFrame,
    FlushFrame,
    HelloFrame,
    OrdersFrame,
    StatusFrame,
    StoreFailedFrame,
    TransientFrame,
    TurnFrame,
    WakeFrame,
    decode_lane_frame,
    encode,
)

log = get_logger()

FRAMES_IN_ONE_GO = 64
"""Then the readers get their turn: a queue that is never empty would not let anybody else run."""
_SECRET_HEADER = SECRET_HEADER.lower().encode()


def lane_group(agent_id: str) -> str:
    return f"lane.{agent_id}"


async def tell_lane(signal: LaneSignal) -> None:
    """Pass a signal to the agent's lane, if it is connected to this process."""
    match signal.action:
        case LaneAction.WAKE:
            frame: OwnShape = WakeFrame()
        case LaneAction.CANCEL if signal.turn_id:
            frame = CancelFrame(turn_id=signal.turn_id)
        case LaneAction.ORDERS:
            frame = OrdersFrame()
        case LaneAction.CALLS if signal.turn_id:
            frame = CallsFrame(turn_id=signal.turn_id, open_calls=signal.open_calls)
        case _:
            return
    group = lane_group(signal.actor_id.removeprefix("agent:"))
    await get_channel_layer().group_send(group, {"type": "lane.frame", "text": encode(frame)})


class LaneSocket:
    """`card_changed(actor_id)` is called when what an agent's card shows has changed, `store_failed(reason)` when a
    lane could not write to the database."""

    def __init__(
        self,
        tail: Tail,
        secret: str,
        clock: Clock,
        *,
        card_changed: Callable[[str], None],
        store_failed: Callable[[str], None],
    ) -> None:
        self._tail, self._secret, self._clock = tail, secret, clock
        self._card_changed, self._store_failed = card_changed, store_failed
        self.connections: Counter[str] = Counter()
        """By agent: how many lanes of it are connected."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        agent_id: str = scope["url_route"]["kwargs"]["agent_id"]
        if (await receive())["type"] != "websocket.connect":
            return
        await send({"type": "websocket.accept"})
        if not self._is_ours(scope):
            log.warning("lane_refused", agent_id=agent_id)
            await send({"type": "websocket.close", "code": BAD_SECRET_CLOSE_CODE})
            return
        layer = get_channel_layer()
        channel = await layer.new_channel("lane")
        await layer.group_add(lane_group(agent_id), channel)
        hearing = asyncio.create_task(self._hear(agent_id, receive, send), name=f"lane-{agent_id}-in")
        telling = asyncio.create_task(_tell(channel, send), name=f"lane-{agent_id}-out")
        self.connections[agent_id] += 1
        log.info("lane_connected", agent_id=agent_id)
        try:
            await self._clock.wait({hearing, telling}, None)
        finally:
            self.connections[agent_id] -= 1
            for task in (hearing, telling):
                task.cancel()
            await asyncio.gather(hearing, telling, return_exceptions=True)
            await layer.group_discard(lane_group(agent_id), channel)
            log.info("lane_disconnected", agent_id=agent_id)
        for task in (hearing, telling):
            error = None if task.cancelled() else task.exception()
            if error is not None and not isinstance(error, ConnectionError):  # a lane may be gone in mid-word
                log.error("lane_socket_failed", agent_id=agent_id, exc_info=error)

    def _is_ours(self, scope: Scope) -> bool:
        shown = [value for name, value in scope["headers"] if name == _SECRET_HEADER]
        return len(shown) == 1 and hmac.compare_digest(shown[0], self._secret.encode())

    async def _hear(self, agent_id: str, receive: Receive, send: Send) -> None:
        handled = 0
        while (message := await receive())["type"] != "websocket.disconnect":
            text = message.get("text") or message.get("bytes") or b""
            try:
                await self._take(agent_id, text, send)
            except ValidationError:
                log.warning("lane_frame_refused", agent_id=agent_id)
            handled += 1
            if handled % FRAMES_IN_ONE_GO == 0:
                await asyncio.sleep(0)

    async def _take(self, agent_id: str, text: str | bytes, send: Send) -> None:
        live = self._tail.live
        match decode_lane_frame(text):
            case DeltaFrame() as delta:
                live.delta(delta.turn_id, delta.kind, delta.chunk_index, delta.text, delta.full_length or 0)
            case TurnFrame() as turn:
                live.begin(turn.live_turn(), *turn.spoken())
            case TransientFrame() as told:
                live.transient(
                    told.event, told.body, told.actor.ref(), told.correlation_id, told.occurred_at, told.turn_id
                )
            case CommittedFrame():
                self._tail.wake()
            case FlushFrame(turn_id=turn_id):
                # Frames are taken in order: all that came before is in the ring now.
                await send({"type": "websocket.send", "text": encode(FlushedFrame(turn_id=turn_id))})
            case EndFrame(turn_id=turn_id):
                live.end(turn_id)
            case AskedFrame(actor_id=actor_id):
                await tell_lane(LaneSignal(actor_id, LaneAction.ORDERS))
            case StoreFailedFrame(reason=reason):
                self._store_failed(reason)
            case HelloFrame() | StatusFrame():
                self._card_changed(f"agent:{agent_id}")


async def _tell(channel: str, send: Send) -> None:
    layer = get_channel_layer()
    while True:
        message = await layer.receive(channel)
        await send({"type": "websocket.send", "text": message["text"]})
