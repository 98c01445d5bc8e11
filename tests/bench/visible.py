"""From a message's POST to every event stream: how soon all readers have it, and that all of them do."""

import asyncio
import time
import uuid
from collections.abc import AsyncIterator

from tests.bench.accepting import hold_busy_agent
from tests.bench.figures import Aim, Row, Sample, lost, row
from tests.bench.load_client import NS_PER_MS, TakeBlock, connections, get, ping, post, streams
from tests.bench.rooms import BUSY, Measured, Rooms, Spending
from tests.bench.sizes import Size

SEEN_SECONDS = 10.0
AIMS = {1: (Aim(figure="p50", at_most=5.0),), 200: (Aim(figure="p95", at_most=24.0),)}


class Sighting:
    """Which readers have seen the message that carries the current mark, and when."""

    def __init__(self, readers: int) -> None:
        self._readers = readers
        self.begin(b"")

    def begin(self, mark: bytes) -> None:
        self._mark = mark
        self.seen_at: dict[int, int] = {}
        self.by_all = asyncio.Event()

    def taker(self, reader: int) -> TakeBlock:
        def take(block: bytes, read_at: int) -> None:
            if self._mark in block and b'"message.created"' in block:
                self.seen_at.setdefault(reader, read_at)
                if len(self.seen_at) == self._readers:
                    self.by_all.set()

        return take


async def visible(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    room = await rooms.shared()
    spending = Spending(room)
    await hold_busy_agent(room)
    async with connections(room.port, 1) as (connection,):
        for count in size.stream_clients:
            sighting, bare, seen = Sighting(count), Sample(), Sample()
            slowest: list[float] = []
            cursor = (await get(connection, "/api/bootstrap"))["cursor"]
            async with streams(room.port, [sighting.taker(reader) for reader in range(count)], cursor) as readers:
                for _ in range(size.watched_posts):
                    with Measured(bare, spending):
                        bare.took_ms.append(await ping(connection))
                    mark = uuid.uuid4().hex
                    sighting.begin(mark.encode())
                    with Measured(seen, spending):
                        sent_at = time.monotonic_ns()
                        await post(connection, mark, BUSY)
                        try:
                            await asyncio.wait_for(sighting.by_all.wait(), SEEN_SECONDS)
                        except TimeoutError:
                            pass
                    took_ms = [(read_at - sent_at) / NS_PER_MS for read_at in sighting.seen_at.values()]
                    seen.took_ms += took_ms
                    slowest.append(max(took_ms, default=SEEN_SECONDS * 1000))
                cut_off = sum(reader.is_lost for reader in readers)
            expected = size.watched_posts * count
            last = Sample(took_ms=slowest)
            yield row(
                f"visible on {count} stream{'s' if count > 1 else ''}",
                seen,
                bare,
                per_second=None,
                cpu_ms=seen.cpu_ms_of(size.watched_posts),
                aims=AIMS.get(count, ()),
                note=f"{len(seen.took_ms):,} of {expected:,} seen, last reader {last.p50:.1f} / {last.p95:.1f} ms, "
                "CPU of one message",
                faults=lost(expected - len(seen.took_ms), expected, "sightings") + lost(cut_off, count, "readers"),
            )
