"""The demo's assistant for a newcomer: an example of the drawer becomes work that the room shows folded.

Our contract: docs/architecture.md, "Front end". Real room, real browser, in both languages and at two widths."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Browser, expect

from groupx.demo_room import demo_configuration
from tests.running_room import RunningRoom

from .assistant_steps import box, opened, work
from .conftest import WAIT_MS


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("demo")
    config = demo_configuration()
    for place in (*config["agents"].values(), config["assistant"]["brain"]):
        (folder / place["cwd"]).mkdir()
    room = RunningRoom(folder, config["agents"], assistant=config["assistant"])
    try:
        yield room.start()
    finally:
        room.stop()


@pytest.mark.parametrize(
    ("locale", "width", "example", "gave", "done"),
    [
        ("en-GB", 1280, "Have Builder look over", "Assistant gave Builder work", "done"),
        ("zh-CN", 390, "让 Builder 看一遍", "助理 给 Builder 派了活", "完成"),
    ],
    ids=["English, wide", "Chinese, small"],
)
async def test_an_example_becomes_work_that_is_folded_in_the_room(
    browser: Browser, room: RunningRoom, locale: str, width: int, example: str, gave: str, done: str
) -> None:
    context = await browser.new_context(locale=locale, viewport={"width": width, "height": 844})
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    await page.goto(room.url)
    await opened(page)
    if width > 480:  # the first to come sees the examples
        await page.get_by_role("button", name=example).click()
        await expect(box(page)).to_be_focused()
    else:
        await box(page).fill(f"{example}最新的改动，把发现告诉我。")
    await page.keyboard.press("Enter")
    await expect(page.locator(".assistant-entry").last).to_have_attribute("data-state", "answered")
    await expect(page.locator(".assistant-answer").last).to_contain_text("Builder")
    await page.keyboard.press("Escape")
    line = work(page).last
    for reload in (False, True):
        if reload:
            await page.reload()
        await expect(line.locator(".dispatch-told")).to_have_text(gave)
        await expect(line.locator(".dispatch-state")).to_have_text(done)
        await line.locator(".dispatch-line").click()
        await expect(line.locator(".dispatch-turn")).to_have_count(1)
        await expect(page.locator('.entry[data-kind="turn"]').last).to_contain_text("Builder")
    await context.close()
