"""A page that stays open while its room is restored from a backup: another log, the same page (our contract)."""

import asyncio
from pathlib import Path

from playwright.async_api import Browser, Page, expect

from tests.running_room import RunningRoom, running_room

from .conftest import WAIT_MS
from .steps import write

COMMAND_SECONDS = 60


def say(room: RunningRoom, *contents: str) -> None:
    for content in contents:
        room.until_turn(room.turn(room.send("builder", content=content)))


def command(room: RunningRoom, verb: str, *options: str) -> None:
    assert room.spawn(verb, *options).wait(COMMAND_SECONDS) == 0, room.log()[-2000:]


def backed_up(room: RunningRoom) -> Path:
    command(room, "groupx_backup")
    [backup] = room.folder.rglob("groupx-*.db")
    return backup


def back_to(room: RunningRoom, backup: Path) -> None:
    assert room.process is not None
    room.process.terminate()
    room.process.wait(COMMAND_SECONDS)
    command(room, "groupx_restore", str(backup), "--replace")
    room.start()


async def texts(page: Page) -> list[str]:
    return await page.locator('.entry[data-kind="message"] .entry-text').all_inner_texts()


async def test_open_pages_show_the_restored_room_without_a_reload(browser: Browser, tmp_path: Path) -> None:
    with running_room(tmp_path, "builder") as room:
        await asyncio.to_thread(room.until_agent, "builder", "ready")
        await asyncio.to_thread(say, room, "before the backup")
        backup = await asyncio.to_thread(backed_up, room)
        await asyncio.to_thread(say, room, "lost one", "lost two")
        context = await browser.new_context(locale="en-GB")
        context.set_default_timeout(WAIT_MS)
        pages = [await context.new_page() for _ in range(2)]
        for page in pages:
            await page.goto(room.url)
            await expect(page.locator(".entry-text", has_text="lost two")).to_be_visible()
            await page.evaluate("window.isTheSamePage = true")

        await asyncio.to_thread(back_to, room, backup)

        for page in pages:
            await expect(page.get_by_text("Connected", exact=True)).to_be_visible()
            await expect(page.locator(".entry-text", has_text="lost")).to_have_count(0)
            assert await texts(page) == ["before the backup"]
        await write(pages[0], "after it", "Builder")
        for page in pages:
            await expect(page.locator(".entry-text", has_text="after it")).to_be_visible()
            await expect(page.locator('.entry[data-kind="turn"]').nth(1)).to_have_attribute("data-status", "completed")
            assert await texts(page) == ["before the backup", "after it"]
            assert await page.evaluate("window.isTheSamePage")
        await context.close()
