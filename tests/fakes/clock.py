"""A clock that moves when the test moves it; whoever waits on it wakes in order of time."""

import asyncio
from datetime import UTC, datetime, timedelta

from groupx.kernel.clock import SystemClock
from tests import loop_steps


class FakeClock:
    """Starts at a fixed moment. `advance` wakes every sleeper whose time has come and lets it run."""

    def __init__(self, start: datetime = datetime(2026, 11, 30, 10, 41, 3, tzinfo=UTC)) -> None:
        self._start, self._elapsed = start, 0.0
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []
        self._falls_asleep = asyncio.Event()

    def now(self) -> datetime:
        return self._start + timedelta(seconds=self._elapsed)

    def monotonic(self) -> float:
        return 1000.0 + self._elapsed

    async def sleep(self, seconds: float) -> None:
        await self._timer(seconds)

    async def wait(self, tasks: set[asyncio.Task], timeout_seconds: float | None) -> set[asyncio.Task]:
        if timeout_seconds is None:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            return done
        timer = self._timer(timeout_seconds)
        done, _ = await asyncio.wait({*tasks, timer}, return_when=asyncio.FIRST_COMPLETED)
        if not timer.done():
            timer.cancel()
        return {task for task in done if task is not timer}  # type: ignore[misc]

    def tick(self, seconds: float) -> None:
        """Let time pass without a chance to run; sleepers wake when they are next looked at."""
        self._elapsed += seconds

    @property
    def sleeps(self) -> list[float]:
        """How long each sleeper still has to sleep, in seconds."""
        return [at - self._elapsed for at, sleeper in self._sleepers if not sleeper.done()]

    @property
    def has_sleepers(self) -> bool:
        return bool(self.sleeps)

    async def until_asleep(self, sleepers: int = 1) -> None:
        """Until so many wait for this clock again; for code that works in threads meanwhile."""
        async with asyncio.timeout(10):
            while len(self.sleeps) < sleepers:
                self._falls_asleep.clear()
                await self._falls_asleep.wait()

    async def advance(self, seconds: float) -> None:
        """Let time pass; what it wakes runs until it waits again."""
        end = self._elapsed + seconds
        while True:
            await settle()
            due = sorted((at, i) for i, (at, s) in enumerate(self._sleepers) if at <= end and not s.done())
            if not due:
                break
            at, index = due[0]
            self._elapsed = max(self._elapsed, at)
            self._sleepers[index][1].set_result(None)
            self._sleepers = [(a, s) for a, s in self._sleepers if not s.done()]
        self._elapsed = end
        await settle()

    def _timer(self, seconds: float) -> "asyncio.Future[None]":
        future: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        if seconds <= 0:
            future.set_result(None)
        else:
            self._sleepers.append((self._elapsed + seconds, future))
            self._falls_asleep.set()
        return future


class MovedClock(SystemClock):
    """Time passes as it does; the wall clock says what the test sets."""

    def __init__(self, at: datetime) -> None:
        self.at = at

    def now(self) -> datetime:
        return self.at


async def settle(rounds: int = 20) -> None:
    """Let tasks that are ready run; for code that waits on nothing but the loop and this clock."""
    await loop_steps.rounds(rounds)
