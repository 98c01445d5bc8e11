"""What a lane has told and the socket has not taken yet, and the text so far of its running turns. Pure.

A delta waits alone only until the sender takes it; what comes meanwhile is merged into it, so one delta a frame is
normal at hundreds a second and a flood merges. Content and reasoning are merged apart; another event of the turn
keeps its place between the deltas before and after it. Without a connection nothing waits but the text so far.
"""

from collections import deque
from dataclasses import dataclass, field
from datetime import datetime

from groupx.kernel.shapes import OwnShape
from groupx.kernel.text import storable
from rooms.bodies import Body, ToolProgress
from rooms.envelope import ActorRef
from rooms.live_turn import DeltaKind, LiveTurn
from rooms.text_so_far import TextSoFar
from rooms.tool_reports import ToolReports

from .lane_frames import DeltaFrame, FrameActor, TransientFrame, TurnFrame

MAX_WAITING_FRAMES, MAX_WAITING_CHARS = 5_000, 4_194_304
"""More live events than this are not kept for a server that does not take them; text still merges."""
LENGTH_STEP_CHARS = 65_536
"""How much a text that is no longer shown grows until its new length is told."""


@dataclass
class _Voice:
    """One kind of deltas of a turn. `waiting` is the delta that later text may still be merged into."""

    text: TextSoFar = field(default_factory=TextSoFar)
    told_length: int = 0
    next_chunk: int = 0
    waiting: "_WaitingDelta | None" = None


@dataclass
class _WaitingDelta:
    turn_id: str
    kind: DeltaKind
    voice: _Voice
    parts: list[str]


@dataclass
class _WaitingEvent:
    frame: TransientFrame
    chars: int


class _Turn:
    def __init__(self, turn: LiveTurn) -> None:
        self.turn = turn
        self.voices = {kind: _Voice() for kind in DeltaKind}
        self.tools: ToolReports[TransientFrame] = ToolReports()


class LaneOutbox:
    """`is_open` while there is a connection; `take` gives the next frame, in the order they were told."""

    def __init__(self) -> None:
        self.is_open = False
        self._turns: dict[str, _Turn] = {}
        self._waiting: deque[OwnShape | _WaitingDelta | _WaitingEvent] = deque()
        self._waiting_chars = 0

    def __len__(self) -> int:
        return len(self._waiting)

    def open(self, *first: OwnShape) -> None:
        """A connection begins: with these frames, then the running turns with their text so far."""
        self._waiting, self._waiting_chars = deque(first), 0
        for turn in self._turns.values():
            self._waiting += (_turn_frame(turn), *turn.tools)
        self.is_open = True

    def close(self) -> None:
        """The connection ended; the next one begins with the text so far, so nothing has to be resent."""
        self.is_open = False
        self._waiting.clear()
        self._waiting_chars = 0
        for turn in self._turns.values():
            _stop_merging(turn)

    def add(self, frame: OwnShape) -> None:
        if self.is_open:
            self._waiting.append(frame)

    def begin_turn(self, turn: LiveTurn) -> None:
        begun = self._turns[turn.turn_id] = _Turn(turn)
        self.add(_turn_frame(begun))

    def end_turn(self, turn_id: str) -> bool:
        """False when there is no such turn."""
        return self._turns.pop(turn_id, None) is not None

    def add_text(self, turn_id: str, kind: DeltaKind, text: str) -> None:
        turn = self._turns.get(turn_id)
        if turn is None or not text:
            return
        voice = turn.voices[kind]
        was_cut = voice.text.is_cut
        shown = voice.text.append(storable(text))
        if was_cut and voice.text.length - voice.told_length < LENGTH_STEP_CHARS:
            return
        voice.told_length = voice.text.length
        if voice.waiting is not None:
            voice.waiting.parts.append(shown)
        elif self.is_open:
            voice.waiting = _WaitingDelta(turn_id, kind, voice, [shown])
            self._waiting.append(voice.waiting)

    def add_transient(self, body: Body, actor: ActorRef, correlation_id: str, occurred_at: datetime) -> None:
        if len(self._waiting) >= MAX_WAITING_FRAMES or self._waiting_chars >= MAX_WAITING_CHARS:
            return
        shown = body.wire()
        chars = len(str(shown))
        turn_id = shown.get("turnId")
        frame = TransientFrame(
            turn_id=turn_id,
            event=body.event_type,
            body=shown,
            actor=FrameActor.of(actor),
            correlation_id=correlation_id,
            occurred_at=occurred_at,
        )
        if (turn := self._turns.get(turn_id)) is not None:
            _stop_merging(turn)
            if isinstance(body, ToolProgress):
                turn.tools.take(body.tool_call_id, frame, chars)
        if self.is_open:
            self._waiting.append(_WaitingEvent(frame, chars))
            self._waiting_chars += chars

    def take(self) -> OwnShape | None:
        """The next frame to be sent; deltas get their number now."""
        if not self._waiting:
            return None
        first = self._waiting.popleft()
        if isinstance(first, _WaitingEvent):
            self._waiting_chars -= first.chars
            return first.frame
        if not isinstance(first, _WaitingDelta):
            return first
        voice = first.voice
        if voice.waiting is first:
            voice.waiting = None
        voice.next_chunk += 1
        return DeltaFrame(
            turn_id=first.turn_id,
            kind=first.kind,
            chunk_index=voice.next_chunk - 1,
            text="".join(first.parts),
            full_length=voice.text.length if voice.text.is_cut else None,
        )


def _stop_merging(turn: _Turn) -> None:
    for voice in turn.voices.values():
        voice.waiting = None


def _turn_frame(turn: _Turn) -> TurnFrame:
    content, reasoning = turn.voices[DeltaKind.CONTENT], turn.voices[DeltaKind.REASONING]
    for voice in (content, reasoning):
        # What was said without a connection counts as one delta, so that numbers rise for who had the others.
        voice.next_chunk += 1 if voice.text.length else 0
    return TurnFrame(
        turn_id=turn.turn.turn_id,
        actor=FrameActor.of(turn.turn.actor),
        correlation_id=turn.turn.correlation_id,
        root_correlation_id=turn.turn.root_correlation_id,
        text=content.text.shown,
        text_length=content.text.length,
        chunk_index=content.next_chunk,
        reasoning=reasoning.text.shown,
        reasoning_length=reasoning.text.length,
        reasoning_index=reasoning.next_chunk,
    )
