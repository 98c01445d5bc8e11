"""What one event stream tells about turns: when the first text came, when the turn ended, and how."""

import asyncio
import json

from tests.bench.load_client import UnexpectedAnswer
from tests.running_room import TERMINAL

TURN_SECONDS = 120.0
"""A turn may have to wait until its room is summed up."""
COMPACTED = ("context.compaction.completed", "context.compaction.failed")


class TurnWatch:
    """`take` reads a stream; times are the machine's monotonic nanoseconds."""

    def __init__(self) -> None:
        self.first_text: dict[str, int] = {}
        self.compactions: list[str] = []
        """How they ended."""
        self._ended: dict[str, asyncio.Future[tuple[str, int]]] = {}

    def take(self, block: bytes, read_at: int) -> None:
        if b'"turn.' not in block and b'"context.compaction.' not in block:
            return
        event = json.loads(block[block.index(b"data:") + 5 :])
        if event["type"] in COMPACTED:
            self.compactions.append(event["type"])
        turn_id = event.get("body", {}).get("turnId")
        if event["type"] == "turn.content.delta":
            self.first_text.setdefault(turn_id, read_at)
        elif event["type"] in TERMINAL and not (end := self._end(turn_id)).done():
            end.set_result((event["type"], read_at))

    async def completed(self, turn_id: str) -> int:
        """When its terminal event came.

        Raises:
            UnexpectedAnswer: it ended otherwise.
        """
        kind, read_at = await asyncio.wait_for(asyncio.shield(self._end(turn_id)), TURN_SECONDS)
        if kind != "turn.completed":
            raise UnexpectedAnswer(f"{turn_id} ended with {kind}")
        return read_at

    def _end(self, turn_id: str) -> "asyncio.Future[tuple[str, int]]":
        if turn_id not in self._ended:
            self._ended[turn_id] = asyncio.get_running_loop().create_future()
        return self._ended[turn_id]
