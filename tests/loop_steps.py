"""Steps of the event loop, for tests of code that waits on nothing else. No time passes, nothing is looked at again."""

import asyncio
from collections.abc import Coroutine
from typing import Any


def begun[T](coroutine: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """A task that has run up to its first wait already."""
    return asyncio.Task(coroutine, loop=asyncio.get_running_loop(), eager_start=True)


async def rounds(count: int = 1) -> None:
    """Return when the loop has run everything that is ready, `count` times over."""
    loop = asyncio.get_running_loop()
    for _ in range(count):
        turned = loop.create_future()
        loop.call_soon(turned.set_result, None)
        await turned
