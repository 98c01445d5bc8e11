"""/ws/lanes/<agent_id>: what a lane tells goes straight to the live turns and the tail (edge)."""

from collections import Counter
from collections.abc import Callable

from groupx.kernel.clock import Clock
from groupx.kernel.shapes import OwnShape
from rooms.announcements import LaneAction, LaneSignal
from rooms.asgi_json import Receive, Scope, Send
from rooms.tail import Tail

from .lane_frames import (
    AskedFrame,
    CallsFrame,
    CancelFrame,
    CommittedFrame,
    DeltaFrame,
    EndFrame,
    FlushedFrame,
    FlushFrame,
    HelloFrame,
    LaneFrame,
    OrdersFrame,
    StatusFrame,
    StoreFailedFrame,
    TransientFrame,
    TurnFrame,
    WakeFrame,
    encode,
)
from .worker_socket import WorkerSocket, tell_worker


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
    await tell_worker(signal.actor_id.removeprefix("agent:"), frame)


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
        self._tail = tail
        self._card_changed, self._store_failed = card_changed, store_failed
        self._socket = WorkerSocket(secret, clock, self._take)

    @property
    def connections(self) -> Counter[str]:
        """By agent: how many lanes of it are connected."""
        return self._socket.connections

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self._socket.serve(scope["url_route"]["kwargs"]["agent_id"], scope, receive, send)

    async def _take(self, agent_id: str, frame: LaneFrame, send: Send) -> None:
        live = self._tail.live
        match frame:
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
