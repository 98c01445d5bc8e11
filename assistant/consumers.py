"""/ws/assistant: the server's side of the brain's WebSocket (edge).

The brain speaks as a lane does (turns/lane_frames.py), with the clientCommandId of a question where a lane has a turn.
"""

from collections.abc import Callable
from typing import Protocol

from assistant.activity import activity_of
from groupx.kernel.clock import Clock
from rooms.asgi_json import Receive, Scope, Send
from rooms.live_turn import DeltaKind, Spoken
from rooms.vocabulary import EventType
from turns.lane_frames import (
    CancelFrame,
    CommittedFrame,
    DeltaFrame,
    EndFrame,
    FlushedFrame,
    FlushFrame,
    LaneFrame,
    StoreFailedFrame,
    TransientFrame,
    TurnFrame,
    WakeFrame,
    encode,
)
from turns.worker_socket import WorkerSocket, tell_worker

from .state import BRAIN


class Heard(Protocol):
    """assistant/live.py."""

    def begin(self, client_command_id: str, spoken: Spoken) -> None: ...
    def delta(self, client_command_id: str, chunk_index: int, text: str, full_length: int) -> None: ...
    def activity(self, client_command_id: str, text: str) -> None: ...
    def end(self, client_command_id: str) -> None: ...


async def tell_brain(cancelled: str | None) -> None:
    """A question waits, or the one with this id is to be stopped."""
    await tell_worker(BRAIN, WakeFrame() if cancelled is None else CancelFrame(turn_id=cancelled))


class BrainSocket:
    """`look()` is called when something may have changed in the database, `committed()` when an event of the room has,
    `store_failed(reason)` when the brain could not write."""

    def __init__(
        self,
        live: Heard,
        secret: str,
        clock: Clock,
        *,
        committed: Callable[[], None],
        store_failed: Callable[[str], None],
    ) -> None:
        self._live, self._committed, self._store_failed = live, committed, store_failed
        self._socket = WorkerSocket(secret, clock, self._take)
        self.look: Callable[[], None] = lambda: None

    def is_connected(self) -> bool:
        return self._socket.connections[BRAIN] > 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await self._socket.serve(BRAIN, scope, receive, send)
        finally:
            self.look()

    async def _take(self, worker: str, frame: LaneFrame, send: Send) -> None:
        match frame:
            case DeltaFrame(kind=DeltaKind.CONTENT) as delta:
                self._live.delta(delta.turn_id, delta.chunk_index, delta.text, delta.full_length or 0)
                return
            case DeltaFrame():
                return  # what it thinks is its own
            case TurnFrame() as turn:
                self._live.begin(turn.turn_id, turn.spoken()[0])
            case TransientFrame(event=EventType.TOOL_PROGRESS, turn_id=str(command_id), body=body):
                if body.get("nativeType") == "tool.started":
                    details = body.get("details")
                    title = details.get("title") if isinstance(details, dict) else None
                    self._live.activity(command_id, activity_of(str(body.get("name")), str(title or "")))
                return
            case TransientFrame():
                return
            case FlushFrame(turn_id=command_id):
                # Frames are taken in order: all that came before has been told.
                await send({"type": "websocket.send", "text": encode(FlushedFrame(turn_id=command_id))})
                return
            case EndFrame(turn_id=command_id):
                self._live.end(command_id)
            case StoreFailedFrame(reason=reason):
                self._store_failed(reason)
            case CommittedFrame():
                self._committed()
                return
            case _:
                pass
        self.look()
