"""What agents are given, before a message is sent and after, in a real browser (our contract: docs/context.md)."""

import json
from typing import Any

from playwright.async_api import Locator, Page, Route, expect

from tests.running_room import RunningRoom

from .steps import held, stop, write

HOSTILE = "<script>document.title='owned'</script> **bold** <img src=x onerror=\"document.title='owned'\">"
HARD_LIMIT = 256_000
LONG = (
    f"[groupx_protocol]\nschema=1\n\n[room_delta_since_cursor]\n{'> a line of it\n' * 17_000}\n[current_message]\nGo."
)


def dialog(page: Page) -> Locator:
    return page.locator("dialog.packet")


def section(page: Page, name: str) -> Locator:
    return dialog(page).locator(".packet-section", has=page.locator("code", has_text=name))


async def draft(page: Page, text: str, *names: str) -> None:
    for name in names:
        await page.locator(".chip", has_text=name).click()
    await page.get_by_role("textbox", name="Message").fill(text)


async def answer_previews(page: Page, **agents: dict[str, Any]) -> list[dict[str, Any]]:
    """What the room answers when asked what these agents would be given; gives what it was asked."""
    asked: list[dict[str, Any]] = []

    async def answer(route: Route) -> None:
        asked.append(route.request.post_data_json)
        whole = {"omissions": {}, "needsCompaction": False, "text": "", "characters": 0}
        given = [{"actorId": f"agent:{name}", **whole, **packet} for name, packet in agents.items()]
        await route.fulfill(json={"agents": given})

    await page.route("**/api/preview", answer)
    return asked


# ---------------------------------------------------------------- after
async def test_a_turn_shows_what_its_agent_was_given_and_the_keyboard_comes_back(page: Page, room: RunningRoom) -> None:
    title = await page.title()
    [turn] = await write(page, HOSTILE, "Scribe")
    await expect(turn).to_have_attribute("data-status", "completed")
    button = turn.get_by_role("button", name="What it was given")
    await button.focus()
    await page.keyboard.press("Enter")

    await expect(page.get_by_role("dialog", name="What Scribe was given")).to_be_visible()
    turn_id = await turn.get_attribute("data-turn-id")
    packet = room.get(f"/api/turns/{turn_id}/packet")["text"]
    await expect(dialog(page).locator(".packet-size")).to_have_text(f"{len(packet):,} of at most 256,000 characters")
    message = section(page, "current_message").locator(".packet-text")
    assert (await message.inner_text()).endswith(HOSTILE)
    await expect(section(page, "groupx_protocol")).to_contain_text("About the room and this turn")
    await expect(section(page, "groupx_protocol").locator(".packet-text")).to_be_hidden()
    assert await dialog(page).locator("img, script").count() == 0
    assert await page.title() == title

    await page.keyboard.press("Escape")
    await expect(dialog(page)).to_be_hidden()
    await expect(button).to_be_focused()


async def test_all_of_it_is_copied_as_it_is(page: Page, room: RunningRoom) -> None:
    await page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    [turn] = await write(page, "To be copied: fail\n\n[groupx_protocol]\n", "Scribe")
    await turn.hover()
    await turn.get_by_role("button", name="What it was given").click()
    await dialog(page).get_by_role("button", name="Copy all").click()
    await expect(dialog(page)).to_contain_text("Copied")
    packet = room.get(f"/api/turns/{await turn.get_attribute('data-turn-id')}/packet")["text"]
    assert await page.evaluate("navigator.clipboard.readText()") == packet


async def test_a_turn_that_waits_offers_nothing_and_one_without_a_packet_says_so(page: Page) -> None:
    [running] = await write(page, held("Count"), "Puppet")
    [waiting] = await write(page, "I wait", "Puppet")
    await expect(waiting).to_have_attribute("data-status", "queued")
    await expect(waiting.get_by_role("button", name="What it was given")).to_be_hidden()
    await expect(running.locator(".entry-text")).to_contain_text("20")
    problem = {"error": {"code": "NOT_FOUND", "message": "Nothing was sent to an agent for this turn."}}
    await page.route("**/packet", lambda route: route.fulfill(status=404, json=problem))
    await running.hover()
    await running.get_by_role("button", name="What it was given").click()
    await expect(dialog(page)).to_contain_text("Nothing has been sent to the agent for this turn yet.")
    await page.keyboard.press("Escape")
    await stop(waiting)
    await stop(running)


# ---------------------------------------------------------------- before
async def test_a_preview_has_a_tab_for_each_recipient_and_says_what_each_lacks(page: Page) -> None:
    asked = await answer_previews(
        page,
        scribe={"text": "[current_message]\nHm", "characters": 20, "omissions": {"roomDelta": 12, "coreMemory": 3}},
        puppet={
            "text": "[current_message]\nHm",
            "characters": 20,
            "omissions": {"roomDelta": 4},
            "needsCompaction": True,
        },
        reviewer={
            "text": None,
            "problem": {"code": "CONTEXT_BUDGET_EXCEEDED", "message": "Too long for agent:reviewer."},
        },
    )
    await draft(page, "Hm", "everyone")
    button = page.get_by_role("button", name="What will they see?")
    await button.click()
    assert asked == [{"to": ["@all"], "content": "Hm"}]

    scribe, puppet, reviewer = (dialog(page).get_by_role("tab", name=name) for name in ("Scribe", "Puppet", "Reviewer"))
    await expect(scribe).to_have_attribute("aria-selected", "true")
    await expect(dialog(page).locator("li")).to_have_text(
        ["12 older messages are left out.", "3 of its core memories are not in it."]
    )
    await scribe.focus()
    await page.keyboard.press("ArrowRight")
    await expect(puppet).to_be_focused()
    await expect(dialog(page).get_by_role("tabpanel", name="Puppet")).to_contain_text("They will be summed up first")
    await expect(dialog(page).locator("li")).to_have_count(0)
    await page.keyboard.press("End")
    await expect(reviewer).to_be_focused()
    await expect(dialog(page).get_by_role("status").first).to_contain_text("Too long for Reviewer.")
    await expect(dialog(page)).to_contain_text("CONTEXT_BUDGET_EXCEEDED")
    await expect(dialog(page).locator(".packet-section")).to_have_count(0)
    await page.keyboard.press("ArrowRight")
    await expect(scribe).to_be_focused()

    await dialog(page).get_by_role("button", name="Close").click()
    await expect(button).to_be_focused()
    await expect(page.get_by_role("textbox", name="Message")).to_have_value("Hm")


async def test_what_is_missing_for_a_preview_and_what_goes_wrong_is_said(page: Page) -> None:
    button, problem = page.get_by_role("button", name="What will they see?"), page.locator(".composer-problem")
    await button.click()
    await expect(problem).to_have_text("Pick at least one agent, or everyone.")
    await draft(page, "  ", "Scribe")
    await button.click()
    await expect(problem).to_have_text("Write the message first: what they see depends on it.")
    await expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    await expect(dialog(page)).to_be_hidden()

    await page.route("**/api/preview", lambda route: route.abort())
    await page.get_by_role("textbox", name="Message").fill("Hm")
    await button.click()
    await expect(dialog(page)).to_contain_text("GroupX did not answer. Is it still running?")


async def test_a_long_section_is_put_into_the_page_when_it_is_opened(page: Page) -> None:
    await answer_previews(page, scribe={"text": LONG, "characters": len(LONG)})
    await draft(page, "Hm", "Scribe")
    await page.get_by_role("button", name="What will they see?").click()
    long = section(page, "room_delta_since_cursor")
    await expect(long).to_contain_text("Said in the room since it was last told")
    assert HARD_LIMIT - 1_000 < len(LONG) < HARD_LIMIT
    await expect(long.locator(".packet-text")).to_be_empty()
    await long.locator("summary").focus()
    await page.keyboard.press("Enter")
    text = await long.locator(".packet-text").evaluate(
        "box => [...box.children].map((each) => each.textContent).join('\\n')"
    )
    assert text == LONG.partition("cursor]\n")[2].partition("\n\n[current")[0]


async def test_the_dialog_fits_a_phone(page: Page) -> None:
    await page.set_viewport_size({"width": 360, "height": 640})
    word = "w" * 4_000
    await answer_previews(page, **{name: {"text": f"[current_message]\n{word}"} for name in ("scribe", "puppet")})
    await draft(page, word, "everyone")
    await page.get_by_role("button", name="What will they see?").click()
    await expect(section(page, "current_message")).to_contain_text("www")
    box = await dialog(page).bounding_box()
    assert box is not None and box["width"] == 360 and box["height"] == 640
    body = dialog(page).locator(".packet-body")
    assert await body.evaluate("body => body.scrollWidth <= body.clientWidth")
    await expect(dialog(page).get_by_role("button", name="Close")).to_be_in_viewport(ratio=1)


async def test_looking_sends_nothing_and_shows_what_is_then_given(page: Page, room: RunningRoom) -> None:
    await write(page, "Something said before: fail", "Scribe")
    before = room.get("/api/bootstrap")["cursor"]
    await draft(page, f"A draft. {HOSTILE}", "Puppet", "Double")
    await page.get_by_role("button", name="What will they see?").click()
    await expect(dialog(page).get_by_role("tab")).to_have_text(["Scribe", "Puppet", "Double"])
    await dialog(page).get_by_role("tab", name="Double").click()
    said = section(page, "room_delta_since_cursor").locator("summary")
    await expect(said).to_be_visible()
    await expect(section(page, "current_message").locator(".packet-text")).not_to_be_empty()
    message = await section(page, "current_message").locator(".packet-text").inner_text()
    assert message.endswith(f"\nA draft. {HOSTILE}")
    await page.keyboard.press("Escape")
    assert all(
        event["type"] != "message.created"
        for event in room.get("/api/bootstrap")["recentEvents"]
        if event["seq"] > before
    )


# ---------------------------------------------------------------- observers
async def test_a_message_is_watched_by_whom_the_reader_picks_and_the_next_one_by_nobody(page: Page) -> None:
    button = page.get_by_role("button", name="Have it watched")
    row = page.get_by_role("group", name="Observers")
    await expect(row).to_be_hidden()
    await draft(page, "", "Scribe")
    await button.focus()
    await page.keyboard.press("Enter")
    await expect(button).to_have_attribute("aria-expanded", "true")
    await expect(row.get_by_role("button", name="Scribe")).to_be_hidden()
    await row.get_by_role("button", name="Reviewer").click()
    await page.reload()
    await expect(row.get_by_role("button", name="Reviewer")).to_have_attribute("aria-pressed", "true")

    async with page.expect_request("**/api/messages") as sending:
        await write(page, "Under good eyes", "Scribe")
    sent = json.loads((await sending.value).post_data or "")
    assert sent["supervision"] == {"observers": ["agent:reviewer"], "mode": "live_steer"}
    await expect(page.locator(".notice-words", has_text="Observers of Scribe: Reviewer").last).to_be_visible()
    await expect(row).to_be_hidden()

    await button.click()
    await row.get_by_role("button", name="Reviewer").click()
    await button.click()
    await expect(row).to_be_hidden()
    async with page.expect_request("**/api/messages") as sending:
        await write(page, "Under no eyes", "Scribe")
    assert "supervision" not in json.loads((await sending.value).post_data or "")
