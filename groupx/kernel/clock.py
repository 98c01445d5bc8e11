"""The only place that reads the time or lets time pass. Tests put another clock in its place."""

import asyncio
import time
from datetime import UTC, datetime
from typing import Any, Protocol


class Clock(Protocol):
    def now(self) -> datetime:
        """Wall time, aware, UTC. For records, never for measuring."""
        ...

    def monotonic(self) -> float:
        """Seconds that only rise, whatever the wall clock does. For deadlines."""
        ...

    async def sleep(self, seconds: float) -> None: ...

    async def wait(self, tasks: set[asyncio.Task[Any]], timeout_seconds: float | None) -> set[asyncio.Task[Any]]:
        """Wait until one of `tasks` is done or the time is over; give those that are done."""
        ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    def monotonic(self) -> float:
        return time.monotonic()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)

    async def wait(self, tasks: set[asyncio.Task[Any]], timeout_seconds: float | None) -> set[asyncio.Task[Any]]:
        done, _ = await asyncio.wait(tasks, timeout=timeout_seconds, return_when=asyncio.FIRST_COMPLETED)
        return done


def until_next(period_seconds: float, clock: Clock) -> float:
    """Seconds until the next whole multiple of the period: at the most the period, and never none.

    Who looks at something every so often, in whatever process of this machine, does so in the same moment as all
    others; in between, nothing wakes an idle processor.
    """
    return period_seconds - clock.monotonic() % period_seconds


def iso(moment: datetime) -> str:
    """An aware datetime as the wire shows it: `2026-11-30T10:41:03.120Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def on_the_wall(moment: datetime) -> str:
    """A moment as a sentence shows it, by the clock on the wall here: `2026-11-30 10:41`."""
    return f"{moment.astimezone():%Y-%m-%d %H:%M}"
