"""The index of the transcript follows the log while nobody writes (docs/memory.md, "Search")."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import pytest
from django.db import connection

from memory.actions.index_transcript import STEP_CHARACTERS, STEP_MESSAGES, index_transcript
from memory.full_text import TRANSCRIPT, last_indexed
from memory.index_follower import LOOK_SECONDS, PAUSE_SECONDS, IndexFollower
from rooms.models import Event
from rooms.transactions import in_db
from tests import given
from tests.fakes.clock import FakeClock

transactional = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def running(live_room, clock: FakeClock) -> AsyncIterator[None]:
    await in_db(empty_the_log)  # so that it grows with each write: within a few milliseconds its times tell nothing
    follower = IndexFollower(clock)
    task = asyncio.create_task(follower.run())
    await clock.until_asleep()
    yield
    task.cancel()
    with suppress(asyncio.CancelledError):
        await task
    follower.close()


def empty_the_log() -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


async def looks(clock: FakeClock, times: int = 1) -> None:
    """It looks, and goes on until it waits for its next look."""
    for _ in range(times):
        await clock.advance(LOOK_SECONDS)
        await clock.until_asleep()


async def is_behind() -> bool:
    last = await in_db(Event.objects.filter(type="message.created").order_by("-pk").values_list("pk", flat=True).first)
    return (await in_db(last_indexed, TRANSCRIPT)) != (last or 0)


@transactional
async def test_what_is_said_is_indexed_after_a_second_in_which_nobody_writes(running, clock):
    await in_db(given.queued_turn, "builder", clock=clock)
    await looks(clock)
    assert await is_behind(), "somebody has just written"
    await looks(clock)
    assert not await is_behind()


@transactional
async def test_it_waits_while_others_write(running, clock):
    for _ in range(3):
        await in_db(given.queued_turn, "builder", clock=clock)
        await looks(clock)
    assert await in_db(last_indexed, TRANSCRIPT) == 0


@transactional
async def test_a_long_backlog_is_taken_in_steps_with_a_pause_for_others(running, clock):
    for _ in range(3):
        given_text = "x" * STEP_CHARACTERS
        await in_db(given.queued_turn, "builder", clock=clock, content=given_text)
    await looks(clock, 2)
    assert await is_behind()
    for _ in range(3):
        await clock.advance(PAUSE_SECONDS)
        await clock.until_asleep()
    assert not await is_behind()


def test_a_step_takes_a_bounded_part(room, clock):
    for n in range(STEP_MESSAGES + 1):
        name = "builder" if n % 2 else "reviewer"
        given.queued_turn(name, clock=clock)
    first = index_transcript(0)
    assert first is not None and last_indexed(TRANSCRIPT) == first
    assert index_transcript(first) is not None
    assert index_transcript(first) is None


def test_only_messages_are_indexed(room, clock):
    given.completed_turn("builder", clock=clock, text="the answer")
    while index_transcript(0) is not None:
        pass
    last = Event.objects.filter(type="message.created").order_by("-pk").first()
    assert last is not None and last_indexed(TRANSCRIPT) == last.pk
