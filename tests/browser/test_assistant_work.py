"""What the assistant gives agents to do, as the room shows it: one folded line, live and after a reload alike, in both
languages and at two widths (our contract: docs/architecture.md, "Front end"). Real room, real browser."""

import uuid
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.running_room import RunningRoom, do

from .assistant_steps import ask, brain_will, drawer, with_brain, work
from .conftest import WAIT_MS
from .steps import until


@dataclass(frozen=True, kw_only=True)
class Reader:
    """Who looks: with which language and screen, and the words that he reads."""

    locale: str
    width: int
    gave: str
    passed_on: str
    running: str
    done: str
    show: str


ENGLISH = Reader(
    locale="en-GB",
    width=1280,
    gave="Assistant gave Builder and Reviewer work",
    passed_on="Assistant passed a message on to Reviewer",
    running="running",
    done="done",
    show="Show the turn of Builder",
)
CHINESE = Reader(
    locale="zh-CN",
    width=390,
    gave="助理 给 Builder和Reviewer 派了活",
    passed_on="助理 把一条消息转给了 Reviewer",
    running="运行中",
    done="完成",
    show="显示 Builder 的回合",
)


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    room = with_brain(tmp_path_factory.mktemp("work"), "builder", "reviewer")
    try:
        yield room.start()
    finally:
        room.stop()


@pytest.fixture(params=[ENGLISH, CHINESE], ids=["English, wide", "Chinese, small"])
def reader(request: pytest.FixtureRequest) -> Reader:
    return request.param  # type: ignore[no-any-return]


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, room: RunningRoom, reader: Reader) -> AsyncIterator[Page]:
    context = await browser.new_context(locale=reader.locale, viewport={"width": reader.width, "height": 844})
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    await page.goto(room.url)
    await page.locator(".chip").first.wait_for()
    yield page
    await context.close()


def call(tool: str, **arguments: Any) -> dict[str, Any]:
    return {"call": {"tool": tool, "arguments": {"clientCommandId": uuid.uuid4().hex, **arguments}}}


async def test_work_is_one_folded_line_over_its_text_and_its_turns(
    page: Page, room: RunningRoom, reader: Reader, tmp_path: Path
) -> None:
    gate, topic = tmp_path / "go-on", f"Look at <b>{reader.locale}</b>"
    task = do(topic, steps=[{"text": "Now: "}, until(gate), {"text": f"looked for {reader.locale}."}])
    brain_will(
        room,
        call("worker_dispatch", to=["agent:builder", "agent:reviewer"], content=task),
        {"text": "They are at it."},
    )
    asked = await ask(page, f"Have them look, {reader.locale}")
    await expect(asked.locator(".assistant-answer")).to_have_text("They are at it.")
    await page.keyboard.press("Escape")
    await expect(drawer(page)).to_be_hidden()

    line = work(page).filter(has_text=topic)
    await expect(line.locator(".dispatch-told")).to_have_text(reader.gave)
    await expect(line.locator(".dispatch-state")).to_have_text(reader.running)
    await expect(line.locator(".dispatch-inside")).to_be_hidden()
    await expect(page.locator('.entry[data-kind="message"]', has_text=topic)).to_have_count(0)  # no bubble
    gate.touch()
    for reload in (False, True):
        if reload:
            await page.reload()
        await expect(line.locator(".dispatch-state")).to_have_text(reader.done)
        await line.locator(".dispatch-line").click()
        await expect(line.locator(".dispatch-text")).to_contain_text(topic)  # as text
        await expect(line.locator(".dispatch-turn")).to_have_count(2)
        await expect(line.locator(".dispatch-turn-state").first).to_have_text(reader.done)
        answer = page.locator('.entry[data-kind="turn"]', has_text=f"looked for {reader.locale}.")
        await expect(answer).to_have_count(2)
        await line.get_by_role("button", name=reader.show).click()
        await expect(page.locator('.entry[data-kind="turn"][data-found]')).to_contain_text("Builder")


async def test_a_message_that_is_handed_on_keeps_its_author_and_the_line_quotes_it(
    page: Page, room: RunningRoom, reader: Reader
) -> None:
    topic = f"Read this, {reader.locale}"
    handed = room.send("builder", content=topic)["messageEventId"]
    brain_will(room, call("dispatch_event", to=["agent:reviewer"], forwardedEventId=handed), {"text": "Handed on."})
    asked = await ask(page, f"Hand it on, {reader.locale}")
    await expect(asked.locator(".assistant-answer")).to_have_text("Handed on.")
    await page.keyboard.press("Escape")
    line = work(page).filter(has_text=topic)
    for reload in (False, True):
        if reload:
            await page.reload()
        await expect(line.locator(".dispatch-told")).to_have_text(reader.passed_on)
        await line.locator(".dispatch-line").click()
        await line.locator(".quote").click()
        await expect(page.locator('.entry[data-kind="message"][data-found]')).to_contain_text(topic)
