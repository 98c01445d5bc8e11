"""How full the context is, beside the message box; summed up and begun anew by a person, in a real browser (our
contract: docs/context.md, "The gauge"). Real processes; agents that write what a test tells them."""

import asyncio
import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.running_room import RunningRoom, do, scripted
from tests.waiting import wait_until

from .conftest import WAIT_MS
from .steps import Held, until

NAMES = ("builder", "reviewer")
TOO_LONG = {"error": {"code": -32603, "message": "prompt is too long: 210000 tokens"}}
WORDS = "what was said and done " * 400


@pytest.fixture
def room(tmp_path: Path) -> Iterator[RunningRoom]:
    room = RunningRoom(tmp_path, {name: scripted(name, tmp_path) for name in NAMES})
    try:
        yield room.start()
    finally:
        room.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def chinese(browser: Browser, room: RunningRoom) -> AsyncIterator[Page]:
    """The same room in another browser, small and in Chinese."""
    context = await browser.new_context(locale="zh-CN", viewport={"width": 360, "height": 740})
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    await page.goto(room.url)
    await gauge(page).wait_for()
    yield page
    await context.close()


async def much_is_said(room: RunningRoom, messages: int = 8) -> None:
    """As many messages and as many answers, to the end of the last turn."""

    def say() -> None:
        for number in range(messages):
            content = f"{number}: {WORDS}" + do(n=str(number), steps=[{"text": "fine"}])
            assert room.command("/api/messages", to=["agent:builder"], content=content)[0] == 202
        wait_until(lambda: not room.get("/api/bootstrap")["activeTurns"], timeout_seconds=60, what="all turns ended")

    await asyncio.to_thread(say)


def will_write(room: RunningRoom, name: str, *steps: dict[str, Any]) -> None:
    """What an agent does when it is asked for a summary next."""
    (room.folder / name / "next-prompt.json").write_text(json.dumps({"steps": steps}))


def gauge(page: Page) -> Locator:
    return page.locator(".gauge-button")


def panel(page: Page) -> Locator:
    return page.locator(".context")


async def opened(page: Page) -> Locator:
    await gauge(page).click()
    await expect(panel(page)).to_be_visible()
    return panel(page)


def shows(page: Page, percent: str) -> Any:
    return expect(gauge(page)).to_have_text(re.compile(rf"^(Context|上下文) {percent}$"))


async def test_the_gauge_grows_with_what_is_said_and_says_so_in_words(
    page: Page, chinese: Page, room: RunningRoom
) -> None:
    await shows(page, "0%")
    shown = await opened(page)
    await expect(shown).to_contain_text("Nothing was said that an agent would be given.")
    await expect(shown.get_by_role("button", name="Compact now")).to_be_disabled()
    await page.keyboard.press("Escape")
    await expect(shown).to_be_hidden()

    await much_is_said(room)

    for tab in (page, chinese):
        await shows(tab, "30%")
    shown = await opened(page)
    await expect(shown).to_contain_text(re.compile(r"About 7\d,\d{3} of 256,000 characters"))
    await expect(shown).to_contain_text("16 messages are given as they were written.")
    await expect(shown.get_by_role("button", name="Compact now")).to_be_enabled()
    in_chinese = await opened(chinese)
    await expect(in_chinese).to_contain_text("16 条消息按原文提供。")
    await expect(in_chinese.get_by_role("button", name="立即压缩")).to_be_enabled()
    box = await in_chinese.bounding_box()
    assert box is not None and box["x"] >= 0 and box["x"] + box["width"] <= 360


async def test_who_sums_it_up_is_told_in_all_tabs_and_it_is_smaller_afterwards(
    page: Page, chinese: Page, room: RunningRoom, tmp_path: Path
) -> None:
    await much_is_said(room)
    gate = tmp_path / "written"
    will_write(room, "builder", until(gate), {"text": "They said much and did a little."})
    shown, in_chinese = await opened(page), await opened(chinese)

    await shown.get_by_role("button", name="Compact now").click()

    await expect(shown.locator(".context-progress")).to_have_text("Builder sums it up.")
    await expect(shown.get_by_role("button", name="Compacting…")).to_be_disabled()
    await expect(in_chinese.locator(".context-progress")).to_have_text("Builder 正在写摘要。")
    await expect(in_chinese.get_by_role("button", name="正在压缩…")).to_be_disabled()
    for tab, words in ((page, "summing up"), (chinese, "正在压缩")):
        await expect(gauge(tab)).to_contain_text(words)
    await expect(page.locator(".gauge [role=status]")).to_have_text("Builder sums it up.")
    await page.reload()  # it goes on without the page that asked for it
    gate.touch()

    for tab in (page, chinese):
        await shows(tab, r"[12]\d%")
    shown = await opened(page)
    await expect(shown).to_contain_text(
        "stands for what was said before; 12 messages after that are given as they were"
    )
    await expect(shown.get_by_role("button", name="Compact now")).to_be_disabled()
    await expect(in_chinese.locator(".context-progress")).to_have_text("上下文已压缩。")
    assert "did a little" not in (await page.content())  # nobody is shown the text


async def test_what_went_wrong_is_said_with_its_code_and_the_next_try_succeeds(
    page: Page, chinese: Page, room: RunningRoom
) -> None:
    await much_is_said(room)
    for name in NAMES:
        will_write(room, name, TOO_LONG)
    shown, in_chinese = await opened(page), await opened(chinese)

    await shown.get_by_role("button", name="Compact now").click()

    problem = shown.locator(".context-problem")
    await expect(problem).to_contain_text("No agent could sum the room up.")
    await expect(problem).to_contain_text("Look at the agents’ cards, then try again.")
    await expect(problem.locator(".code")).to_have_text("CONTEXT_COMPACTION_FAILED")
    await expect(in_chinese.locator(".context-problem")).to_contain_text("上下文未能压缩：")
    await expect(in_chinese.locator(".context-problem .code")).to_have_text("CONTEXT_COMPACTION_FAILED")
    await shows(page, "30%")

    await shown.get_by_role("button", name="Compact now").click()

    await expect(shown.locator(".context-progress")).to_have_text("The context was summed up.")
    for tab in (shown, in_chinese):
        await expect(tab.locator(".context-problem")).to_be_hidden()
    await shows(page, r"[12]\d%")

    room.command("/api/messages", to=["agent:builder"], content="On we go" + do(n="on", steps=[{"text": "fine"}]))

    for tab in (shown, in_chinese):
        await expect(tab.locator(".context-progress")).to_be_hidden()  # that is old by now


async def test_a_reset_is_asked_once_more_and_begins_anew_in_all_tabs_by_the_keyboard_alone(
    page: Page, chinese: Page, room: RunningRoom
) -> None:
    await much_is_said(room)
    await shows(page, "30%")
    await gauge(page).focus()
    await page.keyboard.press("Enter")
    shown = panel(page)
    await shown.get_by_role("button", name="Reset…").focus()
    await page.keyboard.press("Enter")
    await expect(shown).to_contain_text("Nothing is deleted: messages, memory and identity stay.")
    await expect(shown.get_by_role("button", name="Leave it")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(shown.get_by_role("button", name="Reset…")).to_be_focused()
    await shows(page, "30%")

    await page.keyboard.press("Enter")
    await page.keyboard.press("Shift+Tab")
    await expect(shown.get_by_role("button", name="Reset the context")).to_be_focused()
    held = Held()
    await page.route("**/api/context/reset", held)
    await page.keyboard.press("Enter")
    await held.asked.wait()
    await expect(shown.get_by_role("button", name="Resetting…")).to_be_focused()
    await expect(shown.get_by_role("button", name="Leave it")).to_be_disabled()
    held.goes_on.set()

    for tab, words in (
        (page, "reset the context: agents’ later turns begin here."),
        (chinese, "重置了上下文：Agent 之后的回合从这里开始。"),
    ):
        await shows(tab, "0%")
        await expect(tab.locator(".notice-row")).to_contain_text(words)
        await expect(tab.locator(".notice-more").last).to_be_hidden()
    await expect(shown).to_contain_text("The last reset: ")
    await expect(shown.locator(".context-progress")).to_have_text("The context was reset.")
    fresh = shown.get_by_role("button", name="Fresh session of Builder")
    await fresh.focus()
    await page.keyboard.press("Enter")
    await expect(shown).to_contain_text("Builder begins a fresh session.")
    await expect(shown.get_by_role("button", name="Fresh session of Reviewer")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(gauge(page)).to_be_focused()

    await page.reload()
    await shows(page, "0%")
    await expect(page.locator(".notice-row", has_text="later turns begin here")).to_have_count(1)
