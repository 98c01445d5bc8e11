"""Agents that a limit has stopped, and a person who lets them go on, in a real browser (our contract: docs/turns.md,
"Chains and their limits"). Real processes with scripted agents that call the room's tools."""

import asyncio
from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, Locator, Page, Route, expect

from tests.agents_talk.talking_room import agents, call, say, task
from tests.running_room import RunningRoom, do, scripted

from .conftest import WAIT_MS
from .steps import turns_of, write

LINE_PX = 24
"""More than one line of small text is high."""


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
    await expect(stop).to_contain_text("Reviewer was called as often as the limit of turns per agent allows")
    await expect(stop.locator(".code")).to_have_text("ROOT_TURN_LIMIT_REACHED · limits.actorCallsPerRoot")
    await expect(stop.locator(".loop-call")).to_have_text("Builder wanted to say to Reviewer:")
    await expect(stop.locator(".loop-excerpt")).to_contain_text("Once more, please")
    await stop.get_by_role("button", name="Show the turn").click()
    await expect(turn).to_have_attribute("data-found", "")
    await expect(stop_in(chinese).get_by_role("button", name="让它们继续")).to_be_visible()
    await expect(stop_in(chinese)).to_contain_text("Reviewer 被调用的次数已达到 “每个 Agent 的回合数”")

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


async def test_the_turn_of_a_stop_is_found_in_what_the_page_has_not_loaded_yet(page: Page) -> None:
    twice = [call("send", to=agents("reviewer"), content=task(say("Seen."), text="See it")) for _ in range(2)]
    [turn] = await write(page, do("Have it seen", n="seen", steps=[*twice, say("Asked.")]), "Builder")
    await expect(turn.locator(".entry-text")).to_have_text("Asked.")
    turn_id = await turn.get_attribute("data-turn-id")

    async def begin_with_the_stop(route: Route) -> None:
        snapshot = await (await route.fetch()).json()
        stops = [event for event in snapshot["recentEvents"] if event["type"] == "routing.loop_stopped"]
        await route.fulfill(json={**snapshot, "recentEvents": stops[-1:]})

    async def wait_to_be_asked(route: Route) -> None:
        await asked.wait()
        await route.continue_()

    asked = asyncio.Event()
    await page.route("**/api/bootstrap", begin_with_the_stop)
    await page.route("**/api/history**", wait_to_be_asked)
    await page.reload()
    stop = stop_in(page)
    await stop.get_by_role("button", name="Show the turn").click()
    found = page.locator(f'.entry[data-turn-id="{turn_id}"]')
    await expect(found).to_have_count(0)
    asked.set()
    await expect(found).to_have_attribute("data-found", "")

    await stop.last.get_by_role("button", name="Show the turn").evaluate(
        """button => { button.dataset.turnId = "turn_of_another_room"; button.click(); }"""
    )
    await expect(page.locator(".trouble")).to_contain_text("This turn is not in the room’s log.")


@pytest.mark.parametrize(
    ("locale", "let_go", "without", "dismiss"),
    [
        ("en-GB", "Let them go on", "Let them go on without this message", "Dismiss"),
        ("zh-CN", "让它们继续", "不发这条消息，让它们继续", "关闭"),
    ],
)
async def test_a_message_to_an_agent_that_was_taken_out_is_dropped_on_a_small_screen(
    page: Page, browser: Browser, room: RunningRoom, locale: str, let_go: str, without: str, dismiss: str
) -> None:
    twice = [call("send", to=agents("scribe"), content=task(say("Noted."), text=f"Note {locale}")) for _ in range(2)]
    [turn] = await write(page, do(f"Have it noted {locale}", n=locale, steps=[*twice, say("Asked.")]), "Builder")
    await expect(turn.locator(".entry-text")).to_have_text("Asked.")
    room.stop()
    room.config["agents"]["scribe"]["enabled"] = False
    room.write()
    room.start()
    context = await browser.new_context(locale=locale, viewport={"width": 390, "height": 844}, color_scheme="dark")
    context.set_default_timeout(WAIT_MS)
    small = await context.new_page()
    await small.goto(room.url)
    stop = stop_in(small).last
    await expect(stop.get_by_role("button", name=without)).to_be_hidden()

    await stop.get_by_role("button", name=let_go, exact=True).click()

    trouble = small.locator(".trouble")
    await expect(trouble.locator(".code")).to_have_text("UNKNOWN_TARGET")
    await expect(trouble).not_to_contain_text("agent:")
    for words in (trouble.locator(".code"), trouble.get_by_role("button", name=dismiss)):
        box = await words.bounding_box()
        assert box is not None and box["height"] < 2 * LINE_PX
    await stop.get_by_role("button", name=without).click()

    await expect(trouble).to_be_hidden()
    await expect(stop.locator(".loop-granted")).to_be_visible()
    await expect(stop.get_by_role("button", name=without)).to_be_hidden()
    await context.close()
    room.stop()
    room.config["agents"]["scribe"]["enabled"] = True
    room.write()
    room.start()
