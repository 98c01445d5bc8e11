"""Running turns as they speak: what a lane reports becomes transient envelopes in the ring.

Deltas come by the thousand per second, so the constant part of a turn's envelope is built once. The text so
far of each running turn, as far as it is shown, and what its tools reported, is kept for readers that come late or
fell behind.
Nothing of a turn follows its end: whatever was reported before a terminal event is in the ring before it, and
what comes later is dropped.
"""

from array import array
from bisect import bisect_left
from collections.abc import Mapping
from datetime import datetime
from json.encoder import encode_basestring
from typing import Any

from groupx.kernel.clock import Clock, iso
from groupx.kernel.ids import new_event_id
from groupx.kernel.logs import get_logger

from .envelope import ActorRef, Envelope, dump
from .live_sight import LiveSight, ToolSight
from .live_turn import NOTHING_YET, DeltaKind, LiveTurn, Spoken
from .ring import Ring
from .sse import frame
from .text_so_far import TextSoFar
from .tool_reports import ToolReports
from .turn_news import TurnNews
from .vocabulary import MAIN_ROOM, SCHEMA, Durability, EventType, SourceKind

log = get_logger()

_ENDED_TURNS_REMEMBERED = 1_000


_DELTA_TYPES = {
    DeltaKind.CONTENT: EventType.TURN_CONTENT_DELTA,
    DeltaKind.REASONING: EventType.TURN_REASONING_DELTA,
}


class LiveTurns:
    """The running turns of this process's room. Every method returns at once; call it on the loop only."""

    def __init__(self, ring: Ring, clock: Clock) -> None:
        self._ring, self._clock = ring, clock
        self.news = TurnNews()
        self._turns: dict[str, _RunningTurn] = {}
        self._ended: dict[str, None] = {}

    def begin(self, turn: LiveTurn, content: Spoken = NOTHING_YET, reasoning: Spoken = NOTHING_YET) -> None:
        """A turn runs, or its lane has connected again: text that is unknown here is told now."""
        if turn.turn_id in self._ended:
            return
        running = self._turns.get(turn.turn_id)
        if running is None:
            running = self._turns[turn.turn_id] = _RunningTurn(turn, self._clock)
        running.voices[DeltaKind.REASONING].take_over(self._ring, reasoning)
        running.voices[DeltaKind.CONTENT].take_over(self._ring, content)

    def delta(self, turn_id: str, kind: DeltaKind, chunk_index: int, text: str, length: int = 0) -> None:
        """`length` of the whole text so far, where there is more of it than is shown."""
        running = self._turns.get(turn_id)
        if running is not None:
            running.voices[kind].say(self._ring, chunk_index, text, length)

    def transient(
        self,
        event_type: EventType,
        body: Mapping[str, Any],
        actor: ActorRef,
        correlation_id: str,
        occurred_at: datetime,
        turn_id: str | None = None,
        source_kind: SourceKind = SourceKind.ADAPTER,
    ) -> None:
        """A live event that is no delta. One that belongs to a turn is dropped after the turn's end."""
        if turn_id in self._ended:
            return
        running = self._turns.get(turn_id) if turn_id else None
        envelope = Envelope(
            event_id=new_event_id(),
            seq=None,
            type=event_type.value,
            actor=actor,
            correlation_id=correlation_id,
            root_correlation_id=running.turn.root_correlation_id if running else correlation_id,
            occurred_at=occurred_at,
            body=body,
            source_kind=source_kind,
        )
        told = frame(dump(envelope.shortened().wire()))
        ring_index = self._ring.append(told)
        if running is not None and event_type is EventType.TOOL_PROGRESS:
            running.tools.take(str(body.get("toolCallId")), (ring_index, told), len(told))
            if running.sight.see(body):
                self.news.tell(running.turn.turn_id)

    def end(self, turn_id: str) -> None:
        """The turn has its terminal event, or its lane says that it will have no more to tell."""
        self._turns.pop(turn_id, None)
        self._ended[turn_id] = None
        if len(self._ended) > _ENDED_TURNS_REMEMBERED:
            del self._ended[next(iter(self._ended))]

    def sight_of(self, turn_id: str) -> LiveSight | None:
        """What an observer may see of it; None for a turn that is not told of now."""
        running = self._turns.get(turn_id)
        if running is None:
            return None
        text, length = running.voices[DeltaKind.CONTENT].text_so_far()
        return LiveSight(tools=running.sight.tools, changes=running.sight.changes, text=text, text_length=length)

    def so_far(self) -> list[bytes]:
        """Each running turn so far, for a reader that joins the ring at its end: its tools, and its text as one
        delta that replaces."""
        tools = [told for running in self._turns.values() for _, told in running.tools]
        return tools + [told for voice in self._voices() if (told := voice.so_far())]

    def missed_since(self, ring_index: int) -> list[bytes]:
        """The same for a reader that left the ring at `ring_index`: what was said since, as one delta each."""
        tools = [told for running in self._turns.values() for index, told in running.tools if index >= ring_index]
        return tools + [told for voice in self._voices() if (told := voice.missed_since(ring_index))]

    def _voices(self) -> "list[_Voice]":
        return [voice for running in self._turns.values() for voice in running.voices.values()]


class _RunningTurn:
    def __init__(self, turn: LiveTurn, clock: Clock) -> None:
        self.turn = turn
        self.voices = {kind: _Voice(turn, kind, clock) for kind in (DeltaKind.REASONING, DeltaKind.CONTENT)}
        self.tools: ToolReports[tuple[int, bytes]] = ToolReports()
        self.sight = ToolSight()


class _Voice:
    """One kind of deltas of one turn: its text so far, and where in the ring each delta stands."""

    def __init__(self, turn: LiveTurn, kind: DeltaKind, clock: Clock) -> None:
        self._clock = clock
        self._constant = _constant_part(turn, kind)
        self._text = TextSoFar()
        self._chunk_index = -1
        self._ring_indexes = array("Q")
        self._offsets = array("Q")

    def say(self, ring: Ring, chunk_index: int, text: str, length: int = 0) -> None:
        """`length` of the whole text, where there is more of it than is shown."""
        self._tell(ring, chunk_index, text, length, is_all=False)

    def take_over(self, ring: Ring, spoken: Spoken) -> None:
        known, length = self._text.shown_length, max(spoken.length, len(spoken.text))
        if length > self._text.length:
            self._tell(ring, spoken.next_chunk - 1, spoken.text[known:], length, is_all=known == 0)

    def _tell(self, ring: Ring, chunk_index: int, text: str, length: int, *, is_all: bool) -> None:
        self._offsets.append(self._text.shown_length)
        shown = self._text.append(text)
        self._text.length = max(self._text.length, length)
        self._chunk_index = chunk_index
        self._ring_indexes.append(ring.append(self._frame(shown, replace=is_all)))

    def text_so_far(self) -> tuple[str, int]:
        """As far as it is shown, and the length of all of it."""
        return self._text.shown, self._text.length

    def so_far(self) -> bytes | None:
        return self._frame(self._text.shown, replace=True) if self._text.length else None

    def missed_since(self, ring_index: int) -> bytes | None:
        first = bisect_left(self._ring_indexes, ring_index)
        return self._frame(self._text.shown[self._offsets[first] :]) if first < len(self._offsets) else None

    def _frame(self, text: str, *, replace: bool = False) -> bytes:
        replaces = ',"replace":true' if replace else ""
        cut = f',"truncated":true,"fullLength":{self._text.length}' if self._text.is_cut else ""
        return (
            f'data: {{"eventId":"{new_event_id()}","occurredAt":"{iso(self._clock.now())}",{self._constant}'
            f'"chunkIndex":{self._chunk_index},"text":{encode_basestring(text)}{replaces}{cut}}}}}\n\n'
        ).encode("utf-8", "replace")


def _constant_part(turn: LiveTurn, kind: DeltaKind) -> str:
    """What all deltas of a turn share, up to and into the body; the same fields as `Envelope.wire`."""
    shared = {
        "schema": SCHEMA,
        "seq": None,
        "roomId": MAIN_ROOM,
        "type": _DELTA_TYPES[kind].value,
        "actor": turn.actor.wire(),
        "to": [],
        "correlationId": turn.correlation_id,
        "rootCorrelationId": turn.root_correlation_id,
        "durability": Durability.TRANSIENT.value,
        "provenance": {"sourceKind": SourceKind.ADAPTER.value},
    }
    return f'{dump(shared)[1:-1]},"body":{{"turnId":{dump(turn.turn_id)},'
