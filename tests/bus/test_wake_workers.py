"""Workers of the bus page: each one process of `aig wake`, one to a member, only so many at once (docs/aig.md)."""

import asyncio
from typing import Any

from rooms.bus.folder import Room
from rooms.bus_page.wakes import MAX_WORKERS, Ended, Wakes
from tests.fakes.clock import FakeClock


class Worker:
    """A process of `aig wake` that ends when the test says so."""

    def __init__(self, member: str) -> None:
        self.pid, self.member, self.returncode = 1, member, None
        self.gate = asyncio.Event()
        self.signals: list[str] = []

    async def communicate(self) -> tuple[None, bytes]:
        await self.gate.wait()
        self.returncode = 4
        return None, b"aig: it gave no answer\n"

    async def wait(self) -> int:
        await self.gate.wait()
        return 0

    def terminate(self) -> None:
        self.signals.append("term")
        self.gate.set()

    def kill(self) -> None:
        self.signals.append("kill")


class Stage:
    def __init__(self, clock: FakeClock) -> None:
        self.workers: list[Worker] = []
        self.spawned = asyncio.Condition()
        self.wakes = Wakes(self._spawn, clock, lambda room: None)

    async def _spawn(self, room: Room, member: str) -> Any:
        async with self.spawned:
            self.workers.append(Worker(member))
            self.spawned.notify_all()
        return self.workers[-1]

    async def until(self, count: int) -> None:
        async with asyncio.timeout(5), self.spawned:
            await self.spawned.wait_for(lambda: len(self.workers) >= count)


async def test_a_member_has_one_worker_at_a_time_and_who_waits_shares_the_next(room: Room, clock: FakeClock):
    stage = Stage(clock)
    first, is_new = stage.wakes.wake(room, "codex")
    assert is_new
    await stage.until(1)
    second, is_new = stage.wakes.wake(room, "codex")
    assert is_new
    assert stage.wakes.wake(room, "codex") == (second, False)
    assert stage.wakes.waiting(room).keys() == {"codex"}
    stage.workers[0].gate.set()
    assert await first == Ended(4, "it gave no answer")
    await stage.until(2)
    assert stage.wakes.waiting(room).keys() == {"codex"}
    stage.workers[1].gate.set()
    await second
    assert len(stage.workers) == 2 and stage.wakes.waiting(room) == {}
    assert stage.wakes.troubles(room) == {"codex": "it gave no answer"}


async def test_only_so_many_work_at_once(room: Room, clock: FakeClock):
    stage = Stage(clock)
    tasks = [stage.wakes.wake(room, f"m{number}")[0] for number in range(MAX_WORKERS + 2)]
    await stage.until(MAX_WORKERS)
    assert len(stage.workers) == MAX_WORKERS and len(stage.wakes.waiting(room)) == MAX_WORKERS + 2
    stage.workers[0].gate.set()
    await tasks[0]
    await stage.until(MAX_WORKERS + 1)
    for worker in stage.workers:
        worker.gate.set()
    await stage.until(MAX_WORKERS + 2)
    stage.workers[-1].gate.set()
    await asyncio.gather(*tasks)


async def test_the_end_of_the_server_ends_its_workers(room: Room, clock: FakeClock):
    stage = Stage(clock)
    running, _ = stage.wakes.wake(room, "codex")
    await stage.until(1)
    waiting, _ = stage.wakes.wake(room, "codex")
    await stage.wakes.close()
    assert running.cancelled() and waiting.cancelled()
    assert stage.workers[0].signals == ["term"] and len(stage.workers) == 1


async def test_a_worker_that_cannot_be_started_is_told(room: Room, clock: FakeClock):
    async def refuse(room: Room, member: str) -> Any:
        raise OSError("no more processes")

    wakes = Wakes(refuse, clock, lambda room: None)
    ended = await wakes.wake(room, "codex")[0]
    assert ended.exit_code == 1 and "no more processes" in wakes.troubles(room)["codex"]
