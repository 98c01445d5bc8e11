"""One reader of the log per process, feeding all event streams.

New events are read once and serialised once, into a ring that all clients share. A client that is behind the
ring reads the log in pages, as fast as it takes them, and joins the ring where its pages end: no gap and no
duplicate. What it missed of running turns it gets as one delta each; other live events it missed are gone.

A wake-up is a hint; the table is the truth. Besides hints the tail looks four times a second, once while it has no
clients, whether another process has committed (`PRAGMA data_version`, microseconds on a kept connection).
"""

import asyncio

from groupx.kernel.clock import Clock, until_next
from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger

from . import queries
from .change_watch import ChangeWatch
from .live import LiveTurns
from .log_pages import CHUNK_BYTES, log_page, where_the_log_ends
from .ring import Entry, Ring
from .sse import HEARTBEAT
from .transactions import DatabaseThreads, StoreError, in_reader, translate
from .turn_ends import TurnEnds

log = get_logger()

POLL_SECONDS, UNREAD_POLL_SECONDS = 0.25, 1.0
HEARTBEAT_SECONDS = 15.0
RETRY_SECONDS = 1.0
"""After the database could not be read."""
READY_SECONDS = 5.0
"""How long a new client waits for a tail that has not reached its cursor."""


class Tail:
    """`run` reads until cancelled; `follow` gives a client its place. All methods belong to one loop."""

    def __init__(self, limits: Limits, clock: Clock) -> None:
        self.ring = Ring(limits.sse_events, limits.sse_bytes)
        self.live = LiveTurns(self.ring, clock)
        self.turn_ends = TurnEnds()
        self.read_seq = 0
        """The newest event in the ring; every event up to it was there or is in the log."""
        self.first_seq = 0
        """Where the log ended when this process began to read it."""
        self.epoch = ""
        self.is_closed = False
        self.followers: set[Follower] = set()
        """The clients of this moment, each with its place; who has one takes it out at its end."""
        self._clock = clock
        self._threads = DatabaseThreads("db-tail", 1)
        self._watch = ChangeWatch()
        self._hint = asyncio.Event()
        self._ready = asyncio.Event()

    async def run(self) -> None:
        """Read what is committed as it is committed, until cancelled. Survives a database that cannot be read."""
        try:
            async with asyncio.TaskGroup() as tasks:
                tasks.create_task(self._read_log(), name="tail-reader")
                tasks.create_task(self._keep_streams_alive(), name="tail-heartbeat")
        finally:
            self._watch.close()

    @property
    def is_ready(self) -> bool:
        """It has found where the log ends."""
        return self._ready.is_set()

    def wake(self) -> None:
        """Something was probably committed."""
        self._hint.set()

    def close(self) -> None:
        """End all streams and waits; the reader itself ends by cancellation."""
        self.is_closed = True
        self.ring.wake()
        self._tell_waits_to_look()

    def _tell_waits_to_look(self) -> None:
        self.turn_ends.tell_to_look()
        self.live.news.tell_to_look()

    def close_threads(self) -> None:
        """Blocks until the reader's thread has ended."""
        self._threads.close()

    async def follow(self, after_seq: int, epoch: str | None) -> "Follower | None":
        """A place right after `after_seq`; None when the cursor is ahead of the log or of another epoch.

        Raises:
            GroupXError: STORE_UNAVAILABLE when the database cannot be read.
        """
        try:
            async with asyncio.timeout(READY_SECONDS):
                await self._ready.wait()
                if epoch is not None and epoch != self.epoch:
                    return None
                if after_seq > self.read_seq:
                    if after_seq > await in_reader(queries.last_seq):
                        return None
                    self.wake()
                    while self.read_seq < after_seq:
                        await self.ring.changed()
        except (TimeoutError, StoreError) as error:
            raise translate(error) if isinstance(error, StoreError) else _slow() from error
        if not self.followers:
            self.wake()  # it looks more seldom than a client wants it to
        follower = Follower(self, after_seq)
        self.followers.add(follower)
        return follower

    async def _read_log(self) -> None:
        while True:
            try:
                if not self._ready.is_set():
                    self.read_seq, self.epoch = await self._threads.run(where_the_log_ends)
                    self.first_seq = self.read_seq
                    self._ready.set()
                    self._tell_waits_to_look()
                while not await self._read_page():
                    pass
            except (StoreError, GroupXError) as error:
                log.warning("tail_cannot_read", error=str(error))
                await self._clock.sleep(RETRY_SECONDS)
                continue
            await self._wait_for_hint()

    async def _wait_for_hint(self) -> None:
        hint = asyncio.ensure_future(self._hint.wait())
        try:
            while not await self._clock.wait({hint}, self._seconds_to_next_look()):
                if self._watch.has_changed():
                    break
        finally:
            hint.cancel()
        self._hint.clear()

    def _seconds_to_next_look(self) -> float:
        return until_next(POLL_SECONDS if self.followers else UNREAD_POLL_SECONDS, self._clock)

    async def _read_page(self) -> bool:
        """Put the next events into the ring; whether the log was read to its end."""
        page = await self._threads.run(log_page, self.read_seq)
        for entry in page.entries:
            # Ring and read_seq move together: who has read_seq may join the ring at its end.
            self.ring.append(entry.frame, entry.seq)
            self.read_seq = entry.seq
            if entry.ends_turn:
                self.live.end(entry.ends_turn)
                self.turn_ends.tell(entry.ends_turn)
            if entry.of_turn:
                self.live.news.tell(entry.of_turn)
        return page.is_last

    async def _keep_streams_alive(self) -> None:
        while True:
            await self._clock.sleep(HEARTBEAT_SECONDS)
            self.ring.append(HEARTBEAT)


class Follower:
    """One client's place: the last event it got and, while it keeps up, the index in the ring it reads next."""

    def __init__(self, tail: Tail, after_seq: int) -> None:
        self._tail, self._seq = tail, after_seq
        self._index: int | None = None
        self._left_at: int | None = None
        """Where the ring ran away from this client; None for one that was never in it."""

    @property
    def seq(self) -> int:
        """The last durable event this client was given."""
        return self._seq

    async def next_chunk(self) -> bytes | None:
        """Waits for what follows; a few frames at once when they are there. None when the streams end."""
        ring = self._tail.ring
        while not self._tail.is_closed:
            if self._index is None:
                chunk = await self._from_the_log()
                if self._seq >= self._tail.read_seq:
                    chunk += self._join_the_ring()
                if chunk:
                    return chunk
            elif self._index < ring.first:
                self._index, self._left_at = None, self._index
            elif self._index < ring.next:
                if chunk := self._from_the_ring():
                    return chunk
            else:
                await ring.changed()
        return None

    async def _from_the_log(self) -> bytes:
        """Events this client is behind by; nothing when it has all that the ring has had."""
        tail = self._tail
        if self._seq >= tail.read_seq:
            return b""
        if (kept := tail.ring.durable_after(self._seq)) is not None:
            return self._first_of(kept)
        try:
            page = await in_reader(log_page, self._seq, tail.read_seq)
        except StoreError as error:
            log.warning("stream_cannot_read", error=str(error))
            raise translate(error) from error
        if not page.entries:
            raise _slow()
        self._seq = page.entries[-1].seq
        return b"".join([entry.frame for entry in page.entries])

    def _join_the_ring(self) -> bytes:
        """From now on this client has what everybody has: give it what running turns have said so far."""
        live, left_at = self._tail.live, self._left_at
        self._index = self._tail.ring.next
        return b"".join(live.so_far() if left_at is None else live.missed_since(left_at))

    def _from_the_ring(self) -> bytes:
        ring = self._tail.ring
        frames: list[bytes] = []
        size = 0
        assert self._index is not None
        while self._index < ring.next:
            seq, told = ring[self._index]
            if frames and size + len(told) > CHUNK_BYTES:
                break
            self._index += 1
            if seq is not None:
                if seq <= self._seq:
                    continue
                self._seq = seq
            frames.append(told)
            size += len(told)
        return frames[0] if len(frames) == 1 else b"".join(frames)

    def _first_of(self, entries: list[Entry]) -> bytes:
        frames: list[bytes] = []
        size = 0
        for seq, told in entries:
            if frames and size + len(told) > CHUNK_BYTES:
                break
            frames.append(told)
            size += len(told)
            self._seq = seq or self._seq
        return b"".join(frames)


def _slow() -> GroupXError:
    return GroupXError(ErrorCode.STORE_UNAVAILABLE, "The room's database cannot be read right now; try again.")
