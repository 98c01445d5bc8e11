"""An agent's text while it streams: how old it is on the event stream, that none is missing, none late."""

import asyncio
import re
from collections.abc import AsyncIterator
from contextlib import suppress

from rooms.envelope import SHOWN_CHARS
from tests.bench.figures import Aim, Row, Sample, lost, row
from tests.bench.load_client import NS_PER_MS, Connection, connections, get, ping, post, streams
from tests.bench.rooms import FAST, Measured, Rooms, Spending
from tests.bench.sizes import Size
from tests.running_room import do

PIECE = re.compile(rb"@(\d+)#(\d+)@")
AIMS = {500: (Aim(figure="p95", at_most=100.0),)}
PING_EACH_SECONDS = 0.1
END_SECONDS = 30.0
PIECE_CHARS = 64  # of a scripted delta, at most: a turn whose text is longer than what pages show is cut in streams


class DeltaWatch:
    """Pieces of one agent's text, each once, and what came after the end."""

    def __init__(self) -> None:
        self.took_ms: dict[int, float] = {}
        self.frames = 0
        self.frames_after_the_end = 0
        self.ended = asyncio.Event()

    def take(self, block: bytes, read_at: int) -> None:
        if b'"turn.content.delta"' in block and (pieces := PIECE.findall(block)):
            self.frames += 1
            self.frames_after_the_end += self.ended.is_set()
            for number, sent_at in pieces:
                self.took_ms.setdefault(int(number), (read_at - int(sent_at)) / NS_PER_MS)
        elif b'"turn.completed"' in block:
            self.ended.set()


async def deltas(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    room = await rooms.shared()
    agent, spending = FAST[0], Spending(room)
    async with connections(room.port, 2) as (connection, pinging):
        for rate in size.delta_rates:
            count = min(round(rate * size.delta_seconds), SHOWN_CHARS // PIECE_CHARS)
            bare, told, watch = Sample(), Sample(), DeltaWatch()
            cursor = (await get(connection, "/api/bootstrap"))["cursor"]
            async with streams(room.port, [watch.take], cursor):
                stop = asyncio.Event()
                pings = asyncio.create_task(_ping_until(stop, pinging, bare))
                with Measured(told, spending):
                    await post(connection, do(steps=[{"deltas": {"count": count, "per_second": rate}}]), agent)
                    await asyncio.wait_for(watch.ended.wait(), size.delta_seconds + END_SECONDS)
                stop.set()
                await pings
                await get(connection, "/api/bootstrap")  # a round trip later nothing may have followed the end
            told.took_ms = list(watch.took_ms.values())
            seen = len(told.took_ms)
            yield row(
                f"deltas to the stream, {rate} a second",
                told,
                bare,
                bare_cpu_ms=None,
                aims=AIMS.get(rate, ()),
                note=f"{seen:,} of {count:,} seen, {seen / max(1, watch.frames):.2f} a frame, "
                f"{watch.frames_after_the_end} after the end, CPU of one",
                faults=lost(count - seen, count, "deltas")
                + lost(watch.frames_after_the_end, watch.frames, "frames before the end"),
            )


async def _ping_until(stop: asyncio.Event, connection: Connection, sample: Sample) -> None:
    while not stop.is_set():
        sample.took_ms.append(await ping(connection))
        with suppress(TimeoutError):
            await asyncio.wait_for(stop.wait(), PING_EACH_SECONDS)
