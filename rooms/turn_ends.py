"""Who waits in this process for turns to end: told by the tail as it reads their terminal events.

A wait is a set of turn ids and one event: no thread, no query, no look at anything while it lasts. Who first begins to
listen, then asks the database which turns are open, and then waits for those, misses none of their ends.
"""

import asyncio
from collections.abc import Collection, Iterator
from contextlib import contextmanager


class TurnEnds:
    """All methods belong to one loop and return at once."""

    def __init__(self) -> None:
        self._listeners: set[Listener] = set()

    @contextmanager
    def listening(self) -> "Iterator[Listener]":
        """Hears of every turn that ends inside the block."""
        listener = Listener()
        self._listeners.add(listener)
        try:
            yield listener
        finally:
            self._listeners.discard(listener)

    def tell(self, turn_id: str) -> None:
        """This turn has its terminal event."""
        for listener in self._listeners:
            listener.hear(turn_id)

    def tell_to_look(self) -> None:
        """Ends may have been missed, or there will be no more: whoever waits looks for itself."""
        for listener in self._listeners:
            listener.is_over.set()


class Listener:
    """Good for one wait."""

    def __init__(self) -> None:
        self.ended: set[str] = set()
        """The turns it has heard of."""
        self.is_over = asyncio.Event()
        self._awaited: frozenset[str] | None = None

    def hear(self, turn_id: str) -> None:
        self.ended.add(turn_id)
        self._compare()

    async def until_ended(self, turn_ids: Collection[str]) -> None:
        """Return when all of these have ended, or when the database has to be asked again."""
        self._awaited = frozenset(turn_ids)
        self._compare()
        await self.is_over.wait()

    def _compare(self) -> None:
        if self._awaited is not None and self._awaited <= self.ended:
            self.is_over.set()
