"""What others want of a lane while it works (cancel this turn, restart, close) and tell it. Set from any task, awaited
by one."""

import asyncio
from enum import StrEnum


class Stop(StrEnum):
    """Why a lane ends its turn without being asked to cancel it."""

    CLOSING = "closing"
    RESTARTING = "restarting"


class LaneControl:
    """Flags with one event that says that one of them changed."""

    def __init__(self) -> None:
        self._changed = asyncio.Event()
        self.stopping = asyncio.Event()
        """Set while `stop` is: what takes long in a lane waits for it too."""
        self.cancelled_turn_ids: set[str] = set()
        self._told_calls: dict[str, int] = {}
        self.stop: Stop | None = None
        self.lost = False
        """Another worker has taken the lane over."""

    def wake(self) -> None:
        self._changed.set()

    def cancel(self, turn_id: str) -> None:
        if turn_id not in self.cancelled_turn_ids:
            self.cancelled_turn_ids.add(turn_id)
            self._changed.set()

    def tell_calls(self, turn_id: str, open_calls: int) -> None:
        """The agent of the running turn has begun or ended a call to one of the room's tools."""
        self._told_calls[turn_id] = open_calls
        self._changed.set()

    def news_of_calls(self, turn_id: str) -> int | None:
        """How many the turn has under way; None when nothing was told since the last time."""
        return self._told_calls.pop(turn_id, None)

    def forget(self, turn_id: str) -> None:
        """It has ended."""
        self.cancelled_turn_ids.discard(turn_id)
        self._told_calls.pop(turn_id, None)

    def close(self) -> None:
        self.stop = Stop.CLOSING
        self.stopping.set()
        self._changed.set()

    def restart(self) -> None:
        if self.stop is None:
            self.stop = Stop.RESTARTING
            self.stopping.set()
            self._changed.set()

    def lose(self) -> None:
        self.lost = True
        self.close()

    def restarted(self) -> None:
        if self.stop is Stop.RESTARTING:
            self.stop = None
            self.stopping.clear()

    async def changed(self) -> None:
        """Returns after the next change, or at once if there was one since the last call."""
        await self._changed.wait()
        self._changed.clear()
