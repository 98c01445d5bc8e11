"""Who in this process wants to hear of a turn: told by the tail as it reads the log, and by what its lane reports live.

A bell says only that there is something to look at. Who first listens, then looks, and then waits, misses nothing. Text
rings no bell: it comes by the thousand per second.
"""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager


class TurnNews:
    """All methods belong to one loop and return at once."""

    def __init__(self) -> None:
        self._bells: dict[str, set[asyncio.Event]] = {}

    @contextmanager
    def listening(self, turn_id: str) -> Iterator[asyncio.Event]:
        """Set as soon as there is news of this turn, inside the block."""
        bell = asyncio.Event()
        self._bells.setdefault(turn_id, set()).add(bell)
        try:
            yield bell
        finally:
            self._bells[turn_id].discard(bell)
            if not self._bells[turn_id]:
                del self._bells[turn_id]

    def tell(self, turn_id: str) -> None:
        for bell in self._bells.get(turn_id, ()):
            bell.set()

    def tell_to_look(self) -> None:
        """News may have been missed, or there will be no more: whoever waits looks for itself."""
        for bells in self._bells.values():
            for bell in bells:
                bell.set()
