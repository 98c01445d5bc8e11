"""The newest entries of the stream, each serialised once, shared by every client of this process.

An entry's index only rises; a client is nothing but the index it reads next. When the ring is full the oldest
entry leaves: a client that still wanted it reads the log instead.
"""

import asyncio
from typing import NamedTuple


class Entry(NamedTuple):
    seq: int | None
    """None for what is not in the log."""
    frame: bytes


class Ring:
    """Bounded by entries and bytes; a single entry larger than the bound is kept alone."""

    def __init__(self, max_entries: int, max_bytes: int) -> None:
        self._max_entries, self._max_bytes = max_entries, max_bytes
        self._entries: dict[int, Entry] = {}
        self._bytes = 0
        self.first = 0
        """Index of the oldest entry kept."""
        self.next = 0
        """Index the next entry will have."""
        self._waiting: list[asyncio.Future[None]] = []

    def append(self, frame: bytes, seq: int | None = None) -> int:
        """Add an entry and wake who waits; gives its index."""
        index = self.next
        self._entries[index] = Entry(seq, frame)
        self._bytes += len(frame)
        self.next += 1
        while self.next - self.first > 1 and (len(self._entries) > self._max_entries or self._bytes > self._max_bytes):
            self._bytes -= len(self._entries.pop(self.first).frame)
            self.first += 1
        self.wake()
        return index

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def durable_after(self, seq: int) -> list[Entry] | None:
        """The entries of the log after `seq`, oldest first; None when the one right after it is not here."""
        found = [entry for entry in self._entries.values() if entry.seq is not None and entry.seq > seq]
        return found if found and found[0].seq == seq + 1 else None

    async def changed(self) -> None:
        """Return after the next `append` or `wake`."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append(waiter)
        await waiter

    def wake(self) -> None:
        if not self._waiting:
            return
        waiting, self._waiting = self._waiting, []
        for waiter in waiting:
            if not waiter.done():
                waiter.set_result(None)
