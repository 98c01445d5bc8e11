"""Many tabs of one browser share one stream, which outlives the tab that reads it (our contract)."""

import asyncio

from playwright.async_api import BrowserContext, Page, expect

from tests.running_room import RunningRoom
from tests.waiting import wait_until

from .steps import newest_turn, stop, turns_of, write

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
    page: Page, room: RunningRoom
) -> None:
    await write(page, "Be slow in tabs", "Scribe")
    await expect((await newest_turn(page, "Scribe", "Be slow in tabs")).locator(".entry-text")).to_contain_text("19")
    tabs = await more_tabs(page.context, room.url, TABS - 1)
    await has_clients(room, 1)
    for tab in tabs:  # they came in mid-turn: the reading tab has told them what was said before
        await expect(turns_of(tab, "Scribe").last.locator(".entry-text")).to_contain_text("20 … 19")

    said = (await turns_of(page, "Scribe").last.locator(".entry-text").inner_text()).rstrip(" …").split(" … ")[-1]
    await page.close()
    following = " … ".join(str(number) for number in range(int(said), int(said) - 3, -1))
    for tab in tabs:
        await expect(turns_of(tab, "Scribe").last.locator(".entry-text")).to_contain_text(following)
    await stop(turns_of(tabs[3], "Scribe").last)
    await write(tabs[-1], "Who still hears? fail", "Reviewer")
    for tab in tabs:
        await expect(tab.locator(".entry-text", has_text="Who still hears?")).to_have_count(1)
        await expect(turns_of(tab, "Scribe").last).to_have_attribute("data-status", "cancelled")
        await expect(turns_of(tab, "Reviewer").last).to_have_attribute("data-status", "failed")
    await has_clients(room, 1)


async def test_cards_are_live_in_a_tab_that_only_follows(page: Page, room: RunningRoom) -> None:
    [tab] = await more_tabs(page.context, room.url, 1)
    await write(page, "Be slow for cards", "Scribe")
    await expect(tab.locator('.agent[data-actor-id="agent:scribe"]')).to_contain_text("working")
    await stop(turns_of(tab, "Scribe").last)
    await expect(tab.locator('.agent[data-actor-id="agent:scribe"]')).to_contain_text("idle")


async def test_tabs_find_the_room_again_together_when_the_server_comes_back(page: Page, room: RunningRoom) -> None:
    tabs = [page, *await more_tabs(page.context, room.url, 2)]
    for server in room.processes("groupx_serve"):
        server.kill()
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
