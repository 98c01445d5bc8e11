"""Memory whose saving failed is sent again, by the person or by itself, and kept once (our contract: docs/memory.md,
"On the page")."""

from collections.abc import Iterator

import pytest
from playwright.async_api import Locator, Page, Request, Route, expect

from tests.running_room import RunningRoom, scripted

from .steps import in_room_memory, memory, server_down

UNSURE = "GroupX did not answer. Is it still running? Your text is kept here and is saved when the room answers again."


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("sending-again")
    room = RunningRoom(folder, {"builder": scripted("builder", folder)})
    try:
        yield room.start()
    finally:
        room.stop()


class LostAnswers:
    """Requests that reach the room, whose answers do not reach the page."""

    def __init__(self) -> None:
        self.asked: list[Request] = []

    async def __call__(self, route: Route) -> None:
        self.asked.append(route.request)
        await route.fetch()
        await route.abort()


async def writing(page: Page, text: str) -> Locator:
    """The form, filled in and not yet sent."""
    await in_room_memory(page).get_by_role("button", name="Add").click()
    form = in_room_memory(page).locator(".record-form")
    await form.get_by_label("What to remember").fill(text)
    return form


async def test_what_got_no_answer_is_sent_again_with_the_same_id_and_kept_once(page: Page) -> None:
    lost = LostAnswers()
    await page.route("**/api/memory", lost)
    form = await writing(page, "Tea is at four")
    await form.get_by_role("button", name="Remember").click()
    await expect(form.get_by_role("alert")).to_contain_text(UNSURE)
    await expect(form.get_by_label("What to remember")).to_have_value("Tea is at four")
    await page.unroute("**/api/memory")
    async with page.expect_request("**/api/memory") as again:
        await form.get_by_role("button", name="Remember").click()
    await expect(form).to_have_count(0)
    await expect(memory(page, "Tea is at four")).to_have_count(1)
    assert [request.post_data_json for request in lost.asked] == [(await again.value).post_data_json]


async def test_what_got_no_answer_keeps_its_id_over_a_reload(page: Page) -> None:
    await page.route("**/api/memory", LostAnswers())
    form = await writing(page, "Said once")
    await form.get_by_role("button", name="Remember").click()
    await expect(form.get_by_role("alert")).to_contain_text("GroupX did not answer.")
    await page.unroute("**/api/memory")
    await page.reload()
    await form.get_by_role("button", name="Remember").click()
    await expect(form).to_have_count(0)
    await expect(memory(page, "Said once")).to_have_count(1)


async def test_what_a_busy_room_could_not_keep_is_sent_again_by_itself(page: Page) -> None:
    asked: list[Request] = []

    async def refuse_the_first(route: Route) -> None:
        asked.append(route.request)
        busy = {"error": {"code": "STORE_UNAVAILABLE", "message": "Busy."}}
        await (route.fulfill(status=503, json=busy) if len(asked) == 1 else route.continue_())

    await page.route("**/api/memory", refuse_the_first)
    form = await writing(page, "The lift is out of order")
    await form.get_by_role("button", name="Remember").click()
    await expect(form.get_by_role("alert")).to_contain_text("is saved when the room answers again")
    await expect(memory(page, "The lift is out of order")).to_have_count(1)
    assert asked[0].post_data_json == asked[1].post_data_json


async def test_what_could_not_be_sent_goes_out_when_the_room_is_back(page: Page, room: RunningRoom) -> None:
    form = await writing(page, "Back-ups run at night")
    await form.get_by_label("Kind").select_option(label="Constraint")
    with server_down(room):
        await form.get_by_role("button", name="Remember").click()
        await expect(form.get_by_role("alert")).to_contain_text(UNSURE)
        await page.get_by_role("textbox", name="Message").focus()
    await expect(memory(page, "Back-ups run at night").locator(".record-kind")).to_have_text("Constraint")
    await expect(form).to_have_count(0)
    await expect(page.get_by_role("textbox", name="Message")).to_be_focused()  # who writes on is not carried off
