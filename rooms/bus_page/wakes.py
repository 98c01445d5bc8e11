"""Wakes that the page or the self-drive asks for: each is a worker process that runs `aig wake`, never this server.

One worker per member at a time. Whoever asks while one is waiting to begin shares it: it will take all that is unread.
"""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import NamedTuple

from groupx.kernel.clock import Clock, iso
from groupx.kernel.logs import get_logger
from rooms.bus.folder import Room

log = get_logger()

MAX_WORKERS = 4
WORKER_SECONDS = 1_260.0
"""A wake waits at most 630 s for another wake of the member, and ends its CLI after 600 s; then something is wrong."""
END_SECONDS = 8.0
"""A worker that is to end gives its CLI 5 s between TERM and KILL, and tells the room."""
CLOSE_SECONDS = 2.0
"""The same at the end of the server, which has little time; what is left then is ended by the parent."""
WORDS_CHARACTERS = 500

type Spawn = Callable[[Room, str], Awaitable[asyncio.subprocess.Process]]
"""Starts the worker for this member; its standard error is a pipe."""


class Ended(NamedTuple):
    exit_code: int
    words: str
    """The last thing it said."""


class Wakes:
    """Used on one event loop. `on_change(room)` is called whenever somebody begins or ends to wait or run."""

    def __init__(self, spawn: Spawn, clock: Clock, on_change: Callable[[Room], None]) -> None:
        self._spawn, self._clock, self._on_change = spawn, clock, on_change
        self._slots = asyncio.Semaphore(MAX_WORKERS)
        self._waiting: dict[tuple[Room, str], asyncio.Task[Ended]] = {}
        self._running: dict[tuple[Room, str], asyncio.Task[Ended]] = {}
        self._since: dict[tuple[Room, str], str] = {}
        self._troubles: dict[tuple[Room, str], str] = {}

    def wake(self, room: Room, member: str) -> tuple[asyncio.Task[Ended], bool]:
        """The wake that will take what is unread by now, and whether it is a new one."""
        key = (room, member)
        if key in self._waiting:
            return self._waiting[key], False
        task = asyncio.create_task(self._take_turn(key, self._running.get(key)), name=f"wake-{room.name}-{member}")
        self._waiting[key] = task
        self._since[key] = iso(self._clock.now())
        self._troubles.pop(key, None)
        self._on_change(room)
        return task, True

    def waiting(self, room: Room) -> dict[str, str]:
        """Members to be woken, and since when. Any thread may ask."""
        return {member: since for (of, member), since in self._since.copy().items() if of == room}

    def troubles(self, room: Room) -> dict[str, str]:
        """What was wrong with a member's last wake. Any thread may ask."""
        return {member: words for (of, member), words in self._troubles.copy().items() if of == room}

    async def close(self) -> None:
        """End all workers; at most CLOSE_SECONDS and a little."""
        tasks = [*self._waiting.values(), *self._running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _take_turn(self, key: tuple[Room, str], before: asyncio.Task[Ended] | None) -> Ended:
        room, member = key
        me = self._waiting.get(key)
        try:
            if before is not None:
                await asyncio.wait([before])
            async with self._slots:
                me = self._waiting.pop(key)
                self._running[key] = me
                ended = await self._work(room, member)
        finally:
            for tasks in (self._waiting, self._running):
                if tasks.get(key) is me:
                    del tasks[key]
            if key not in self._waiting and key not in self._running:
                self._since.pop(key, None)
            self._on_change(room)
        if ended.exit_code != 0:
            self._troubles[key] = ended.words or f"The wake ended with exit code {ended.exit_code}."
        return ended

    async def _work(self, room: Room, member: str) -> Ended:
        try:
            process = await self._spawn(room, member)
        except OSError as error:
            log.error("wake_not_started", room=room.name, member=member, reason=str(error))
            return Ended(1, f"The worker could not be started: {error}.")
        log.info("wake_started", room=room.name, member=member, pid=process.pid)
        try:
            async with asyncio.timeout(WORKER_SECONDS):
                _, said = await process.communicate()
        except TimeoutError:
            await _end(process, END_SECONDS)
            return Ended(1, "The worker did not end in time and was ended.")
        except asyncio.CancelledError:
            await _end(process, CLOSE_SECONDS)
            raise
        lines = said.decode("utf-8", "replace").strip().splitlines()
        words = lines[-1].removeprefix("aig: ")[:WORDS_CHARACTERS] if lines else ""
        log.info("wake_ended", room=room.name, member=member, exit_code=process.returncode)
        return Ended(process.returncode or 0, words)


async def _end(process: asyncio.subprocess.Process, grace_seconds: float) -> None:
    """TERM, on which it ends its CLI and tells the room; KILL at last."""
    for end, seconds in ((process.terminate, grace_seconds), (process.kill, 1.0)):
        with suppress(ProcessLookupError):
            end()
        with suppress(TimeoutError):
            async with asyncio.timeout(seconds):
                await process.wait()
                return
