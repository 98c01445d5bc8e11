"""The worker's side of the lane's WebSocket: wakes and cancels in, deltas out.

The lane calls it without waiting and never hears of its failures: without a connection everything still works,
with polling delays and without live text. A delta is sent at once when nothing of its turn waits for the
socket; while one waits, later ones are merged into it. After a reconnect the server gets each running turn
with its text so far, so nothing is resent and nothing of the text is missing.
"""

import asyncio
import os
from collections import deque
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version

from pydantic import ValidationError
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, WebSocketException

from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from groupx.kernel.shapes import OwnShape
from groupx.kernel.text import storable
from rooms.bodies import Body
from rooms.envelope import ActorRef
from rooms.live import DeltaKind, LiveTurn
from rooms.text_so_far import TextSoFar

from .lane_frames import (
    BAD_SECRET_CLOSE_CODE,
    MAX_FRAME_BYTES,
    SECRET_HEADER,
    CancelFrame,
    CloseFrame,
    CommittedFrame,
    DeltaFrame,
    EndFrame,
    FlushedFrame,
    FlushFrame,
    FrameActor,
    HelloFrame,
    RestartFrame,
    StatusFrame,
    TransientFrame,
    TurnFrame,
    WakeFrame,
    decode_server_frame,
    encode,
)

log = get_logger()

FIRST_BACK_OFF_SECONDS = 0.1
LONGEST_BACK_OFF_SECONDS = 2.0
OPEN_TIMEOUT_SECONDS = 5.0
CLOSE_TIMEOUT_SECONDS = 1.0
MAX_WAITING_FRAMES = 5_000
"""More than this is not kept of live events for a server that does not take them."""


@dataclass(frozen=True)
class Wake:
    """There is probably a turn to claim."""


@dataclass(frozen=True)
class CancelTurn:
    turn_id: str


@dataclass(frozen=True)
class Restart:
    pass


@dataclass(frozen=True)
class Close:
    pass


type LaneSignalIn = Wake | CancelTurn | Restart | Close


@dataclass
class _Voice:
    """One kind of deltas of the current turn. `waiting` is its delta that has not been taken by the sender yet."""

    text: TextSoFar = field(default_factory=TextSoFar)
    next_chunk: int = 0
    waiting: "_WaitingDelta | None" = None


@dataclass
class _WaitingDelta:
    turn_id: str
    kind: DeltaKind
    voice: _Voice
    parts: list[str]


class _Turn:
    def __init__(self, turn: LiveTurn) -> None:
        self.turn = turn
        self.voices = {kind: _Voice() for kind in DeltaKind}


class LaneLink:
    """`run` keeps the connection until cancelled; everything else may be called at any time on the same loop."""

    def __init__(self, url: str, secret: str, agent_id: str, clock: Clock) -> None:
        self.signals: asyncio.Queue[LaneSignalIn] = asyncio.Queue()
        self.connected = asyncio.Event()
        self._url, self._secret, self._agent_id, self._clock = url, secret, agent_id, clock
        self._hello = HelloFrame(pid=os.getpid(), version=_version())
        self._turns: dict[str, _Turn] = {}
        self._waiting: deque[OwnShape | _WaitingDelta] = deque()
        self._something_waits = asyncio.Event()
        self._flushes: dict[str, asyncio.Future[bool]] = {}
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
        self._hello = HelloFrame(instance_id=instance_id, pid=os.getpid(), version=self._hello.version)
        self._send(self._hello)

    def begin_turn(self, turn: LiveTurn) -> None:
        self._turns[turn.turn_id] = _Turn(turn)
        if self.connected.is_set():
            self._send(self._turn_frame(self._turns[turn.turn_id]))

    def content(self, turn_id: str, text: str) -> None:
        self._delta(turn_id, DeltaKind.CONTENT, text)

    def reasoning(self, turn_id: str, text: str) -> None:
        self._delta(turn_id, DeltaKind.REASONING, text)

    def transient(self, body: Body, *, actor: ActorRef, correlation_id: str) -> None:
        """A live event that is no delta. It keeps its place among the deltas of its turn; lost without a connection."""
        if len(self._waiting) >= MAX_WAITING_FRAMES:
            return
        shown = body.wire()
        turn_id = shown.get("turnId")
        if turn_id in self._turns:
            for voice in self._turns[turn_id].voices.values():
                voice.waiting = None  # a later delta must not be merged into one from before this event
        self._send(
            TransientFrame(
                turn_id=turn_id,
                event=body.event_type,
                body=shown,
                actor=FrameActor.of(actor),
                correlation_id=correlation_id,
            )
        )

    def committed(self, seq: int) -> None:
        if seq > self._committed_seq:
            self._committed_seq = seq
            self._send(CommittedFrame(seq=seq))

    def status(self) -> None:
        self._send(StatusFrame())

    def end_turn(self, turn_id: str) -> None:
        if self._turns.pop(turn_id, None) is not None:
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
        self._waiting.clear()
        self._send_now(self._hello)
        for turn in self._turns.values():
            self._send_now(self._turn_frame(turn))
        if self._committed_seq:
            self._send_now(CommittedFrame(seq=self._committed_seq))
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
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)
            self._forget_connection()

    async def _send_waiting(self, socket: ClientConnection) -> None:
        try:
            while True:
                while self._waiting:
                    await socket.send(encode(self._take()))
                self._something_waits.clear()
                await self._something_waits.wait()
        except ConnectionClosed:
            return  # the receiving side sees it too, and ends the connection

    def _take(self) -> OwnShape:
        first = self._waiting.popleft()
        if not isinstance(first, _WaitingDelta):
            return first
        voice = first.voice
        if voice.waiting is first:
            voice.waiting = None
        voice.next_chunk += 1
        return DeltaFrame(
            turn_id=first.turn_id, kind=first.kind, chunk_index=voice.next_chunk - 1, text="".join(first.parts)
        )

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
            case RestartFrame():
                self.signals.put_nowait(Restart())
            case CloseFrame():
                self.signals.put_nowait(Close())
            case FlushedFrame(turn_id=turn_id):
                if (flushed := self._flushes.get(turn_id)) is not None and not flushed.done():
                    flushed.set_result(True)

    def _forget_connection(self) -> None:
        self._waiting.clear()
        for turn in self._turns.values():
            for voice in turn.voices.values():
                voice.waiting = None
        for flushed in self._flushes.values():
            if not flushed.done():
                flushed.set_result(False)

    # ------------------------------------------------------------ what waits for the socket
    def _delta(self, turn_id: str, kind: DeltaKind, text: str) -> None:
        turn = self._turns.get(turn_id)
        if turn is None or not text:
            return
        text = storable(text)
        voice = turn.voices[kind]
        voice.text.append(text)
        if not self.connected.is_set():
            return
        if voice.waiting is not None:
            voice.waiting.parts.append(text)
        else:
            voice.waiting = _WaitingDelta(turn_id, kind, voice, [text])
            self._send(voice.waiting)

    def _turn_frame(self, turn: _Turn) -> TurnFrame:
        content, reasoning = turn.voices[DeltaKind.CONTENT], turn.voices[DeltaKind.REASONING]
        for voice in (content, reasoning):
            # What was said without a connection counts as one delta, so that numbers rise for who had the others.
            voice.next_chunk += 1 if voice.text.end else 0
        return TurnFrame(
            turn_id=turn.turn.turn_id,
            actor=FrameActor.of(turn.turn.actor),
            correlation_id=turn.turn.correlation_id,
            root_correlation_id=turn.turn.root_correlation_id,
            text=content.text.since(0),
            text_start=content.text.start,
            chunk_index=content.next_chunk,
            reasoning=reasoning.text.since(0),
            reasoning_start=reasoning.text.start,
            reasoning_index=reasoning.next_chunk,
        )

    def _send(self, frame: OwnShape | _WaitingDelta) -> None:
        if self.connected.is_set():
            self._send_now(frame)

    def _send_now(self, frame: OwnShape | _WaitingDelta) -> None:
        self._waiting.append(frame)
        self._something_waits.set()


def _version() -> str:
    try:
        return version("groupx")
    except PackageNotFoundError:
        return "unknown"
