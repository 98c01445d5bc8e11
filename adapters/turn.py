"""One prompt: what arrives in the order of the wire becomes events and one terminal.

Fed synchronously by a session's reader, read by whoever iterates the prompt. Knows no connection and no frames.
"""

import asyncio
from collections import Counter, deque

from adapters.contract import (
    Diagnostic,
    NativeEvent,
    ProgressReported,
    ReasoningDelta,
    Started,
    Terminal,
    TextDelta,
    UsageReported,
)
from adapters.endings import Ending, PromptReply, Seen, terminal_of
from adapters.text_stream import TextStream
from adapters.tools import Tools, ToolUpdate

WAITING_EVENTS = 64
"""What an iterator may be behind before the agent is slowed down."""
LATE_QUIET_SECONDS = 0.02
"""An agent that sends its last words after its reply sends them at once."""
LATE_MAX_SECONDS = 0.25


class Turn:
    def __init__(
        self,
        counts: Counter[str],
        *,
        sign_in: str | None = None,
        session_is_proven: bool = True,
        late_text: bool = False,
    ) -> None:
        """`counts` are the oddities of the session so far; the turn adds its own and reports them all. `sign_in` tells
        how a person signs in; with `late_text` the last words are waited for after the reply."""
        self._counts = counts
        self._sign_in = sign_in
        self._late_text = late_text
        self._session_is_proven = session_is_proven
        self._events: deque[NativeEvent] = deque()
        self._changed = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()
        self._started = False
        self._text = TextStream()
        self._thought = TextStream()
        self._tools = Tools()
        self._usage: UsageReported | None = None
        self._late_until: float | None = None
        self.ending: Ending | None = None
        """The first thing that ended it."""
        self.cancel_sent = False

    # ------------------------------------------------------------ from the reader
    def say(self, piece: str) -> None:
        """A piece of the answer."""
        self._put_text(self._text.feed(piece))

    def think(self, piece: str) -> None:
        self._put_thought(self._thought.feed(piece))

    def use_tool(self, update: ToolUpdate) -> None:
        self._put(*self._tools.fold(update))

    def tools_are_over(self) -> None:
        """All that are still open, of an agent that does not tell the end of each."""
        if over := self._tools.end_open():
            self._put(*over)

    def report(self, event: ProgressReported) -> None:
        self._put(event)

    def use_up(self, usage: UsageReported | None) -> None:
        """Told once the turn has begun: usage alone does not prove that."""
        self._usage = usage
        if self._started:
            self._put()

    def count(self, oddity: str) -> None:
        self._counts[oddity] += 1

    def begin(self, native_turn_id: str | None = None) -> None:
        """A frame of this turn has arrived: the prompt was delivered."""
        self._put(native_turn_id=native_turn_id)

    def end(self, ending: Ending) -> None:
        """Only the first one counts."""
        if self.ending is None:
            self.ending = ending
            self._changed.set()

    async def has_room(self) -> None:
        await self._room.wait()

    def leave(self) -> None:
        """Nobody reads any more; the agent must not be slowed down for that."""
        self._events.clear()
        self._room.set()

    # ------------------------------------------------------------ to the iterator
    async def next(self) -> NativeEvent | None:
        """The next event before the terminal; None when it is time for `finish`."""
        while not self._events:
            if self.ending is None:
                self._changed.clear()
                await self._changed.wait()
            elif not await self._late_arrived():
                return None
        event = self._events.popleft()
        if len(self._events) < WAITING_EVENTS:
            self._room.set()
        return event

    def finish(self) -> tuple[list[NativeEvent], Terminal]:
        """What is still to be told, then the terminal."""
        assert self.ending is not None
        if isinstance(self.ending, PromptReply) and self.ending.usage is not None:
            self._put(self.ending.usage)
        if self._started:
            self._put_thought(self._thought.flush())
            self._put_text(self._text.flush())
        odd = {kind: number for kind, number in sorted(self._counts.items()) if number}
        self._counts.clear()
        seen = Seen(
            text=self._text.text,
            used_tools=len(self._tools) > 0,
            thought=bool(self._thought.text),
            cancel_sent=self.cancel_sent,
            session_is_proven=self._session_is_proven,
            diagnostics=odd,
        )
        rest = [*self._events, *(Diagnostic(kind, number) for kind, number in odd.items())]
        self.leave()
        return rest, terminal_of(self.ending, seen, self._sign_in)

    @property
    def has_answer(self) -> bool:
        """It has given text or used a tool."""
        return bool(self._text.text.strip()) or len(self._tools) > 0

    # ------------------------------------------------------------ inside
    async def _late_arrived(self) -> bool:
        """After the reply: wait for late words where the agent is known for them."""
        if not self._late_text or not isinstance(self.ending, PromptReply):
            return False
        now = asyncio.get_running_loop().time()
        if self._late_until is None:
            self._late_until = now + LATE_MAX_SECONDS
        self._changed.clear()
        try:
            async with asyncio.timeout_at(min(now + LATE_QUIET_SECONDS, self._late_until)):
                await self._changed.wait()
        except TimeoutError:
            return False
        return True

    def _put_text(self, text: str) -> None:
        self._put(*([TextDelta(text)] if text else []))

    def _put_thought(self, text: str) -> None:
        self._put(*([ReasoningDelta(text)] if text else []))

    def _put(self, *events: NativeEvent, native_turn_id: str | None = None) -> None:
        """Everything that is put belongs to the turn, so the first of it is preceded by Started."""
        if not self._started:
            self._started = True
            self._events.append(Started(native_turn_id))
        if self._usage is not None:
            self._events.append(self._usage)
            self._usage = None
        self._events.extend(events)
        self._changed.set()
        if len(self._events) >= WAITING_EVENTS:
            self._room.clear()
