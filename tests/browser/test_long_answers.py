"""Answers of megabytes in the page: the beginning, the whole in slices on demand, a file (our contract)."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from rooms.envelope import SHOWN_CHARS
from tests.running_room import RunningRoom, do, running_room

from .conftest import WAIT_MS
from .steps import turn_of_id

MB = 1_000_000


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    with running_room(tmp_path_factory.mktemp("room"), "builder") as room:
        room.until_agent("builder", "ready")
        yield room


@pytest_asyncio.fixture(loop_scope="module")
async def open_page(browser: Browser, room: RunningRoom) -> AsyncIterator[Page]:
    context = await browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    await page.goto(room.url)
    await page.locator(".chip").first.wait_for()
    yield page
    await context.close()


async def has_shown(turn: Locator, length: int) -> None:
    """All of the text stands there; the borders of its blocks count for nothing."""
    await turn.page.wait_for_function(
        "([id, length]) => document.querySelector(`[data-turn-id=${id}] .entry-text`)?.textContent.length === length",
        arg=[await turn.get_attribute("data-turn-id"), length],
    )


@pytest.mark.parametrize(
    ("step", "length"), [({"big": 3 * MB}, 3 * MB), ({"many": [5_000, 4_000]}, 20 * MB)], ids=["3 MB", "20 MB"]
)
async def test_a_long_answer_is_shown_cut_and_whole_on_demand(
    open_page: Page, room: RunningRoom, tmp_path: Path, step: dict, length: int
) -> None:
    turn_id = room.turn(await asyncio.to_thread(lambda: room.send("builder", content=do(steps=[step]))))
    await asyncio.to_thread(room.until_turn, turn_id)
    turn = turn_of_id(open_page, turn_id)
    await expect(turn).to_have_attribute("data-status", "completed")
    await has_shown(turn, SHOWN_CHARS)

    async with open_page.expect_download() as downloading:
        await turn.get_by_role("button", name="Download").click()
    file = tmp_path / "answer.txt"
    await (await downloading.value).save_as(file)
    assert await asyncio.to_thread(lambda: file.stat().st_size) == length

    await turn.get_by_role("button", name=f"Show all ({length:,} characters)").click()
    await has_shown(turn, length)
    await expect(turn.get_by_role("button", name="Show all")).to_be_hidden()
    # a box of its own: the room around it stays a room
    assert await turn.locator(".entry-text").evaluate("text => text.clientHeight < innerHeight")
    await open_page.get_by_role("textbox", name="Message").fill("The page still answers")
    await expect(open_page.get_by_role("textbox", name="Message")).to_have_value("The page still answers")


async def test_a_long_answer_that_still_grows_says_how_long_it_is(open_page: Page, room: RunningRoom) -> None:
    go_on = room.folder / "builder" / "go-on"
    steps = [{"many": [1_000, 1_000]}, {"wait": str(go_on)}, {"text": "."}]
    sent = await asyncio.to_thread(lambda: room.send("builder", content=do(steps=steps)))
    turn = turn_of_id(open_page, room.turn(sent))
    await expect(turn.locator(".entry-note")).to_contain_text("A long answer: ")
    await has_shown(turn, SHOWN_CHARS)
    await open_page.reload()
    await expect(turn.locator(".entry-note")).to_contain_text("A long answer: ")
    await has_shown(turn, SHOWN_CHARS)

    await asyncio.to_thread(go_on.write_text, "")
    await asyncio.to_thread(lambda: room.until_turn(room.turn(sent)))
    await expect(turn.get_by_role("button", name="Show all (1,000,001 characters)")).to_be_visible()
    await expect(turn.locator(".entry-note")).to_be_hidden()
