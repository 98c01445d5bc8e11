"""What a page reads when it comes: bootstrap and health, however long the log is, and a replay of it."""

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack

from tests.bench.figures import Aim, Row, Sample, lost, row
from tests.bench.filled_rooms import filled_rooms
from tests.bench.load_client import connections, ping, streams, timed_get
from tests.bench.rooms import Measured, Rooms, Spending
from tests.bench.sizes import Size
from tests.running_room import RunningRoom

ADDRESSES = ("bootstrap", "health")
FLAT = Aim(figure="p50", at_most=1.5)
REPLAY_SECONDS = 60.0
REPLAYS = 3


async def reading(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """All rooms are asked in turns, so that a noisy moment meets all of them."""
    running = await filled_rooms(rooms, size)
    spending = {count: Spending(room) for count, room in running.items()}
    bare = {count: Sample() for count in running}
    took = {(address, count): Sample() for address in ADDRESSES for count in running}
    async with AsyncExitStack() as stack:
        opened = {}
        for count, room in running.items():
            (opened[count],) = await stack.enter_async_context(connections(room.port, 1))
            for address in ADDRESSES:  # what is loaded only once is none of the measured ones
                await timed_get(opened[count], f"/api/{address}")
        for _ in range(size.reads):
            for count, connection in opened.items():
                with Measured(bare[count], spending[count]):
                    bare[count].took_ms.append(await ping(connection))
                for address in ADDRESSES:
                    sample = took[address, count]
                    with Measured(sample, spending[count]):
                        sample.took_ms.append(await timed_get(connection, f"/api/{address}"))
    for address in ADDRESSES:
        for count in running:
            yield row(f"{address}, {count:,} events", took[address, count], bare[count])
        base = took[address, size.base_log].p50
        for count in size.log_sizes:
            p50 = took[address, count].p50
            if base and p50 and count > size.base_log:
                times = f"{address}, {count:,} to {size.base_log:,} events"
                yield Row(name=times, unit="×", p50=p50 / base, aims=(FLAT,))


async def replaying(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """From the log's start, and the end of the longest log, each over one connection."""
    running = await filled_rooms(rooms, size)
    count = size.replayed_events
    yield await _replay(f"replay of {count:,} events, one connection", running[count], 0, count)
    longest = max(running)
    if longest > count:
        name = f"replay of the last {count:,} of {longest:,}"
        yield await _replay(name, running[longest], longest - count, longest)


async def _replay(name: str, room: RunningRoom, after_seq: int, through_seq: int) -> Row:
    whole, spending, bare, count = Sample(), Spending(room), Sample(), through_seq - after_seq
    gaps, megabytes = 0, 0.0
    async with connections(room.port, 1) as (connection,):
        for _ in range(REPLAYS):
            bare.took_ms.append(await ping(connection))
            follow = Following(after_seq, through_seq)
            with Measured(whole, spending):
                began = time.monotonic()
                async with streams(room.port, [follow.take], after_seq) as (reader,):
                    await asyncio.wait_for(follow.is_through.wait(), REPLAY_SECONDS)
                whole.took_ms.append((time.monotonic() - began) * 1000)
            gaps += follow.gaps
            megabytes = reader.bytes_read / 1e6
    return row(
        name,
        whole,
        bare,
        per_second=count * REPLAYS / whole.seconds,
        cpu_ms=whole.cpu_ms_of(count * REPLAYS),
        note=f"{gaps} gaps, {megabytes:.1f} MB; p50 of the whole, events a second, CPU of one event",
        faults=lost(gaps, count * REPLAYS, "events in their place"),
    )


class Following:
    """Durable events must come one after the other, from `after_seq` on."""

    def __init__(self, after_seq: int, through_seq: int) -> None:
        self._seq, self._through_seq = after_seq, through_seq
        self.gaps = 0
        self.is_through = asyncio.Event()

    def take(self, block: bytes, read_at: int) -> None:
        if not block.startswith(b"id: "):
            return
        seq = int(block[4 : block.index(b"\n")])
        self.gaps += seq != self._seq + 1
        self._seq = seq
        if seq >= self._through_seq:
            self.is_through.set()
