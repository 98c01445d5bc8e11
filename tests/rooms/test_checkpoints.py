"""The write-ahead log is emptied beside the writers (rooms/checkpoints.py)."""

import asyncio
import sqlite3
from collections.abc import AsyncIterator
from contextlib import closing, suppress

import pytest
from django.db import connection

from rooms import checkpoints
from rooms.checkpoints import ENOUGH_BYTES, LOOK_SECONDS, Checkpoints, log_file
from rooms.models import Actor
from rooms.transactions import in_db
from tests.fakes.clock import FakeClock

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def moves(monkeypatch: pytest.MonkeyPatch) -> list[bool]:
    """What came of each checkpoint."""
    told: list[bool] = []

    def checkpoint_and_tell() -> bool:
        told.append(checkpoint())
        return told[-1]

    checkpoint = checkpoints.checkpoint
    monkeypatch.setattr(checkpoints, "checkpoint", checkpoint_and_tell)
    return told


@pytest.fixture
async def running(live_room, clock: FakeClock) -> AsyncIterator[None]:
    await in_db(empty_the_log)
    under_test = Checkpoints(clock)
    task = asyncio.create_task(under_test.run())
    await clock.until_asleep()
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    under_test.close()


def empty_the_log() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def write(characters: int) -> None:
    await in_db(Actor.objects.filter(actor_id="agent:builder").update, identity="x" * characters)


def characters_in_the_file() -> int:
    """Of what `write` wrote, as the database file alone has it, without its log."""
    uri = f"file:{connection.settings_dict['NAME']}?mode=ro&immutable=1"
    with closing(sqlite3.connect(uri, uri=True)) as file:
        return file.execute("SELECT length(identity) FROM rooms_actor WHERE actor_id = 'agent:builder'").fetchone()[0]


async def test_what_fills_the_log_is_moved_into_the_database_file(running, clock: FakeClock):
    await write(ENOUGH_BYTES)
    assert log_file().bytes >= ENOUGH_BYTES
    assert characters_in_the_file() == 0
    await clock.advance(LOOK_SECONDS)
    await clock.until_asleep()
    assert characters_in_the_file() == ENOUGH_BYTES


async def test_a_log_that_nobody_writes_to_is_moved_once(running, clock: FakeClock, moves: list[bool]):
    await write(ENOUGH_BYTES)
    for _ in range(3):
        await clock.advance(LOOK_SECONDS)
        await clock.until_asleep()
    assert moves == [True]
    await write(10)
    await clock.advance(LOOK_SECONDS)
    await clock.until_asleep()
    assert moves == [True, True]


async def test_what_a_reader_holds_back_is_tried_again(running, clock: FakeClock, moves: list[bool]):
    with closing(sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM rooms_event").fetchone()
        await write(ENOUGH_BYTES)
        for _ in range(2):
            await clock.advance(LOOK_SECONDS)
            await clock.until_asleep()
        reader.execute("COMMIT")
    await clock.advance(LOOK_SECONDS)
    await clock.until_asleep()
    assert moves == [False, False, True]


async def test_a_short_log_is_left_where_it_is(running, clock: FakeClock):
    await write(100_000)
    await clock.advance(LOOK_SECONDS)
    await clock.until_asleep()
    assert characters_in_the_file() == 0
    assert 0 < log_file().bytes < ENOUGH_BYTES
