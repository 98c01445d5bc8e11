"""Agents' cards on open pages (rooms/fragments.py): changed at once, but not more often than can be read."""

import asyncio

import pytest

from rooms.fragments import PAUSE_SECONDS, CardPusher
from rooms.transactions import close_database_threads


@pytest.fixture(autouse=True)
def _threads_end():
    yield
    close_database_threads()


async def test_the_first_change_is_shown_at_once_and_those_of_the_pause_together(clock):
    loop, pushed = asyncio.get_running_loop(), []
    pusher = CardPusher(clock, lambda actor_id: loop.call_soon_threadsafe(pushed.append, actor_id))
    pusher.card_changed("agent:builder")
    await clock.until_asleep()
    assert pushed == ["agent:builder"]
    for _ in range(3):
        pusher.card_changed("agent:builder")
        pusher.card_changed("agent:scribe")
    await clock.advance(PAUSE_SECONDS)
    await clock.until_asleep()
    assert pushed == ["agent:builder", "agent:builder", "agent:scribe"]
    await clock.advance(PAUSE_SECONDS)
    assert not clock.has_sleepers
    pusher.card_changed("agent:scribe")
    await clock.until_asleep()
    assert pushed[3:] == ["agent:scribe"]


async def test_a_card_that_cannot_be_drawn_stops_no_other(clock):
    loop, pushed = asyncio.get_running_loop(), []

    def push(actor_id: str) -> None:
        if actor_id == "agent:gone":
            raise LookupError(actor_id)
        loop.call_soon_threadsafe(pushed.append, actor_id)

    pusher = CardPusher(clock, push)
    pusher.card_changed("agent:gone")
    pusher.card_changed("agent:builder")
    await clock.until_asleep()
    assert pushed == ["agent:builder"]
