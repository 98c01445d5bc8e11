"""What others want of a lane while it works: cancel this turn, restart, close. Set from any task, awaited by one."""

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
        self.stop: Stop | None = None
        self.lost = False
        """Another worker has taken the lane over."""

    def wake(self) -> None:
        self._changed.set()

    def cancel(self, turn_id: str) -> None:
        if turn_id not in self.cancelled_turn_ids:
            self.cancelled_turn_ids.add(turn_id)
            self._changed.set()

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
