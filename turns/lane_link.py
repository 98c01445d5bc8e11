"""The worker's side of the lane's WebSocket: wakes and cancels in, deltas out.

The lane calls it without waiting and never hears of its failures: without a connection everything still works,
with polling delays and without live text. A delta is sent at once when nothing of its turn waits for the
socket; while one waits, later ones are merged into it. After a reconnect the server gets each running turn
with its text so far, so nothing is resent and nothing of the text is missing.
"""

import asyncio
import os
from dataclasses import dataclass

from pydantic import ValidationError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from groupx.kernel.shapes import OwnShape
from groupx.kernel.version import VERSION
from rooms.bodies import Body
from rooms.envelope import ActorRef
from rooms.live_turn import DeltaKind, LiveTurn

from .lane_frames import (
    BAD_SECRET_CLOSE_CODE,
    MAX_FRAME_BYTES,
    SECRET_HEADER,
    AskedFrame,
    CallsFrame,
    CancelFrame,
    CommittedFrame,
    EndFrame,
    FlushedFrame,
    FlushFrame,
    HelloFrame,
    OrdersFrame,
    StatusFrame,
    StoreFailedFrame,
    WakeFrame,
    decode_server_frame,
    encode,
)
from .lane_outbox import LaneOutbox

log = get_logger()

FIRST_BACK_OFF_SECONDS = 0.1
LONGEST_BACK_OFF_SECONDS = 2.0
OPEN_TIMEOUT_SECONDS = 5.0
CLOSE_TIMEOUT_SECONDS = 1.0


@dataclass(frozen=True)
class Wake:
    """There is probably a turn to claim."""


@dataclass(frozen=True)
class CancelTurn:
    turn_id: str


@dataclass(frozen=True)
class Orders:
    """Something is asked of the lane; the database says what."""


@dataclass(frozen=True)
class ToolCalls:
    """The turn's agent has begun or ended a call to one of the room's tools."""

    turn_id: str
    open_calls: int


type LaneSignalIn = Wake | CancelTurn | Orders | ToolCalls


class LaneLink:
    """`run` keeps the connection until cancelled; everything else may be called at any time on the same loop."""

    def __init__(self, url: str, secret: str, agent_id: str, clock: Clock) -> None:
        self.signals: asyncio.Queue[LaneSignalIn] = asyncio.Queue()
        self.connected = asyncio.Event()
        self._url, self._secret, self._agent_id, self._clock = url, secret, agent_id, clock
        self._hello = HelloFrame(pid=os.getpid(), version=VERSION)
        self._outbox = LaneOutbox()
        self._something_waits = asyncio.Event()
        self._flushes: dict[str, asyncio.Future[bool]] = {}
        self._calling_turn_id: str | None = None
        """The turn that has calls under way, as far as the server has said."""
        self._committed_seq = 0
        self._back_off_seconds = FIRST_BACK_OFF_SECONDS

    async def run(self) -> None:
        while True:
            try:
                async with connect(
                    self._url,
                    additional_headers={SECRET_HEADER: self._secret},
                    user_agent_header=None,
                    compression=None,
                    proxy=None,
                    max_size=MAX_FRAME_BYTES,
                    open_timeout=OPEN_TIMEOUT_SECONDS,
                    close_timeout=CLOSE_TIMEOUT_SECONDS,
                ) as socket:
                    self._back_off_seconds = FIRST_BACK_OFF_SECONDS
                    await self._converse(socket)
            except (OSError, TimeoutError, WebSocketException) as error:
                log.debug("lane_link_down", agent_id=self._agent_id, error=str(error))
            await self._clock.sleep(self._back_off_seconds)
            self._back_off_seconds = min(self._back_off_seconds * 2, LONGEST_BACK_OFF_SECONDS)

    # ------------------------------------------------------------ what the lane tells
    def hello(self, instance_id: str | None) -> None:
        """The agent's process, from now on."""
        self._hello = HelloFrame(instance_id=instance_id, pid=os.getpid(), version=VERSION)
        self._send(self._hello)

    def begin_turn(self, turn: LiveTurn) -> None:
        self._outbox.begin_turn(turn)
        self._something_waits.set()

    def content(self, turn_id: str, text: str) -> None:
        self._outbox.add_text(turn_id, DeltaKind.CONTENT, text)
        self._something_waits.set()

    def reasoning(self, turn_id: str, text: str) -> None:
        self._outbox.add_text(turn_id, DeltaKind.REASONING, text)
        self._something_waits.set()

    def transient(self, body: Body, *, actor: ActorRef, correlation_id: str) -> None:
        """A live event that is no delta. It keeps its place among the deltas of its turn; lost without a connection."""
        self._outbox.add_transient(body, actor, correlation_id, self._clock.now())
        self._something_waits.set()

    def committed(self, seq: int) -> None:
        if seq > self._committed_seq:
            self._committed_seq = seq
            self._send(CommittedFrame(seq=seq))

    def status(self) -> None:
        self._send(StatusFrame())

    def asked(self, actor_id: str) -> None:
        """Something waits for this agent's lane, wherever that is; without a connection it finds it within a second."""
        self._send(AskedFrame(actor_id=actor_id))

    def store_failed(self, reason: str) -> None:
        self._send(StoreFailedFrame(reason=reason))

    def end_turn(self, turn_id: str) -> None:
        if self._outbox.end_turn(turn_id):
            self._send(EndFrame(turn_id=turn_id))

    async def flush(self, turn_id: str, timeout_seconds: float = 0.25) -> bool:
        """Wait until the readers have in front of them all that was told of the turn; False when nobody said so."""
        if not self.connected.is_set():
            return False
        flushed = self._flushes.setdefault(turn_id, asyncio.get_running_loop().create_future())
        self._send(FlushFrame(turn_id=turn_id))
        try:
            async with asyncio.timeout(timeout_seconds):
                return await asyncio.shield(flushed)
        except TimeoutError:
            return False
        finally:
            if self._flushes.get(turn_id) is flushed:
                del self._flushes[turn_id]

    # ------------------------------------------------------------ the connection
    async def _converse(self, socket: ClientConnection) -> None:
        """Both directions, until the connection ends."""
        known = [CommittedFrame(seq=self._committed_seq)] if self._committed_seq else []
        self._outbox.open(self._hello, *known)
        self.connected.set()
        sending = asyncio.create_task(self._send_waiting(socket), name="lane-link-send")
        try:
            async for message in socket:
                self._hear(message)
        finally:
            if socket.close_code == BAD_SECRET_CLOSE_CODE:
                log.error("lane_link_refused", agent_id=self._agent_id)
                self._back_off_seconds = LONGEST_BACK_OFF_SECONDS
            self.connected.clear()
            self._outbox.close()
            if self._calling_turn_id is not None:  # nobody would tell of their end
                self._hear_calls(self._calling_turn_id, 0)
            for flushed in self._flushes.values():
                if not flushed.done():
                    flushed.set_result(False)
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)

    async def _send_waiting(self, socket: ClientConnection) -> None:
        try:
            while True:
                while (frame := self._outbox.take()) is not None:
                    await socket.send(encode(frame))
                self._something_waits.clear()
                await self._something_waits.wait()
        except ConnectionClosed:
            return  # the receiving side sees it too, and ends the connection

    def _send(self, frame: OwnShape) -> None:
        self._outbox.add(frame)
        self._something_waits.set()

    def _hear(self, message: str | bytes) -> None:
        try:
            frame = decode_server_frame(message)
        except ValidationError:
            log.warning("lane_link_unknown_frame", agent_id=self._agent_id)
            return
        match frame:
            case WakeFrame():
                self.signals.put_nowait(Wake())
            case CancelFrame(turn_id=turn_id):
                self.signals.put_nowait(CancelTurn(turn_id))
            case OrdersFrame():
                self.signals.put_nowait(Orders())
            case CallsFrame(turn_id=turn_id, open_calls=open_calls):
                self._hear_calls(turn_id, open_calls)
            case FlushedFrame(turn_id=turn_id):
                if (flushed := self._flushes.get(turn_id)) is not None and not flushed.done():
                    flushed.set_result(True)

    def _hear_calls(self, turn_id: str, open_calls: int) -> None:
        self._calling_turn_id = turn_id if open_calls else None
        self.signals.put_nowait(ToolCalls(turn_id, open_calls))
