"""Turns while they run, through reloads and crashes, in a real browser against real processes (our contract).

The demo's agents do what words in a message say: think, use a tool, be slow (a piece a second), fail.
"""

import asyncio
import re

from playwright.async_api import Page, expect

from tests.running_room import RunningRoom, kill_one
from tests.waiting import wait_until

from .steps import newest_turn, stop, turns_of, write

PARENT_DEATH_SECONDS = 15


async def test_two_agents_answer_one_message_side_by_side(page: Page) -> None:
    await write(page, "What do you both think?", "Reviewer", "Scribe")
    reviewer = await newest_turn(page, "Reviewer", "What do you both think?")
    scribe = turns_of(page, "Scribe").last
    await expect(reviewer).to_have_attribute("data-streaming", "")
    await expect(scribe).to_have_attribute("data-streaming", "")
    await expect(reviewer).to_have_attribute("data-status", "completed")
    await expect(scribe).to_have_attribute("data-status", "completed")
    await expect(reviewer.locator(".entry-text")).to_contain_text("with a reviewer's eye")
    await expect(reviewer.get_by_role("button", name="Cancel turn")).to_be_hidden()


async def test_a_reload_in_mid_turn_shows_the_text_again(page: Page) -> None:
    await write(page, "Be slow one", "Scribe")
    turn = await newest_turn(page, "Scribe", "Be slow one")
    await expect(turn.locator(".entry-text")).to_contain_text("19")
    await page.reload()
    await expect(turns_of(page, "Scribe").last.locator(".entry-text")).to_contain_text("20 … 19")
    await stop(turns_of(page, "Scribe").last)


async def test_a_reload_in_mid_turn_shows_the_tools_again(page: Page) -> None:
    await write(page, "Use a tool and be slow", "Builder")
    turn = await newest_turn(page, "Builder", "Use a tool and be slow")
    await expect(turn.locator(".entry-text")).to_contain_text("20")
    seen = await turn.locator(".fold-state").all_inner_texts()
    assert len(seen) == 2 and all(re.fullmatch(r"done, \d+\.\d s", words) for words in seen)

    await page.reload()

    turn = turns_of(page, "Builder").last
    await expect(turn).to_have_attribute("data-status", "running")
    await expect(turn.locator(".fold")).to_have_count(3)
    await expect(turn.locator(".fold-state")).to_have_text(seen)
    await turn.locator(".fold-line").nth(1).click()
    await expect(turn.locator(".tool-text").first).to_contain_text("README.md")
    await stop(turn)


async def test_a_crash_of_the_server_stops_neither_turns_nor_the_page(page: Page, room: RunningRoom) -> None:
    await write(page, "Use a tool and be slow two", "Reviewer", "Scribe")
    turns = [await newest_turn(page, name, "be slow two") for name in ("Reviewer", "Scribe")]
    for turn in turns:
        await expect(turn.locator(".entry-text")).to_contain_text("19")
    seen = await turns[0].locator(".fold-state").all_inner_texts()
    for server in room.processes("groupx_serve"):
        kill_one(server)
    await expect(page.get_by_text("Reconnecting")).to_be_visible()
    await expect(page.get_by_text("Connected", exact=True)).to_be_visible()
    await expect(page.locator(".offline")).to_be_hidden()
    await expect(turns[0].locator(".entry-text")).to_contain_text("5 …")
    await expect(turns[0].locator(".fold-state")).to_have_text(seen)
    for turn in turns:
        await expect(turn).to_have_attribute("data-status", "completed")
        await expect(turn.locator(".entry-text")).to_contain_text("2 … 1 …")
        assert (await turn.locator(".entry-text").inner_text()).count("20 …") == 1


async def test_a_killed_parent_takes_all_with_it_and_the_next_start_tells_the_truth(
    page: Page, room: RunningRoom
) -> None:
    await write(page, "Be slow six", "Scribe")
    turn = await newest_turn(page, "Scribe", "Be slow six")
    await expect(turn.locator(".entry-text")).to_contain_text("19")
    await write(page, "I waited", "Scribe")
    await expect(page.locator('.entry[data-status="queued"]')).to_have_count(1)
    turn = turns_of(page, "Scribe").nth(-2)

    assert room.process is not None
    room.process.kill()
    await asyncio.to_thread(room.process.wait, 5)
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
        await expect(turns_of(page, "Scribe").last).to_have_attribute("data-status", "completed")
        await expect(turn).to_have_attribute("data-status", "interrupted")
        await expect(turn.locator(".entry-text")).to_contain_text("20 … 19")
        await expect(turn.locator(".ending")).to_be_visible()
        await expect(turn.get_by_role("button", name="Retry")).to_be_visible()
        await expect(page.get_by_role("textbox", name="Message")).to_have_value("Written meanwhile")
    await page.get_by_role("textbox", name="Message").fill("")


async def test_tools_and_thoughts_are_folded_live_and_after_a_reload(page: Page) -> None:
    await write(page, "Use a tool now", "Builder")
    await newest_turn(page, "Builder", "Use a tool now")
    for reload in (False, True):
        if reload:
            await page.reload()
        turn = turns_of(page, "Builder").last
        await expect(turn).to_have_attribute("data-status", "completed")
        await expect(turn.locator(".fold")).to_have_count(3)
        await expect(turn.locator(".fold").first).to_contain_text("Though")
        await expect(turn.locator(".fold").nth(1)).to_contain_text("Read README.md")
        await expect(turn.locator(".fold").nth(1)).to_contain_text("done")
        await turn.locator(".fold-line").nth(1).click()
        await expect(turn.locator(".tool-text").first).to_contain_text("README.md")
