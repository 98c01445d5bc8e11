"""The reader's place in a log that grows at both ends, in a real browser (our contract)."""

import asyncio
import re

from playwright.async_api import Page, Route, expect

from tests.running_room import RunningRoom

from .steps import held, write


async def test_older_messages_load_on_scrolling_up_and_nothing_jumps(page: Page, room: RunningRoom) -> None:
    def one_after_the_other() -> None:
        for number in range(40):  # more events than a page begins with; no turn is left without its message for long
            room.until_turn(room.turn(room.send("scribe", content=f"Number {number}: fail")))

    await asyncio.to_thread(one_after_the_other)
    await page.reload()
    log = page.locator(".log")
    await expect(page.locator(".ending").last).to_be_visible()
    known = await page.locator(".entry").count()

    while_loading: list[float] = []

    async def look_and_go_on(route: Route) -> None:
        await expect(page.get_by_text("Loading older messages")).to_be_visible()
        while_loading.append(await log.evaluate("() => kept.getBoundingClientRect().top"))
        await route.continue_()

    await page.route(re.compile("/api/history"), look_and_go_on)
    top = await log.evaluate(
        """log => {
            window.kept = document.querySelector('.entry[data-kind="message"]');
            kept.scrollIntoView({ block: "center" });
            log.scrollTop = Math.min(log.scrollTop, log.clientHeight - 50);
            return kept.getBoundingClientRect().top;
        }"""
    )
    await expect(page.locator(".entry").nth(known)).to_be_attached()
    after = await log.evaluate("() => kept.getBoundingClientRect().top")
    assert max(abs(seen - top) for seen in (*while_loading, after)) < 2
    await expect(page.get_by_role("button", name="To the newest messages")).to_be_visible()


async def test_messages_that_come_while_reading_above_are_counted(page: Page) -> None:
    [turn] = await write(page, "Something long enough to scroll\n" * 60, "Scribe")
    await expect(turn).to_have_attribute("data-status", "completed")
    await page.locator(".log").evaluate("log => { log.scrollTop = 0; }")
    other = await page.context.new_page()
    await other.goto(page.url)
    await write(other, "From another tab: fail", "Scribe")
    await other.close()
    button = page.get_by_role("button", name="1 new message")
    await button.click()
    await expect(button).to_be_hidden()
    await expect(page.locator(".entry-text", has_text="From another tab: fail")).to_be_in_viewport()


async def test_a_waiting_turn_that_begins_to_run_does_not_carry_the_reader_off(page: Page) -> None:
    [running] = await write(page, held("Count"), "Puppet")
    [waiting] = await write(page, "I can wait", "Puppet")
    [answer] = await write(page, "Much to read\n" * 80, "Reviewer")
    await expect(answer).to_have_attribute("data-status", "completed")  # nothing grows any more
    await expect(waiting).to_have_attribute("data-status", "queued")
    await waiting.evaluate("waiting => { waiting.scrollIntoView({block: 'start'}); }")
    below = page.locator('.entry[data-kind="message"]', has_text="Much to read").last
    top = await below.evaluate("below => below.getBoundingClientRect().top")
    # not click(): Playwright would scroll to the button
    await running.get_by_role("button", name="Cancel turn").evaluate("button => { button.click(); }")
    await expect(waiting).to_have_attribute("data-status", "completed")
    assert abs(await below.evaluate("below => below.getBoundingClientRect().top") - top) < 2
