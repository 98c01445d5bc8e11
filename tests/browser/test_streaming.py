"""Turns while they run, through reloads and crashes, in a real browser against real processes (our contract).

Puppet and Double do step by step what a test tells them (conftest.py).
"""

import asyncio
import re
from pathlib import Path

from playwright.async_api import Page, expect

from tests.running_room import RunningRoom, do
from tests.waiting import wait_until

from .steps import COUNTING, WORKING, held, server_down, stop, until, write

PARENT_DEATH_SECONDS = 30


async def test_two_agents_answer_one_message_side_by_side(page: Page, tmp_path: Path) -> None:
    gate = tmp_path / "go-on"
    steps = [COUNTING, until(gate), {"text": "done"}]
    turns = await write(page, do("What do you both think?", steps=steps), "Puppet", "Double")
    for turn in turns:
        await expect(turn).to_have_attribute("data-streaming", "")
        await expect(turn.locator(".entry-text")).to_contain_text("19")
    gate.touch()
    for turn in turns:
        await expect(turn).to_have_attribute("data-status", "completed")
        await expect(turn.locator(".entry-text")).to_contain_text("20 … 19 … done")
        await expect(turn.get_by_role("button", name="Cancel turn")).to_be_hidden()


async def test_a_reload_in_mid_turn_shows_the_text_again(page: Page) -> None:
    [turn] = await write(page, held("Count"), "Puppet")
    await expect(turn.locator(".entry-text")).to_contain_text("19")
    await page.reload()
    await expect(turn.locator(".entry-text")).to_contain_text("20 … 19")
    await stop(turn)


async def test_a_reload_in_mid_turn_shows_the_tools_again(page: Page) -> None:
    [turn] = await write(page, held("Work", *WORKING), "Puppet")
    await expect(turn.locator(".entry-text")).to_contain_text("20")
    seen = await turn.locator(".fold-state").all_inner_texts()
    assert len(seen) == 2 and all(re.fullmatch(r"done, \d+\.\d s", words) for words in seen)

    await page.reload()

    await expect(turn).to_have_attribute("data-status", "running")
    await expect(turn.locator(".fold")).to_have_count(3)
    await expect(turn.locator(".fold-state")).to_have_text(seen)
    await turn.locator(".fold-line").nth(1).click()
    await expect(turn.locator(".tool-text").first).to_contain_text("README.md")
    await stop(turn)


async def test_a_crash_of_the_server_stops_neither_turns_nor_the_page(
    page: Page, room: RunningRoom, tmp_path: Path
) -> None:
    meanwhile, afterwards = tmp_path / "meanwhile", tmp_path / "afterwards"
    steps = [*WORKING, until(meanwhile), {"text": "18 … "}, until(afterwards), {"text": "17 …"}]
    turns = await write(page, do("Work", steps=steps), "Puppet", "Double")
    for turn in turns:
        await expect(turn.locator(".entry-text")).to_contain_text("19")
    seen = await turns[0].locator(".fold-state").all_inner_texts()
    with server_down(room):
        await expect(page.get_by_text("Reconnecting")).to_be_visible()
        meanwhile.touch()
    await expect(page.get_by_text("Connected", exact=True)).to_be_visible()
    await expect(page.locator(".offline")).to_be_hidden()
    for turn in turns:
        await expect(turn.locator(".entry-text")).to_contain_text("18 …")
    await expect(turns[0].locator(".fold-state")).to_have_text(seen)
    afterwards.touch()
    for turn in turns:
        await expect(turn).to_have_attribute("data-status", "completed")
        await expect(turn.locator(".entry-text")).to_have_text("20 … 19 … 18 … 17 …")


async def test_a_killed_parent_takes_all_with_it_and_the_next_start_tells_the_truth(
    page: Page, room: RunningRoom
) -> None:
    [running] = await write(page, held("Count"), "Puppet")
    await expect(running.locator(".entry-text")).to_contain_text("19")
    [waiting] = await write(page, "I can wait", "Puppet")
    await expect(waiting).to_have_attribute("data-status", "queued")

    assert room.process is not None
    room.process.kill()
    await asyncio.to_thread(room.process.wait, PARENT_DEATH_SECONDS)
    await expect(page.locator(".offline")).to_contain_text("does not answer")
    await asyncio.to_thread(
        wait_until, lambda: not room.processes(), timeout_seconds=PARENT_DEATH_SECONDS, what="no process is left"
    )
    await page.get_by_role("textbox", name="Message").fill("Written meanwhile")
    await asyncio.to_thread(room.start)

    await expect(page.get_by_text("Connected", exact=True)).to_be_visible()
    await expect(page.locator(".offline")).to_be_hidden()
    for reload in (False, True):
        if reload:
            await page.reload()
        await expect(waiting).to_have_attribute("data-status", "completed")
        await expect(running).to_have_attribute("data-status", "interrupted")
        await expect(running.locator(".entry-text")).to_contain_text("20 … 19")
        await expect(running.locator(".ending")).to_be_visible()
        await expect(running.get_by_role("button", name="Retry")).to_be_visible()
        await expect(page.get_by_role("textbox", name="Message")).to_have_value("Written meanwhile")
    await page.get_by_role("textbox", name="Message").fill("")


async def test_tools_and_thoughts_of_the_demo_are_folded_live_and_after_a_reload(page: Page) -> None:
    [turn] = await write(page, "Use a tool now", "Builder")
    for reload in (False, True):
        if reload:
            await page.reload()
        await expect(turn).to_have_attribute("data-status", "completed")
        await expect(turn.locator(".fold")).to_have_count(3)
        await expect(turn.locator(".fold").first).to_contain_text("Though")
        await expect(turn.locator(".fold").nth(1)).to_contain_text("Read README.md")
        await expect(turn.locator(".fold").nth(1)).to_contain_text("done")
        await turn.locator(".fold-line").nth(1).click()
        await expect(turn.locator(".tool-text").first).to_contain_text("README.md")
