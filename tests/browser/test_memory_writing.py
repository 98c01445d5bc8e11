"""What a person writes of memory and presses there: nothing is lost, the keyboard stays where it is, a refusal
stands where the button is (our contract: docs/memory.md, "On the page")."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, Page, expect

from tests.running_room import RunningRoom, scripted

from .steps import Held, in_room_memory, memory

BUSY = {"error": {"code": "STORE_UNAVAILABLE", "message": "The database is busy."}}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("writing")
    room = RunningRoom(folder, {"builder": scripted("builder", folder)})
    try:
        yield room.start()
    finally:
        room.stop()


def kept(room: RunningRoom, content: str) -> str:
    return str(room.command("/api/memory", content=content, kind="fact")[1]["memoryId"])


def text_of(form: Locator) -> Locator:
    return form.get_by_label("What to remember")


async def test_what_is_being_written_survives_a_reload_and_another_language(page: Page, room: RunningRoom) -> None:
    replaced, retracted = kept(room, "Draft: standing"), kept(room, "Draft: soon gone")
    new = in_room_memory(page).locator(".memory-adding .record-form")
    await in_room_memory(page).get_by_role("button", name="Add").click()
    await text_of(new).fill("Half a memory")
    await new.get_by_label("Kind").select_option(label="Decision")
    for text in ("Draft: standing", "Draft: soon gone"):
        await memory(page, text).get_by_role("button", name="Replace").click()
        form = page.locator(".record", has=page.locator(".record-text", has_text=text)).locator(".record-form")
        await text_of(form).fill(f"{text}, anew")
    room.command(f"/api/memory/{retracted}/retract")
    await page.reload()
    await expect(text_of(new.first)).to_have_value("Half a memory")
    await expect(new.first.get_by_label("Kind")).to_have_value("decision")
    await expect(text_of(memory(page, "Draft: standing"))).to_have_value("Draft: standing, anew")
    await expect(new.last.get_by_role("status")).to_contain_text("This memory was retracted meanwhile.")
    await expect(text_of(new.last)).to_have_value("Draft: soon gone, anew")

    await page.get_by_role("button", name="中文").click()
    section = page.get_by_role("region", name="房间记忆")
    await expect(section.locator(".record-form")).to_have_count(3)
    await section.locator(".memory-adding .record-form").last.get_by_role("button", name="取消").click()
    await section.locator(".memory-adding .record-form").get_by_role("button", name="记住").click()
    await expect(memory(page, "Half a memory")).to_be_visible()
    await memory(page, "Draft: standing").locator(".record-form").get_by_role("button", name="替换").click()
    await expect(memory(page, "Draft: standing, anew")).to_be_visible()
    await page.reload()
    await expect(memory(page, "Draft: standing, anew")).to_be_visible()
    await expect(section.locator(".record-form")).to_have_count(0)
    assert room.get(f"/api/memory/{replaced}")["status"] == "superseded"


async def test_nothing_else_can_be_pressed_while_the_room_is_asked_and_the_keyboard_stays(
    page: Page, room: RunningRoom
) -> None:
    held = Held()
    await page.route("**/api/memory", held)
    form = in_room_memory(page).locator(".record-form")
    await in_room_memory(page).get_by_role("button", name="Add").click()
    await text_of(form).fill("Saved in the end")
    await form.get_by_role("button", name="Remember").focus()
    await page.keyboard.press("Enter")
    await held.asked.wait()
    await expect(form.get_by_role("button", name="Saving…")).to_be_focused()
    await expect(form.get_by_role("button", name="Cancel")).to_be_disabled()
    await form.get_by_role("button", name="Cancel").click(force=True)
    await expect(form).to_be_visible()
    held.goes_on.set()
    await expect(memory(page, "Saved in the end")).to_be_focused()


async def test_a_refused_retraction_is_told_at_its_memory_and_can_be_pressed_again(
    page: Page, room: RunningRoom
) -> None:
    kept(room, "Stays for now")
    record = memory(page, "Stays for now")
    await page.route("**/retract", lambda route: route.fulfill(status=503, json=BUSY))
    await record.get_by_role("button", name="Retract").click()
    sure = record.get_by_role("group").get_by_role("button", name="Retract")
    await sure.focus()
    await page.keyboard.press("Enter")
    await expect(record.get_by_role("alert")).to_contain_text("The database is busy.")
    await expect(record.locator(".code")).to_have_text("STORE_UNAVAILABLE")
    await expect(sure).to_be_focused()

    held = Held()
    await page.unroute("**/retract")
    await page.route("**/retract", held)
    await page.keyboard.press("Enter")
    await held.asked.wait()
    await expect(record.get_by_role("alert")).to_be_hidden()
    await expect(record.get_by_role("button", name="Retracting…")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(record.get_by_role("button", name="Keep")).to_be_disabled()
    held.goes_on.set()
    await expect(record).to_have_count(0)
    assert await page.evaluate("document.activeElement !== document.body")


async def test_a_long_memory_shows_its_beginning_until_all_is_wanted_and_is_folded_again(
    page: Page, room: RunningRoom
) -> None:
    kept(room, "Long: " + "line\n" * 5_000 + "the end")
    record = memory(page, "Long: line")
    await expect(record.locator(".record-text")).not_to_contain_text("the end")
    await record.get_by_role("button", name="Show all (25,013 characters)").focus()
    await page.keyboard.press("Enter")
    await expect(record.locator(".record-text")).to_contain_text("the end")
    await expect(record.get_by_role("button", name="Retract")).to_be_in_viewport()
    assert await record.evaluate("(record) => record.clientHeight < innerHeight")
    await page.keyboard.press("Enter")
    await expect(record.locator(".record-text")).not_to_contain_text("the end")
    await expect(record.get_by_role("button", name="Show all")).to_be_focused()
