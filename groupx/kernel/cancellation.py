"""Steps that must not be cut short, since something would be left running."""

import asyncio
from collections.abc import Coroutine
from typing import Any


async def to_its_end[T](step: Coroutine[Any, Any, T]) -> T:
    """Await `step`, which bounds itself, to its end, however often we are cancelled; the cancellation goes on then."""
    task = asyncio.create_task(step, name="to-its-end")
    cancellation: asyncio.CancelledError | None = None
    while not task.done():
        try:
            await asyncio.wait({task})
        except asyncio.CancelledError as error:
            cancellation = error
    if cancellation is not None:
        raise cancellation
    return task.result()
