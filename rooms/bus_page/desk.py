"""The part of the server that looks after bus rooms: watches their files, tells the pages, drives what is switched on.

Files are looked at (by their stat, a few system calls) four times a second while a page shows their room or its
self-drive is on, and not at all otherwise. Reading and writing them happens in one thread of the desk's own, so a slow
disk delays no request.
"""

import asyncio
import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Protocol

from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from rooms.bus import log as bus_log
from rooms.bus.folder import Home, Room
from rooms.bus_page.answers import BusMessage, BusState
from rooms.bus_page.drive import Drive
from rooms.bus_page.queries import room_state, wire
from rooms.bus_page.switch import driven_rooms, read_switch
from rooms.bus_page.wakes import Spawn, Wakes

log = get_logger()

LOOK_SECONDS = 0.25
EXPECTED_SECONDS = 30.0
"""From the request for a stream to its first look at the log."""
REFRESH_SECONDS = 5.0
"""What changes without a file: whether a process still runs."""

type Signature = tuple[object, ...]


class Pages(Protocol):
    """The live channels (rooms/bus_page/stream.py)."""

    def watched_rooms(self) -> list[Room]: ...

    def tell_message(self, room: Room, message: BusMessage) -> None: ...

    def tell_state(self, room: Room, state: BusState) -> None: ...


class Desk:
    """`run` until it is cancelled. `switched`, `changed` and `wake` on the loop, `state` in any thread."""

    def __init__(self, home: Home, pages: Pages, spawn: Spawn, clock: Clock) -> None:
        self.home, self._pages, self._clock = home, pages, clock
        self.wakes = Wakes(spawn, clock, self.changed)
        self._files = ThreadPoolExecutor(1, "bus-files")
        self._watches: dict[Room, _Watch] = {}
        self._expected: dict[Room, tuple[int, float]] = {}
        self._drives: dict[Room, Drive] = {}
        self._changed = asyncio.Event()
        self.loop = asyncio.get_running_loop()

    async def run(self) -> None:
        try:
            for room in await self._in_files(driven_rooms, self.home):
                await self.switched(room)
            while True:
                await self._look()
                change = asyncio.create_task(self._changed.wait(), name="bus-change")
                await self._clock.wait({change}, LOOK_SECONDS)
                change.cancel()
                self._changed.clear()
        finally:
            await self.wakes.close()
            for drive in self._drives.values():
                drive.let_go()
            self._files.shutdown(wait=False, cancel_futures=True)

    # ------------------------------------------------------------ what commands tell
    def expect_page(self, room: Room) -> None:
        """A page is about to join the room's stream: whatever is written from now on will be told. Any thread."""
        self._expected[room] = (bus_log.last_seq(room.log), self._clock.monotonic() + EXPECTED_SECONDS)

    def changed(self, room: Room) -> None:
        """Something that pages show is another: tell it soon."""
        if room in self._watches:
            self._watches[room].forget()
        self._changed.set()

    async def switched(self, room: Room) -> None:
        """The room's self-drive was switched; begin or end to drive."""
        switch = await self._in_files(read_switch, room)
        if switch.is_on and room not in self._drives:
            self._drives[room] = Drive(room, switch)
            log.info("self_drive_on", room=room.name, through_seq=switch.through_seq)
        elif not switch.is_on and room in self._drives:
            self._drives.pop(room).let_go()
            log.info("self_drive_off", room=room.name)
        self.changed(room)

    def wake(self, room: Room, member: str) -> bool:
        """False when the member was going to be woken anyhow."""
        return self.wakes.wake(room, member)[1]

    def state(self, room: Room) -> BusState:
        drive = self._drives.get(room)
        return room_state(room, self.wakes.waiting(room), self.wakes.troubles(room), drive.note if drive else None)

    # ------------------------------------------------------------ looking
    async def _look(self) -> None:
        expected = self._expected.copy()
        watched = {*self._pages.watched_rooms(), *expected}
        for room in watched - self._watches.keys():
            seq = expected[room][0] if room in expected else await self._in_files(bus_log.last_seq, room.log)
            self._watches[room] = _Watch(room, seq, self.state, self._pages, self._clock)
        for room, (_, until) in expected.items():
            if self._clock.monotonic() > until and self._expected.get(room) == expected[room]:
                del self._expected[room]
        for room in self._watches.keys() - watched:
            del self._watches[room]
        for drive in list(self._drives.values()):
            try:
                await self._drive(drive)
            except Exception as error:  # a folder anybody can write into must not end the server
                drive.note = str(error)
                log.warning("self_drive_failed", room=drive.room.name, exc_info=error)
        for watch in list(self._watches.values()):
            try:
                await self._in_files(watch.look)
            except Exception as error:  # the same
                log.warning("bus_room_not_read", room=watch.room.name, exc_info=error)

    async def _drive(self, drive: Drive) -> None:
        todo = await self._in_files(drive.look)
        if self._drives.get(drive.room) is not drive:
            return
        drive.begin(todo, lambda room, member: self.wakes.wake(room, member)[0])
        if (through := drive.done_through()) is not None:
            await self._in_files(drive.remember, through)

    async def _in_files[**P, R](self, call: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
        return await self.loop.run_in_executor(self._files, lambda: call(*args, **kwargs))


class _Watch:
    """One room that is shown: what its pages have been told, in the thread of files."""

    def __init__(self, room: Room, seq: int, state: Callable[[Room], BusState], pages: Pages, clock: Clock) -> None:
        """What came after `seq` is to be told."""
        self.room, self._seq, self._state, self._pages, self._clock = room, seq, state, pages, clock
        self._signature: Signature | None = None
        self._looked_at = 0.0
        self._told: BusState | None = None

    def forget(self) -> None:
        """The next look looks."""
        self._signature = None

    def look(self) -> None:
        now, signature = self._clock.monotonic(), _signature(self.room)
        if signature == self._signature and now - self._looked_at < REFRESH_SECONDS:
            return
        self._signature, self._looked_at = signature, now
        for message in bus_log.newer_than(self.room.log, self._seq):
            self._pages.tell_message(self.room, wire(message))
            self._seq = message.seq
        state = self._state(self.room)
        if state != self._told:
            self._told = state
            self._pages.tell_state(self.room, state)


def _signature(room: Room) -> Signature:
    """Of everything that is shown: files are written anew in their folders, so those change with them."""
    wakes = room.path / "wakes"
    return tuple(map(_stat, (room.log, room.path, room.cursors, room.presence, wakes, *_files_of(wakes))))


def _files_of(folder: Path) -> list[Path]:
    """Locks are written in place."""
    try:
        return [Path(entry.path) for entry in os.scandir(folder)]
    except OSError:
        return []


def _stat(path: Path) -> tuple[int, int, int] | None:
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_ino, stat.st_size, stat.st_mtime_ns


_current: Desk | None = None


def use_desk(desk: Desk | None) -> None:
    global _current
    _current = desk


def current_desk() -> Desk | None:
    """Of this process; None where no server serves."""
    return _current
