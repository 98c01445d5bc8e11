"""The write-ahead log is emptied beside the writers (rooms/checkpoints.py)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path

import pytest
from django.db import connection

from rooms.checkpoints import ENOUGH_BYTES, LOOK_SECONDS, Checkpoints, waiting_bytes
from rooms.models import Actor
from rooms.transactions import in_db
from tests.fakes.clock import FakeClock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def running(live_room, clock: FakeClock) -> AsyncIterator[None]:
    await in_db(empty_the_log)
    checkpoints = Checkpoints(clock)
    task = asyncio.create_task(checkpoints.run())
    await clock.until_asleep()
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    checkpoints.close()


def empty_the_log() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def write(characters: int) -> None:
    await in_db(Actor.objects.filter(actor_id="agent:builder").update, identity="x" * characters)


def database_bytes() -> int:
    return Path(connection.settings_dict["NAME"]).stat().st_size


async def test_what_fills_the_log_is_moved_into_the_database_file(running, clock: FakeClock):
    before = database_bytes()
    await write(ENOUGH_BYTES)
    assert waiting_bytes() >= ENOUGH_BYTES
    assert database_bytes() == before
    await clock.advance(LOOK_SECONDS)
    await clock.until_asleep()
    assert database_bytes() > before + ENOUGH_BYTES // 2  # pages that were free are used again


async def test_a_short_log_is_left_where_it_is(running, clock: FakeClock):
    before = database_bytes()
    await write(100_000)
    await clock.advance(LOOK_SECONDS)
    await clock.until_asleep()
    assert database_bytes() == before
    assert 0 < waiting_bytes() < ENOUGH_BYTES
