"""Agents that a limit has stopped, and a person who lets them go on, in a real browser (our contract: docs/turns.md,
"Chains and their limits"). Real processes with scripted agents that call the room's tools."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from tests.agents_talk.talking_room import agents, call, say, task
from tests.running_room import RunningRoom, do, scripted

from .conftest import WAIT_MS
from .steps import turns_of, write


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("chatty")
    names = ("builder", "reviewer", "scribe")
    room = RunningRoom(folder, {name: scripted(name, folder) for name in names}, limits={"actorCallsPerRoot": 1})
    try:
        yield room.start()
    finally:
        room.stop()


async def in_chinese(browser: Browser, room: RunningRoom) -> Page:
    context = await browser.new_context(locale="zh-CN")
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    await page.goto(room.url)
    return page


def stop_in(page: Page) -> Locator:
    return page.locator(".notice-row", has_text="ROOT_TURN_LIMIT_REACHED")


async def test_agents_that_were_stopped_are_let_go_on_by_the_keyboard_in_every_tab_and_after_a_restart(
    page: Page, browser: Browser, room: RunningRoom
) -> None:
    other_tab, chinese = await page.context.new_page(), await in_chinese(browser, room)
    await other_tab.goto(room.url)
    twice = [
        call("send", to=agents("reviewer"), content=task(say("I had a look."), text="Have a look")),
        call("send", to=agents("reviewer"), content=task(say("And once more."), text="Once more, please")),
    ]
    [turn] = await write(
        page, do("Let the reviewer have a look", n="1", steps=[*twice, say("I asked twice.")]), "Builder"
    )
    await expect(turn.locator(".entry-text")).to_have_text("I asked twice.")

    # what the agent said is the agent's, to whom it said it, in answer to what it was asked
    said = page.locator('.entry[data-kind="message"]', has_text="Have a look").last
    await expect(said).to_have_attribute("data-from", "agent")
    await expect(said.locator(".entry-author")).to_have_text("Builder")
    await expect(said.locator(".entry-to")).to_have_text("to Reviewer")
    await expect(said.locator(".quote")).to_contain_text("Let the reviewer have a look")

    stop = stop_in(page)
    await expect(stop).to_contain_text("as often as limits.actorCallsPerRoot allows")
    await expect(stop.locator(".loop-call")).to_have_text("Builder wanted to say to Reviewer:")
    await expect(stop.locator(".loop-excerpt")).to_contain_text("Once more, please")
    await stop.get_by_role("button", name="Show the turn").click()
    await expect(turn).to_have_attribute("data-found", "")
    await expect(stop_in(chinese).get_by_role("button", name="让它们继续")).to_be_visible()
    await expect(stop_in(chinese)).to_contain_text("已达到 limits.actorCallsPerRoot")

    room.stop()
    room.start()
    await page.reload()
    button = stop.get_by_role("button", name="Let them go on")
    await button.focus()
    await page.keyboard.press("Enter")

    await expect(turns_of(page, "Reviewer").last.locator(".entry-text")).to_have_text("And once more.")
    for tab in (page, other_tab):
        await expect(stop_in(tab).get_by_text("They were let go on; the limit is 2 now.")).to_be_visible()
        await expect(stop_in(tab).get_by_role("button", name="Let them go on")).to_be_hidden()
        await expect(tab.locator(".notice-row", has_text="Agents may go on")).to_contain_text("You")
    await expect(stop).to_be_focused()
    await expect(stop_in(chinese).get_by_text("已让它们继续；上限现为 2。")).to_be_visible()
    sent = page.locator('.entry[data-kind="message"]', has_text="Once more, please").last
    await expect(sent.locator(".entry-author")).to_have_text("Builder")

    await page.reload()
    await expect(stop.get_by_text("They were let go on; the limit is 2 now.")).to_be_visible()
    await chinese.context.close()
