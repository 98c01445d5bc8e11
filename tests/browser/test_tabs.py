"""Many tabs of one browser share one stream, which outlives the tab that reads it (our contract)."""

import asyncio
from pathlib import Path

from playwright.async_api import BrowserContext, Page, expect

from tests.running_room import RunningRoom
from tests.waiting import wait_until

from .steps import COUNTING, held, in_tab, server_down, stop, until, write

TABS = 8


async def has_clients(room: RunningRoom, count: int) -> None:
    await asyncio.to_thread(
        wait_until, lambda: room.stream_clients() == count, timeout_seconds=30, what=f"{count} clients"
    )


async def more_tabs(context: BrowserContext, url: str, count: int) -> list[Page]:
    tabs = [await context.new_page() for _ in range(count)]
    await asyncio.gather(*[tab.goto(url) for tab in tabs])
    for tab in tabs:
        await expect(tab.get_by_text("Connected", exact=True)).to_be_visible()
    return tabs


async def test_eight_tabs_are_live_over_one_stream_and_go_on_when_the_reading_one_closes(
    page: Page, room: RunningRoom, tmp_path: Path
) -> None:
    gate = tmp_path / "go-on"
    [first] = await write(page, held("Count", COUNTING, until(gate), {"text": "18 … "}), "Puppet")
    await expect(first.locator(".entry-text")).to_contain_text("19")
    tabs = await more_tabs(page.context, room.url, TABS - 1)
    turns = [await in_tab(tab, first) for tab in tabs]
    await has_clients(room, 1)
    for turn in turns:  # they came in mid-turn: the reading tab has told them what was said before
        await expect(turn.locator(".entry-text")).to_contain_text("20 … 19")

    await page.close()
    gate.touch()
    for turn in turns:
        await expect(turn.locator(".entry-text")).to_contain_text("20 … 19 … 18 …")
    await stop(turns[3])
    [failed] = await write(tabs[-1], "Who still hears? fail", "Reviewer")
    await expect(failed).to_have_attribute("data-status", "failed")
    for tab, turn in zip(tabs, turns, strict=True):
        await expect(tab.locator(".entry-text", has_text="Who still hears?")).to_have_count(1)
        await expect(turn).to_have_attribute("data-status", "cancelled")
        await expect(await in_tab(tab, failed)).to_have_attribute("data-status", "failed")
    await has_clients(room, 1)


async def test_cards_are_live_in_a_tab_that_only_follows(page: Page, room: RunningRoom) -> None:
    [tab] = await more_tabs(page.context, room.url, 1)
    card = tab.locator('.agent[data-actor-id="agent:puppet"]')
    [turn] = await write(page, held("Count"), "Puppet")
    await expect(card).to_contain_text("working")
    await stop(turn)
    await expect(card).to_contain_text("idle")


async def test_tabs_find_the_room_again_together_when_the_server_comes_back(page: Page, room: RunningRoom) -> None:
    tabs = [page, *await more_tabs(page.context, room.url, 2)]
    with server_down(room):
        for tab in tabs:
            await expect(tab.get_by_text("Reconnecting")).to_be_visible()
    for tab in tabs:
        await expect(tab.get_by_text("Connected", exact=True)).to_be_visible()
    await write(tabs[1], "Back again: fail", "Scribe")
    for tab in tabs:
        await expect(tab.locator(".entry-text", has_text="Back again")).to_have_count(1)
    await has_clients(room, 1)


async def test_without_locks_each_tab_has_its_own_stream(page: Page, room: RunningRoom) -> None:
    await page.add_init_script("Object.defineProperty(navigator, 'locks', { value: undefined });")
    await page.reload()
    await has_clients(room, 1)
    [tab] = await more_tabs(page.context, room.url, 1)
    await has_clients(room, 2)
    await write(tab, "Alone: fail", "Scribe")
    await expect(page.locator(".entry-text", has_text="Alone: fail")).to_have_count(1)
