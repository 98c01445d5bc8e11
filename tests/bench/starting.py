"""From a command to a room that answers, from a signal to nothing left, and what an idle room costs."""

import asyncio
import time
from collections.abc import AsyncIterator

from tests.bench.figures import Aim, Row, Sample, row
from tests.bench.filled_rooms import filled_rooms
from tests.bench.rooms import FAST, Rooms, Spending
from tests.bench.sizes import Size
from tests.running_room import RunningRoom

AGENTS = FAST[:5]
COLD_START = Aim(figure="p50", at_most=3_000.0)
IDLE_PERCENT = Aim(figure="p50", at_most=1.0)
SETTLED_PERCENT, SETTLING_SECONDS = 5.0, 20.0
"""A room that has just started still loads what its first tool call needs, beside its work."""


async def starting(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    first, ready, again, stopped = Sample(), Sample(), Sample(), Sample()
    idle_percent = 0.0
    for number in range(size.starts):
        room = rooms.made(f"start-{number}", *AGENTS)
        began = time.monotonic()
        first.took_ms.append(await _started_ms(room))
        await rooms.until_agents_are_ready(room)
        ready.took_ms.append((time.monotonic() - began) * 1000)
        stopped.took_ms.append(await _stopped_ms(room))
        again.took_ms.append(await _started_ms(room))
        if number == size.starts - 1:
            await rooms.until_agents_are_ready(room)
            idle_percent = await _idle_percent(room, size.idle_seconds)
        stopped.took_ms.append(await _stopped_ms(room))
    yield row("cold start to healthy, new database", first)
    yield row(f"cold start to {len(AGENTS)} ready agents", ready)
    yield row("cold start to healthy, no migrations", again, aims=(COLD_START,))
    yield row("SIGTERM to no process left", stopped)
    yield Row(name=f"CPU of an idle room, {len(AGENTS)} agents", unit="%", p50=idle_percent, aims=(IDLE_PERCENT,))


async def restarting(rooms: Rooms, size: Size) -> AsyncIterator[Row]:
    """With the longest log."""
    running = await filled_rooms(rooms, size)
    longest = max(running)
    stopped = await _stopped_ms(running[longest])
    started = await _started_ms(running[longest])
    yield Row(name=f"SIGTERM to end, {longest:,} events", p50=stopped)
    yield Row(name=f"start to healthy, {longest:,} events", p50=started, aims=(COLD_START,))


async def _started_ms(room: RunningRoom) -> float:
    began = time.monotonic()
    await asyncio.to_thread(room.start)
    return (time.monotonic() - began) * 1000


async def _stopped_ms(room: RunningRoom) -> float:
    began = time.monotonic()
    await asyncio.to_thread(room.stop)
    return (time.monotonic() - began) * 1000


async def _idle_percent(room: RunningRoom, seconds: float) -> float:
    spending = Spending(room)
    settled_by = time.monotonic() + SETTLING_SECONDS
    while await _percent(spending, 1.0) > SETTLED_PERCENT and time.monotonic() < settled_by:
        pass
    return await _percent(spending, seconds)


async def _percent(spending: Spending, seconds: float) -> float:
    began, cpu_began = time.monotonic(), spending.cpu_seconds()
    await asyncio.sleep(seconds)
    return (spending.cpu_seconds() - cpu_began) / (time.monotonic() - began) * 100
