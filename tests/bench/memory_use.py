"""Resident memory of the web server: by the length of the log, with many streams, with readers that never read."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import ExitStack

from tests.bench.figures import Aim, Row
from tests.bench.filled_rooms import filled_rooms
from tests.bench.load_client import connections, get, post, streams, timed_get
from tests.bench.reading import Following
from tests.bench.rooms import FAST, Rooms, Spending
from tests.bench.sizes import Size
from tests.running_room import RunningRoom, do

FLAT_MEGABYTES = 40.0
"""A longer log may cost no more than this: caches that fill once and what the allocator keeps."""
MEGABYTES_PER_STREAM = 0.15
MEGABYTES_PER_DEAF_READER = 0.6
"""256 KiB of unsent bytes are kept for it, and the page that it takes next."""
MESSAGES = 20
LOOK_SECONDS = 0.1
DEAF_BUFFER_BYTES = 4_096
DELTAS_PER_SECOND = 500


async def memory_use(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    running = await filled_rooms(rooms, size)
    base = await _after_reading(running[size.base_log])
    yield _megabytes(f"server memory, {size.base_log:,} events", base)
    room, longest = running[max(running)], max(running)
    spending, follow = Spending(room), Following(0, longest)
    begun_with = await _after_reading(room)
    yield _megabytes(f"server memory, {longest:,} events", begun_with, at_most=base + FLAT_MEGABYTES)
    async with streams(room.port, [follow.take], 0):
        await follow.is_through.wait()
    replayed = spending.serve_megabytes()
    yield _megabytes(f"… and all {longest:,} replayed", replayed, at_most=base + FLAT_MEGABYTES)

    clients = size.memory_clients
    async with connections(room.port, 1) as (connection,):
        cursor = (await get(connection, "/api/bootstrap"))["cursor"]
        async with streams(room.port, [lambda block, read_at: None] * clients, cursor):
            for _ in range(MESSAGES):
                await post(connection, do("answer"), FAST[0])
            most = await _most(spending, size.memory_seconds)
        yield _megabytes(
            f"… and {clients} streams open", most, at_most=replayed + FLAT_MEGABYTES + clients * MEGABYTES_PER_STREAM
        )
        with ExitStack() as stack:
            for _ in range(size.deaf_clients):
                stack.enter_context(_deaf_reader(room.port))
            deltas = {"count": round(DELTAS_PER_SECOND * size.memory_seconds / 2), "per_second": DELTAS_PER_SECOND}
            await post(connection, do(steps=[{"deltas": deltas}]), FAST[0])
            most_with_deaf = await _most(spending, size.memory_seconds)
        yield _megabytes(
            f"… then {size.deaf_clients} that never read",
            most_with_deaf,
            at_most=most + FLAT_MEGABYTES + size.deaf_clients * MEGABYTES_PER_DEAF_READER,
            note=f"the most in {size.memory_seconds:g} s, the log and {deltas['count']:,} deltas before them",
        )
    yield Row(
        name="memory of all processes but agents' CLIs",
        unit="MB",
        p50=spending.megabytes(),
        note="resident sizes added up; what processes share counts in each",
    )


def _megabytes(name: str, megabytes: float, at_most: float | None = None, note: str = "") -> Row:
    aims = () if at_most is None else (Aim(figure="p50", at_most=round(at_most)),)
    return Row(name=name, unit="MB", p50=megabytes, aims=aims, note=note)


async def _after_reading(room: RunningRoom) -> float:
    async with connections(room.port, 1) as (connection,):
        for _ in range(MESSAGES):
            await timed_get(connection, "/api/bootstrap")
    return Spending(room).serve_megabytes()


async def _most(spending: Spending, seconds: float) -> float:
    most = 0.0
    for _ in range(round(seconds / LOOK_SECONDS)):
        most = max(most, spending.serve_megabytes())
        await asyncio.sleep(LOOK_SECONDS)
    return most


def _deaf_reader(port: int) -> socket.socket:
    """Asks for the whole log and reads nothing of it, with a small buffer of its own."""
    deaf = socket.socket()
    deaf.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, DEAF_BUFFER_BYTES)
    deaf.connect(("127.0.0.1", port))
    deaf.sendall(f"GET /api/events?afterSeq=0 HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    return deaf
