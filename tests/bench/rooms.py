"""Real rooms to be measured, started when they are needed and ended without a process left; what they spend."""

import asyncio
import time
from collections.abc import Sequence
from pathlib import Path

import psutil

from tests.bench.figures import Sample
from tests.running_room import RunningRoom, scripted

LIMITS = {"queuePerAgent": 10_000, "rootTurns": 1_000, "actorCallsPerRoot": 1_000}
TIMEOUTS = {"idleMs": 3_600_000}
"""A turn may hold its agent for as long as the bench runs."""
BUSY = "busy"
"""An agent that is held by one turn: what is sent to it waits, and costs what accepting costs."""
FAST = ("swift", "quick", "brisk", "fleet", "rapid", "ready", "hasty", "nimble")
"""Agents that answer at once."""


class Rooms:
    """All rooms of one run. `close` ends them; a room that cannot be ended is killed."""

    def __init__(self, folder: Path, fast_agents: int = 3) -> None:
        self._folder = folder
        self._fast_agents = fast_agents
        self._rooms: list[RunningRoom] = []
        self._shared: RunningRoom | None = None
        self.with_logs: dict[int, RunningRoom] = {}
        """By the number of events they began with."""
        self.with_messages: RunningRoom | None = None

    async def shared(self) -> RunningRoom:
        """The room of most measurements: one agent for `BUSY`, the others are idle."""
        if self._shared is None:
            self._shared = await self.started("shared", BUSY, *FAST[: self._fast_agents])
        return self._shared

    def shares(self, names: Sequence[str]) -> bool:
        """Whether the shared room has these fast agents."""
        return set(names) <= set(FAST[: self._fast_agents])

    def folder(self, name: str) -> Path:
        """A new one."""
        folder = self._folder / name
        folder.mkdir()
        return folder

    def made(self, name: str, *agents: str, **limits: int) -> RunningRoom:
        """A room that is not started yet, in a folder of its own."""
        folder = self.folder(name)
        configured = {agent: scripted(agent, folder) for agent in agents}
        room = RunningRoom(folder, configured, limits=LIMITS | limits, timeouts=TIMEOUTS)
        self._rooms.append(room)
        return room

    async def started(self, name: str, *agents: str) -> RunningRoom:
        room = self.made(name, *agents)
        await self.start(room)
        return room

    async def start(self, room: RunningRoom) -> None:
        """Until it is healthy and its agents are ready."""
        await asyncio.to_thread(room.start)
        await self.until_agents_are_ready(room)

    async def until_agents_are_ready(self, room: RunningRoom) -> None:
        for agent in room.config["agents"]:
            await asyncio.to_thread(room.until_agent, agent, "ready", "working")

    async def stop(self, room: RunningRoom) -> None:
        """In order; it may be started again."""
        await asyncio.to_thread(room.stop)

    async def close(self) -> None:
        """
        Raises:
            ExceptionGroup: rooms that did not end in order; nothing of them is left either.
        """
        begun = [room for room in self._rooms if room.process is not None]
        ended = await asyncio.gather(*(self.stop(room) for room in begun), return_exceptions=True)
        if failed := [error for error in ended if isinstance(error, Exception)]:
            raise ExceptionGroup("rooms did not end in order", failed)


class Spending:
    """CPU time and memory of a room's processes, its agents left out. A process that is gone ends the measurement."""

    def __init__(self, room: RunningRoom) -> None:
        assert room.process is not None
        parent = psutil.Process(room.process.pid)
        found = [(process, " ".join(process.cmdline())) for process in (parent, *parent.children(recursive=True))]
        self._all = [process for process, command in found if "agent_cli.py" not in command]
        (self._serve,) = [process for process, command in found if "groupx_serve" in command]

    def cpu_seconds(self) -> float:
        """Since their start; counted in hundredths."""
        return sum(sum(process.cpu_times()[:2]) for process in self._all)

    def serve_megabytes(self) -> float:
        """Resident memory of the web server."""
        return self._serve.memory_info().rss / 1e6

    def serve_threads(self) -> int:
        return int(self._serve.num_threads())

    def megabytes(self) -> float:
        """Resident memory of all of them; what they share counts in each."""
        return sum(process.memory_info().rss for process in self._all) / 1e6


class Measured:
    """Adds the wall and CPU time of its block to a sample."""

    def __init__(self, sample: Sample, spending: Spending) -> None:
        self._sample, self._spending = sample, spending

    def __enter__(self) -> Sample:
        self._began, self._cpu_began = time.monotonic(), self._spending.cpu_seconds()
        return self._sample

    def __exit__(self, *_: object) -> None:
        self._sample.seconds += time.monotonic() - self._began
        self._sample.cpu_seconds += self._spending.cpu_seconds() - self._cpu_began
