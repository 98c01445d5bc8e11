"""Waiting for the next minute of the clock, for CLIs that tell their sessions apart by it."""

import asyncio
from datetime import UTC, datetime

from tests.waiting import wait_until


async def another_minute() -> None:
    began = datetime.now(UTC).minute
    await asyncio.to_thread(
        wait_until, lambda: datetime.now(UTC).minute != began, timeout_seconds=61, what="another minute"
    )
