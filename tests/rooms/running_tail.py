"""A tail at work, and clients of it, for tests of the event stream."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from groupx.kernel.config import Limits
from rooms.announcements import Announcement, Committed, listen
from rooms.tail import Follower, Tail
from tests.fakes.clock import FakeClock
from tests.rooms.log_events import seqs_of


@asynccontextmanager
async def running_tail(clock: FakeClock, **limits: int) -> AsyncIterator[Tail]:
    """A tail that is woken by commits of this process, as the serve process wires it."""
    tail = Tail(Limits(**limits), clock)
    loop = asyncio.get_running_loop()

    def hear(announcement: Announcement) -> None:
        if isinstance(announcement, Committed):
            loop.call_soon_threadsafe(tail.wake)

    end_listening = listen(hear)
    task = asyncio.create_task(tail.run())
    try:
        async with asyncio.timeout(20):
            yield tail
    finally:
        end_listening()
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        tail.close_threads()


async def follow(tail: Tail, after_seq: int = 0, epoch: str | None = None) -> Follower:
    follower = await tail.follow(after_seq, epoch)
    assert follower is not None
    return follower


async def read_through(follower: Follower, seq: int) -> bytes:
    """All that the client gets until it has the event `seq`."""
    raw = b""
    while not raw or (seqs_of(raw) or [0])[-1] < seq:
        chunk = await follower.next_chunk()
        assert chunk is not None
        raw += chunk
    return raw


async def caught_up(tail: Tail, seq: int) -> None:
    while tail.read_seq < seq:
        await tail.ring.changed()
