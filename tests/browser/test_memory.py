"""Room memory beside the log: a person adds, replaces and retracts, in several tabs at once (our contract:
docs/memory.md, "On the page")."""

import re
from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, Page, expect

from tests.agents_talk.talking_room import call
from tests.running_room import RunningRoom, do, scripted

from .steps import in_room_memory, memory, write

HOSTILE = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("remembering")
    room = RunningRoom(folder, {name: scripted(name, folder) for name in ("builder", "reviewer")})
    try:
        yield room.start()
    finally:
        room.stop()


def kept(room: RunningRoom, content: str, kind: str = "fact", **more: object) -> str:
    """Remembered by somebody else than the page."""
    return str(room.command("/api/memory", content=content, kind=kind, **more)[1]["memoryId"])


def versions(room: RunningRoom, words: str) -> list[tuple[str, str]]:
    items = room.get(f"/api/memory?status=any&q={words}")["items"]
    return sorted((item["content"], item["status"]) for item in items)


async def another_tab(page: Page, room: RunningRoom) -> Page:
    tab = await page.context.new_page()
    await tab.goto(room.url)
    await expect(tab.get_by_text("Connected", exact=True)).to_be_visible()
    return tab


async def fill(form: Locator, text: str) -> None:
    await form.get_by_label("What to remember").fill(text)


async def test_a_person_adds_replaces_and_retracts_with_the_keyboard_alone_and_every_tab_follows(
    page: Page, room: RunningRoom
) -> None:
    tab = await another_tab(page, room)
    await expect(in_room_memory(page).get_by_text("What everybody in the room should know")).to_be_visible()
    await in_room_memory(page).get_by_role("button", name="Add").focus()
    await page.keyboard.press("Enter")
    await page.keyboard.type("Use tabs")
    await page.keyboard.press("Tab")
    await page.keyboard.type("Dec")
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    for shown in (page, tab):
        await expect(memory(shown, "Use tabs").locator(".record-about")).to_contain_text(
            re.compile(r"Decision · You · \d\d:\d\d")
        )
    await expect(memory(page, "Use tabs")).to_be_focused()
    await expect(in_room_memory(page).get_by_role("status").first).to_have_text("It is remembered.")
    await expect(page.locator(".notice-row", has_text="remembered something for the room")).to_be_visible()

    await page.keyboard.press("Tab")
    await expect(page.get_by_role("button", name="Replace: Use tabs")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Control+A")
    await page.keyboard.type("Use spaces")
    await page.keyboard.press("Control+Enter")
    for shown in (page, tab):
        await expect(memory(shown, "Use spaces")).to_be_visible()
        await expect(memory(shown, "Use tabs")).to_have_count(0)
    await expect(memory(page, "Use spaces").locator(".record-kind")).to_have_text("Decision")

    await memory(page, "Use spaces").get_by_role("button", name="Retract").focus()
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("button", name="Keep")).to_be_focused()
    await page.keyboard.press("Escape")
    await expect(page.get_by_role("button", name="Retract: Use spaces")).to_be_focused()
    await page.keyboard.press("Enter")
    await page.keyboard.press("Shift+Tab")
    await page.keyboard.press("Enter")
    for shown in (page, tab):
        await expect(memory(shown, "Use spaces")).to_have_count(0)
    await expect(in_room_memory(page).get_by_role("button", name="Add")).to_be_focused()
    assert versions(room, "Use") == [("Use spaces", "retracted"), ("Use tabs", "superseded")]


async def test_who_is_overtaken_sees_the_new_version_and_keeps_what_was_typed(page: Page, room: RunningRoom) -> None:
    old = kept(room, "Releases on Mondays")
    await memory(page, "Releases on Mondays").get_by_role("button", name="Replace").click()
    form = in_room_memory(page).locator(".record-form")
    await fill(form, "Releases on Fridays")
    newer = room.command(f"/api/memory/{old}/supersede", content="Releases on Tuesdays")[1]["memoryId"]
    room.command(f"/api/memory/{newer}/supersede", content="Releases on Wednesdays")
    await expect(form.get_by_role("status")).to_contain_text("Meanwhile a new version was saved")
    await expect(memory(page, "Releases on Wednesdays").locator(".record-form")).to_be_visible()
    await expect(form.get_by_label("What to remember")).to_have_value("Releases on Fridays")
    await form.get_by_role("button", name="Replace").click()
    await expect(memory(page, "Releases on Fridays")).to_be_focused()
    await expect(memory(page, "Releases on")).to_have_count(1)


async def test_a_refused_version_says_so_and_can_be_saved_in_place_of_the_new_one(
    page: Page, room: RunningRoom
) -> None:
    """The page has not heard of it: its stream is cut."""
    old = kept(room, "Deploys by hand")
    await page.route("**/api/events?*", lambda route: route.abort())
    await page.reload()
    await memory(page, "Deploys by hand").get_by_role("button", name="Replace").click()
    form = in_room_memory(page).locator(".record-form")
    await fill(form, "Deploys by robot")
    room.command(f"/api/memory/{old}/supersede", content="Deploys by script")
    async with page.expect_response("**/supersede") as answering:
        await form.get_by_role("button", name="Replace").click()
    assert (await answering.value).status == 409
    await expect(form.get_by_role("status")).to_contain_text("Meanwhile a new version was saved")
    await expect(memory(page, "Deploys by script").locator(".record-form")).to_be_visible()
    await form.get_by_role("button", name="Replace").click()
    await expect(memory(page, "Deploys by robot")).to_be_visible()
    await expect(memory(page, "Deploys by script")).to_have_count(0)


async def test_what_was_retracted_meanwhile_is_saved_as_a_new_memory(page: Page, room: RunningRoom) -> None:
    old = kept(room, "Lunch at noon")
    await memory(page, "Lunch at noon").get_by_role("button", name="Replace").click()
    form = in_room_memory(page).locator(".record-form")
    await fill(form, "Lunch at one")
    room.command(f"/api/memory/{old}/retract")
    await expect(form.get_by_role("status")).to_contain_text("This memory was retracted meanwhile.")
    await expect(memory(page, "Lunch at noon")).to_have_count(0)
    await form.get_by_role("button", name="Remember").click()
    await expect(memory(page, "Lunch at one")).to_be_focused()
    assert versions(room, "Lunch") == [("Lunch at noon", "retracted"), ("Lunch at one", "active")]


async def test_a_list_that_could_not_be_read_says_so_and_is_read_when_the_room_is_back(
    page: Page, room: RunningRoom
) -> None:
    kept(room, "Read at last")
    await page.route("**/api/memory?*", lambda route: route.abort())
    await page.reload()
    await expect(in_room_memory(page).get_by_role("alert")).to_contain_text("GroupX did not answer.")
    await expect(in_room_memory(page).get_by_text("Loading…")).to_be_hidden()
    await page.unroute("**/api/memory?*")
    await in_room_memory(page).get_by_role("button", name="Load again").click()
    await expect(memory(page, "Read at last")).to_be_visible()
    await expect(in_room_memory(page).get_by_role("alert")).to_be_hidden()


async def test_a_refusal_names_its_code_and_keeps_the_text(page: Page) -> None:
    await in_room_memory(page).get_by_role("button", name="Add").click()
    form = in_room_memory(page).locator(".record-form")
    await form.get_by_role("button", name="Remember").click()
    await expect(form.get_by_role("alert")).to_contain_text("Write down first what is to be remembered.")
    await fill(form, "x" * 131_073)
    await form.get_by_role("button", name="Remember").click()
    await expect(form.locator(".code")).to_have_text("MESSAGE_TOO_LARGE")
    assert len(await form.get_by_label("What to remember").input_value()) == 131_073


async def test_standing_orders_come_first_the_rest_newest_first_and_pages_follow(page: Page, room: RunningRoom) -> None:
    kept(room, "Sorted: an instruction", "instruction")
    for number in range(22):
        kept(room, f"Sorted: number {number:02}")
    records = in_room_memory(page).locator(".record")
    await expect(memory(page, "Sorted: number 21")).to_be_visible()
    texts = await records.locator(".record-text").all_text_contents()
    assert texts.index("Sorted: an instruction") < texts.index("Sorted: number 21") < texts.index("Sorted: number 20")
    await expect(memory(page, "Sorted: number 00")).to_have_count(0)
    while await in_room_memory(page).get_by_role("button", name="Show more").is_visible():
        count = await records.count()
        await in_room_memory(page).get_by_role("button", name="Show more").click()
        await expect(records.nth(count)).to_be_visible()
    await expect(memory(page, "Sorted: number 00")).to_be_visible()

    search = in_room_memory(page).get_by_role("searchbox")
    await search.fill("NUMBER 07")
    await expect(records).to_have_count(1)
    await expect(records).to_contain_text("Sorted: number 07")
    await search.fill("nowhere to be found")
    await expect(in_room_memory(page).get_by_text("Nothing found.").last).to_be_visible()
    await search.fill("")
    await expect(records.nth(1)).to_be_visible()


async def test_hostile_text_is_only_text(page: Page, room: RunningRoom) -> None:
    kept(room, HOSTILE)
    await expect(memory(page, HOSTILE)).to_be_visible()
    await memory(page, HOSTILE).get_by_role("button", name="Replace").click()
    await expect(in_room_memory(page).get_by_label("What to remember")).to_have_value(HOSTILE)
    assert await in_room_memory(page).locator("img, script").count() == 0
    assert "owned" not in await page.title()


async def test_what_an_agent_keeps_while_it_works_is_there_at_once_with_its_name(page: Page) -> None:
    keeps = do(
        "remember it", n="1", steps=[call("memory_remember", kind="decision", content=f"The agents say {HOSTILE}")]
    )
    await write(page, keeps, "Reviewer")
    record = memory(page, "The agents say")
    await expect(record.locator(".record-text")).to_have_text(f"The agents say {HOSTILE}")
    await expect(record.locator(".record-about")).to_contain_text("Decision · Reviewer")
    notice = page.locator(".notice-row", has_text="Reviewer remembered something for the room.")
    await expect(notice.locator(".notice-more")).to_be_hidden()
    assert await record.locator("img, script").count() == 0


async def test_a_message_is_pinned_with_where_it_came_from_also_on_a_small_screen(
    page: Page, room: RunningRoom
) -> None:
    await page.set_viewport_size({"width": 360, "height": 740})
    await write(page, f"Pin this {HOSTILE}", "Builder")
    entry = page.locator('.entry[data-kind="message"]', has_text="Pin this")
    await entry.get_by_role("button", name="Pin to memory").click()
    form = in_room_memory(page).locator(".record-form")
    await expect(form.get_by_label("What to remember")).to_be_focused()
    await expect(form.get_by_label("What to remember")).to_have_value(f"Pin this {HOSTILE}")
    await expect(form.locator(".record-source")).to_contain_text("You: Pin this")
    await form.get_by_role("button", name="Remember").click()
    record = memory(page, "Pin this")
    await expect(record).to_be_focused()
    await expect(page.locator("body")).to_have_attribute("data-roster", "open")
    await record.get_by_role("button", name="Retract").click()  # what is pressed goes away, the panel stays
    await record.get_by_role("button", name="Keep").click()
    await expect(page.locator("body")).to_have_attribute("data-roster", "open")
    event_id = await entry.get_attribute("data-event-id")
    [pinned] = room.get("/api/memory?q=Pin this".replace(" ", "%20"))["items"]
    assert pinned["sourceEventId"] == event_id
    assert await page.evaluate(
        "document.querySelector('.roster').scrollWidth <= document.querySelector('.roster').clientWidth"
    )
