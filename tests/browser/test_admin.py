"""The admin in a real browser: in by the link of the start, then a turn followed to what the agent was given."""

import re

from playwright.async_api import Browser, Page, expect

from tests.running_room import RunningRoom

from .conftest import WAIT_MS
from .steps import held

expect.set_options(timeout=WAIT_MS)

PRINTED = re.compile(r"^Admin .*: (http://127\.0\.0\.1:\d+/admin/sign-in/\?token=\S+)$", re.M)


async def follow(page: Page, row: str, words: str | re.Pattern[str]) -> None:
    """Click the first link of a row of the page that is open."""
    await page.locator(f".field-{row}").get_by_role("link", name=words).first.click()


def watched(page: Page) -> list[str]:
    """What scripts, or the policy, complain about."""
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if message.type == "error" else None)
    return errors


async def test_a_turn_is_followed_from_its_event_to_what_the_agent_was_given(
    browser: Browser, room: RunningRoom
) -> None:
    turn_id = room.turn(room.send("scribe", content="Please follow this one"))
    room.until_turn(turn_id, "completed")
    links = PRINTED.findall(room.log())
    context = await browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    errors = watched(page)

    await page.goto(links[-1])
    await expect(page.get_by_role("heading", name="The room at a glance")).to_be_visible()
    await expect(page.get_by_role("row", name="Scribe")).to_contain_text("idle")
    assert "token" not in page.url

    await page.get_by_role("link", name="Events").click()
    await page.get_by_label("Search").fill("Please follow this one")
    await page.get_by_role("button", name="Search").click()
    await expect(page.locator("tbody tr")).to_have_count(2)  # the message, and the answer that repeats it
    await page.locator("tbody tr", has_text="message.created").last.locator("th a").click()
    await expect(page.locator(".gx-text")).to_contain_text("Please follow this one")

    await follow(page, "turns", turn_id)
    await expect(page.locator(".field-status")).to_contain_text("completed")
    await follow(page, "attempts", re.compile("^att_"))
    await expect(page.locator(".field-delivery_certainty")).to_contain_text("delivered")
    await follow(page, "packet", re.compile("^att_"))
    await expect(page.locator(".field-text .gx-text")).to_contain_text("Please follow this one")
    await follow(page, "binding", re.compile("^bind_"))
    await follow(page, "instance", re.compile("^inst_"))
    await expect(page.locator(".field-agent_name")).to_contain_text("groupx-demo")

    other = await browser.new_context()
    again = await (await other.new_page()).goto(links[-1])
    assert again is not None and again.status == 403, "the link works once"
    await other.close()
    await context.close()
    assert errors == []


async def test_the_rooms_page_leads_into_the_admin_and_an_action_cancels_a_turn(page: Page, room: RunningRoom) -> None:
    errors = watched(page)
    turn_id = room.turn(room.send("puppet", content=held("Count")))
    room.until_turn(turn_id, "running")

    await page.get_by_role("button", name="Admin").click()
    await expect(page.get_by_role("heading", name="The room at a glance")).to_be_visible()
    await page.get_by_role("link", name="Turns", exact=True).click()
    await page.locator("tbody tr", has_text=turn_id).get_by_role("checkbox").check()
    await page.get_by_label("Action:").select_option("cancel_turns")
    await page.get_by_role("button", name="Run").click()
    await page.get_by_role("button", name="Yes, do it").click()

    await expect(page.locator(".messagelist")).to_contain_text(f"{turn_id}: is cancelling")
    room.until_turn(turn_id, "cancelled")
    await page.get_by_role("button", name="Sign out").click()
    await expect(page.get_by_role("heading", name="Sign in with a link")).to_be_visible()
    assert errors == []


async def test_the_admin_fits_a_phone(browser: Browser, room: RunningRoom) -> None:
    context = await browser.new_context(locale="en-GB", viewport={"width": 360, "height": 740}, color_scheme="dark")
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    path = room.request("POST", "/api/admin/sign-in", {})[1]["path"]
    await page.goto(f"{room.url}{path}")
    for address in ("/admin/", "/admin/rooms/event/", "/admin/turns/lane/"):
        await page.goto(f"{room.url}{address}")
        assert await page.evaluate("document.documentElement.scrollWidth <= innerWidth"), address
    await context.close()
