"""A long wait of a tool, told to its client while it lasts (edge)."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, Protocol

from groupx.kernel.clock import Clock
from groupx.kernel.config import Timeouts
from rooms.tail import Tail

PROGRESS_SECONDS = 10.0
"""Clients give up on a call they hear nothing of after 30 to 60 seconds."""


class WaitingRoom(Protocol):
    @property
    def clock(self) -> Clock: ...
    @property
    def timeouts(self) -> Timeouts: ...
    @property
    def tail(self) -> Tail: ...


class WaitingCall(Protocol):
    """A call of one of the room's tools, of whichever server."""

    @property
    def room(self) -> WaitingRoom: ...
    @property
    def tell_progress(self) -> Callable[[float, str], Awaitable[None]]: ...


async def waited_for[T](
    work: Coroutine[Any, Any, T], call: WaitingCall, *, seconds: float, doing: Callable[[], str]
) -> T | None:
    """What `work` gives, or None when it has not ended in time; it is cancelled then, and when the caller goes away.

    `doing` says in a sentence what is waited for; it is sent every PROGRESS_SECONDS.
    """
    clock = call.room.clock
    began = clock.monotonic()
    task = asyncio.create_task(work, name="tool-wait")
    try:
        while not task.done() and (left := began + seconds - clock.monotonic()) > 0:
            if not await clock.wait({task}, min(PROGRESS_SECONDS, left)) and left > PROGRESS_SECONDS:
                await call.tell_progress(clock.monotonic() - began, doing())
        return task.result() if task.done() else None
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
