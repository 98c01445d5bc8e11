"""What happens in the side conversation, for those who follow it: frames of `/api/assistant/events`.

The answer that grows is kept as far as it is shown, so that a stream opened in mid-run begins with it. Nothing here
reads the database. Every method returns at once; call it on the loop only.
"""

import asyncio
from collections import deque
from typing import Any

from groupx.kernel.clock import Clock
from rooms.envelope import dump
from rooms.live_turn import Spoken
from rooms.sse import HEARTBEAT
from rooms.text_so_far import TextSoFar

from .answers import ActivityTold, AssistantTold, DeltaTold, MessageTold

HEARTBEAT_SECONDS = 15.0


class _Growing:
    """The answer to one question, while it grows."""

    def __init__(self, spoken: Spoken) -> None:
        self.text = TextSoFar(spoken.text, spoken.length)
        self.chunk_index = spoken.next_chunk - 1
        self.activity = ""


class LiveTalk:
    def __init__(self, max_bytes: int, clock: Clock) -> None:
        """`max_bytes`: how much may wait for one reader; whoever falls behind further has to come again."""
        self._max_bytes, self._clock = max_bytes, clock
        self._followers: set[Follower] = set()
        self._growing: dict[str, _Growing] = {}
        self._state: AssistantTold | None = None
        self._is_closed = False

    # ------------------------------------------------------------ what the brain tells
    def begin(self, client_command_id: str, spoken: Spoken) -> None:
        """It works on a question, or is connected again and says what it has said so far."""
        growing = self._growing[client_command_id] = _Growing(spoken)
        self._tell("assistant.delta", _so_far(client_command_id, growing))

    def delta(self, client_command_id: str, chunk_index: int, text: str, full_length: int) -> None:
        growing = self._growing.get(client_command_id)
        if growing is None:
            return
        shown = growing.text.append(text)
        growing.text.length = max(growing.text.length, full_length)
        growing.chunk_index, growing.activity = chunk_index, ""
        told: DeltaTold = {"clientCommandId": client_command_id, "chunkIndex": chunk_index, "text": shown}
        if growing.text.is_cut:
            told["truncated"] = True
        self._tell("assistant.delta", told)

    def activity(self, client_command_id: str, text: str) -> None:
        growing = self._growing.get(client_command_id)
        if growing is not None:
            growing.activity = text
            self._tell("assistant.activity", _doing(client_command_id, text))

    def end(self, client_command_id: str) -> None:
        """Nothing more will be said of it."""
        self._growing.pop(client_command_id, None)

    # ------------------------------------------------------------ what the database says
    def tell_state(self, state: AssistantTold) -> None:
        if state != self._state:
            self._state = state
            self._tell("assistant.state", state)

    def tell_message(self, item: MessageTold) -> None:
        if "state" in item and not item["state"].is_open:
            self.end(item["clientCommandId"])  # a brain that died has not said so itself
        self._tell("assistant.message", {"item": item})

    # ------------------------------------------------------------ who follows
    def follow(self) -> "Follower":
        """Begins with the state and what is being said. Whoever takes a follower gives it back by `leave`."""
        follower = Follower(self._max_bytes, self._clock)
        if self._state is not None:
            follower.put(_frame("assistant.state", self._state))
        for client_command_id, growing in self._growing.items():
            follower.put(_frame("assistant.delta", _so_far(client_command_id, growing)))
            if growing.activity:
                follower.put(_frame("assistant.activity", _doing(client_command_id, growing.activity)))
        if self._is_closed:
            follower.close()
        self._followers.add(follower)
        return follower

    def leave(self, follower: "Follower") -> None:
        self._followers.discard(follower)

    def close(self) -> None:
        """The room drains: all streams end."""
        self._is_closed = True
        for follower in self._followers:
            follower.close()

    def _tell(self, event: str, data: Any) -> None:
        if self._followers:
            told = _frame(event, data)
            for follower in self._followers:
                follower.put(told)


class Follower:
    """One stream's reader and what waits for it."""

    def __init__(self, max_bytes: int, clock: Clock) -> None:
        self._max_bytes, self._clock = max_bytes, clock
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._is_closed = False
        self._something = asyncio.Event()

    def put(self, told: bytes) -> None:
        self._waiting.append(told)
        self._bytes += len(told)
        if self._bytes > self._max_bytes:
            self.close()
        self._something.set()

    def close(self) -> None:
        self._is_closed = True
        self._something.set()

    async def next_chunk(self) -> bytes | None:
        """What there is to send, a heartbeat after a while of nothing; None at the end of the stream."""
        if not (self._waiting or self._is_closed):
            await self._wait()
        if self._is_closed:
            return None
        chunk = b"".join(self._waiting) or HEARTBEAT
        self._waiting.clear()
        self._bytes = 0
        self._something.clear()
        return chunk

    async def _wait(self) -> None:
        waiting = asyncio.create_task(self._something.wait(), name="assistant-follower")
        try:
            await self._clock.wait({waiting}, HEARTBEAT_SECONDS)
        finally:
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)


def _frame(event: str, data: Any) -> bytes:
    return f"event: {event}\ndata: {dump(data)}\n\n".encode("utf-8", "replace")


def _so_far(client_command_id: str, growing: _Growing) -> DeltaTold:
    told: DeltaTold = {
        "clientCommandId": client_command_id,
        "chunkIndex": growing.chunk_index,
        "text": growing.text.shown,
        "replace": True,
    }
    if growing.text.is_cut:
        told["truncated"] = True
    return told


def _doing(client_command_id: str, text: str) -> ActivityTold:
    return {"clientCommandId": client_command_id, "text": text}
