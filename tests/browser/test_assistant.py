"""The conversation with the assistant, beside a real room in a real browser.

Our contract: docs/architecture.md, "Front end". The assistant's brain is a scripted agent."""

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.async_api import Page, Request, expect

from tests.running_room import RunningRoom

from .assistant_steps import ask, box, brain_will, drawer, entry, opened, with_brain
from .steps import server_down, until

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script>"
FAILS = {"error": {"code": -32603, "message": "Internal error", "data": {"details": "no credits left"}}}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    room = with_brain(tmp_path_factory.mktemp("assistant"), "builder")
    try:
        yield room.start()
    finally:
        room.stop()


def kept(room: RunningRoom, question: str) -> list[str]:
    """The states of the questions with these words, as the server has them."""
    items = room.get("/api/assistant/messages")["items"]
    return [item["state"] for item in items if item["role"] == "user" and item["content"] == question]


# ---------------------------------------------------------------- asking
async def test_an_answer_grows_in_all_tabs_and_is_the_same_after_a_reload(
    page: Page, room: RunningRoom, tmp_path: Path
) -> None:
    gate = tmp_path / "go-on"
    brain_will(room, {"text": "Builder is "}, until(gate), {"text": "idle."})
    other = await page.context.new_page()
    await other.goto(room.url)
    await opened(other)
    asked = await ask(page, "Who is here?")
    for tab in (page, other):
        await expect(entry(tab, "Who is here?").locator(".assistant-answer")).to_have_text("Builder is ")
        await expect(entry(tab, "Who is here?")).to_have_attribute("data-streaming", "")
        await expect(tab.locator(".assistant-state")).to_have_text("Working")
    late = await page.context.new_page()
    await late.goto(room.url)
    await opened(late)
    await expect(entry(late, "Who is here?").locator(".assistant-answer")).to_have_text("Builder is ")
    gate.touch()
    for tab in (page, other, late):
        await expect(entry(tab, "Who is here?").locator(".assistant-answer")).to_have_text("Builder is idle.")
        await expect(entry(tab, "Who is here?")).to_have_attribute("data-state", "answered")
        await expect(tab.locator(".assistant-state")).to_have_text("Ready")
    await page.reload()
    await expect(asked.locator(".assistant-answer")).to_have_text("Builder is idle.")
    assert "Builder is" not in json.dumps(room.events())  # the room has heard nothing of it


async def test_an_answer_is_stopped_and_asked_for_again(page: Page, room: RunningRoom, tmp_path: Path) -> None:
    brain_will(room, {"text": "A long "}, until(tmp_path / "never"))
    asked = await ask(page, "Tell me all")
    await expect(asked.locator(".assistant-answer")).to_have_text("A long ")
    await asked.get_by_role("button", name="Stop").click()
    await expect(asked.locator(".ending")).to_contain_text("You stopped this.")
    brain_will(room, {"text": "All of it."})
    await asked.get_by_role("button", name="Ask again").click()
    await expect(asked.locator(".assistant-answer")).to_have_text("All of it.")
    await expect(asked.locator(".ending")).to_be_hidden()
    assert kept(room, "Tell me all") == ["answered"]


async def test_a_failure_says_why_and_what_to_do_and_the_same_question_is_asked_again(
    page: Page, room: RunningRoom
) -> None:
    brain_will(room, FAILS)
    asked = await ask(page, "Can you?")
    for reload in (False, True):
        if reload:
            await page.reload()
        await expect(asked.locator(".ending")).to_contain_text("no credits left")
        await expect(asked.locator(".ending .code")).not_to_be_empty()
    brain_will(room, {"text": "Now I can."})
    await asked.get_by_role("button", name="Ask again").click()
    await expect(asked.locator(".assistant-answer")).to_have_text("Now I can.")
    assert kept(room, "Can you?") == ["answered"]


async def test_hostile_text_stays_text(page: Page, room: RunningRoom) -> None:
    title = await page.title()
    brain_will(room, {"text": HOSTILE})
    asked = await ask(page, HOSTILE)
    await expect(asked.locator(".assistant-question")).to_have_text(HOSTILE)
    await expect(asked.locator(".assistant-answer")).to_have_text(HOSTILE)
    assert await asked.locator("img, script").count() == 0
    assert await page.title() == title


# ---------------------------------------------------------------- nothing typed is lost
async def test_a_draft_and_the_open_drawer_survive_a_reload(page: Page) -> None:
    await opened(page)
    await box(page).fill("Half a thought")
    await page.reload()
    await expect(drawer(page)).to_be_visible()
    await expect(box(page)).to_have_value("Half a thought")
    await box(page).fill("")


async def test_a_question_that_found_no_server_is_sent_once_when_it_is_back(page: Page, room: RunningRoom) -> None:
    await opened(page)
    await expect(page.locator(".assistant-state")).to_have_text("Ready")
    with server_down(room):
        asked = await ask(page, "Are you there?")
        await expect(asked.locator(".assistant-progress")).to_have_text("Sending…")
    await expect(asked).to_have_attribute("data-state", "answered")
    assert kept(room, "Are you there?") == ["answered"]


async def test_a_question_whose_answer_was_lost_is_sent_again_after_a_reload_and_taken_once(
    page: Page, room: RunningRoom
) -> None:
    await page.route("**/api/assistant/messages", lambda route: route.abort())
    asked = await ask(page, "Is it lost?")
    await expect(asked.locator(".assistant-progress")).to_have_text("Not sent yet")
    await page.unroute("**/api/assistant/messages")
    await page.reload()
    await expect(asked).to_have_attribute("data-state", "answered")
    assert kept(room, "Is it lost?") == ["answered"]


async def test_what_was_not_sent_can_be_taken_back(page: Page, room: RunningRoom) -> None:
    await opened(page)
    await page.route("**/api/assistant/messages", lambda route: route.abort())
    asked = await ask(page, "On second thought")
    await asked.get_by_role("button", name="Take back").click()
    await expect(asked).to_have_count(0)
    await expect(box(page)).to_have_value("On second thought")
    await page.unroute("**/api/assistant/messages")
    await box(page).fill("")
    await page.reload()
    await expect(page.locator(".assistant-state")).to_have_text("Ready")
    assert kept(room, "On second thought") == []


# ---------------------------------------------------------------- connections
async def test_all_tabs_hear_over_one_connection_which_ends_with_the_last_open_drawer(
    page: Page, room: RunningRoom
) -> None:
    streams: list[Request] = []
    ended: list[Request] = []

    def is_stream(request: Request) -> bool:
        return request.url.endswith("/api/assistant/events")

    page.context.on("request", lambda request: streams.append(request) if is_stream(request) else None)
    page.context.on("requestfailed", lambda request: ended.append(request) if is_stream(request) else None)
    other = await page.context.new_page()
    await other.goto(room.url)
    await expect(other.get_by_text("Connected", exact=True)).to_be_visible()
    assert streams == []
    for tab in (page, other):
        await opened(tab)
        await expect(tab.locator(".assistant-state")).to_have_text("Ready")
    assert len(streams) == 1

    async with other.expect_request("**/api/assistant/events"):  # the next one reads
        await page.locator(".assistant-button").click()
    await expect(other.locator(".assistant-state")).to_have_text("Ready")
    await ask(other, "Still there?")
    await expect(entry(other, "Still there?")).to_have_attribute("data-state", "answered")
    async with other.expect_event("requestfailed", is_stream):
        await other.keyboard.press("Escape")
    assert (len(streams), len(ended)) == (2, 2)


async def test_a_closed_drawer_tells_when_the_answer_is_there(page: Page, room: RunningRoom, tmp_path: Path) -> None:
    gate = tmp_path / "go-on"
    brain_will(room, until(gate), {"text": "Done."})
    button = page.locator(".assistant-button")
    await ask(page, "Do it")
    await page.keyboard.press("Escape")
    await expect(button).to_have_attribute("data-mark", "work")
    await asyncio.to_thread(gate.touch)
    await expect(button).to_have_attribute("data-mark", "news")
    await expect(button).to_have_attribute("aria-label", "Assistant, has finished")
    await button.click()
    await expect(entry(page, "Do it").locator(".assistant-answer")).to_have_text("Done.")
    await expect(button).to_have_attribute("data-mark", "")


# ---------------------------------------------------------------- the keyboard
async def test_the_keyboard_opens_it_writes_and_goes_back(page: Page) -> None:
    await page.keyboard.press("Control+j")
    await expect(box(page)).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(drawer(page)).to_be_hidden()
    await expect(page.locator(".assistant-button")).to_be_focused()
    await page.keyboard.press("Enter")
    await expect(box(page)).to_be_focused()
    await page.keyboard.press("Control+j")
    await expect(drawer(page)).to_be_hidden()


async def test_on_a_small_screen_it_covers_the_room_for_the_keyboard_too(page: Page) -> None:
    await page.set_viewport_size({"width": 390, "height": 844})
    await opened(page)
    bounds = await drawer(page).bounding_box()
    assert bounds is not None and (bounds["x"], bounds["width"]) == (0, 390)
    assert await page.locator(".room").evaluate("room => room.inert")
    await page.keyboard.press("Escape")
    assert not await page.locator(".room").evaluate("room => room.inert")
