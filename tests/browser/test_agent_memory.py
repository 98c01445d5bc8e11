"""What an agent keeps for itself, opened from its card (our contract: docs/memory.md, "On the page")."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from datetime import UTC, date, datetime, timedelta

import pytest
from playwright.async_api import Locator, Page, expect

from tests.running_room import RunningRoom, scripted

from .steps import memory

CORE = {"scope": {"type": "agent", "id": "agent:builder"}, "agentMemoryType": "core", "kind": "fact"}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("knowing")
    room = RunningRoom(folder, {name: scripted(name, folder) for name in ("builder", "reviewer")})
    try:
        yield room.start()
    finally:
        room.stop()


def dated(room: RunningRoom, day: date, content: str) -> None:
    """As the agent writes it when the day is over, in the shape of a core memory that is there."""
    like = room.command("/api/memory", **{**CORE, "content": "the shape"})[1]["memoryId"]
    database = room.folder / ".groupx" / "groupx.db"
    with closing(sqlite3.connect(database, timeout=30)) as connection, connection:
        columns = [name for _, name, *_ in connection.execute("PRAGMA table_info(memory_memoryrecord)")]
        changed = {
            "record_id": f"mem_{day}",
            "agent_memory_type": "dated",
            "day": day.isoformat(),
            "author_id": "agent:builder",
            "content": content,
            "created_at": f"{day} 12:00:00",
        }
        copied = [name for name in columns if name not in {"id", *changed}]
        names, values = ", ".join([*copied, *changed]), ", ".join([*copied, *("?" * len(changed))])
        connection.execute(
            f"INSERT INTO memory_memoryrecord ({names}) SELECT {values} FROM memory_memoryrecord WHERE record_id = ?",
            [*changed.values(), like],
        )


def card_of(page: Page, name: str) -> Locator:
    return page.locator(f'.agent[data-actor-id="agent:{name}"]')


async def opened(page: Page, name: str) -> Locator:
    """With the keyboard alone."""
    summary = card_of(page, name).locator(".agent-summary")
    if not await card_of(page, name).get_by_role("button", name="Memory").is_visible():
        await summary.focus()
        await page.keyboard.press("Enter")
    await card_of(page, name).get_by_role("button", name="Memory").focus()
    await page.keyboard.press("Enter")
    return page.get_by_role("dialog")


async def test_core_memory_is_added_replaced_and_retracted_in_the_agents_own_dialog(
    page: Page, room: RunningRoom
) -> None:
    dialog = await opened(page, "builder")
    await expect(dialog.get_by_role("heading", name="Memory of Builder")).to_be_visible()
    await dialog.get_by_role("button", name="Add").click()
    await page.keyboard.type("Merges alone")
    await dialog.get_by_label("Kind").select_option(label="Instruction")
    await dialog.get_by_role("button", name="Remember").click()
    await expect(memory(dialog, "Merges alone").locator(".record-about")).to_contain_text("Instruction · You")
    await memory(dialog, "Merges alone").get_by_role("button", name="Replace").click()
    await page.keyboard.press("Control+A")
    await page.keyboard.type("Merges with Reviewer")
    await page.keyboard.press("Control+Enter")
    await expect(memory(dialog, "Merges with Reviewer")).to_be_focused()
    [item] = room.get("/api/memory?scopeType=agent&scopeId=agent:builder")["items"]
    assert (item["agentMemoryType"], item["subjectActorId"], item["kind"]) == ("core", "agent:builder", "instruction")

    await memory(dialog, "Merges with Reviewer").get_by_role("button", name="Retract").click()
    await page.keyboard.press("Escape")  # the question goes away, the dialog stays
    await memory(dialog, "Merges with Reviewer").get_by_role("button", name="Retract").click()
    await dialog.get_by_role("group", name="Retract this memory?").get_by_role("button", name="Retract").click()
    await expect(dialog.locator(".record")).to_have_count(0)
    await page.keyboard.press("Escape")
    await expect(dialog).to_be_hidden()
    await expect(card_of(page, "builder").get_by_role("button", name="Memory")).to_be_focused()


async def test_each_agent_shows_its_own_and_keeps_what_was_begun(page: Page, room: RunningRoom) -> None:
    room.command("/api/memory", content="Of Builder alone", **CORE)
    dialog = await opened(page, "builder")
    await expect(memory(dialog, "Of Builder alone")).to_be_visible()
    await dialog.get_by_role("button", name="Add").click()
    await page.keyboard.type("Not finished")
    await dialog.get_by_role("button", name="Close").click()
    dialog = await opened(page, "reviewer")
    await expect(dialog.get_by_role("heading", name="Memory of Reviewer")).to_be_visible()
    await expect(dialog.locator(".record")).to_have_count(0)
    await page.keyboard.press("Escape")
    dialog = await opened(page, "builder")
    await expect(dialog.get_by_label("What to remember")).to_have_value("Not finished")


async def test_an_open_dialog_follows_what_others_do_while_the_agents_card_changes(
    page: Page, room: RunningRoom
) -> None:
    dialog = await opened(page, "builder")
    memory_id = room.command("/api/memory", content="Heard elsewhere", **CORE)[1]["memoryId"]
    await expect(memory(dialog, "Heard elsewhere")).to_be_visible()
    room.command(f"/api/memory/{memory_id}/supersede", content="Heard again")
    await expect(memory(dialog, "Heard again")).to_be_visible()
    await expect(memory(dialog, "Heard elsewhere")).to_have_count(0)
    room.command("/api/messages", content="work", to=["agent:builder"])
    await expect(page.locator('.entry[data-kind="turn"]')).to_have_attribute("data-status", "completed")
    await expect(memory(dialog, "Heard again")).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(card_of(page, "builder").get_by_role("button", name="Memory")).to_be_focused()


async def test_dated_memory_stands_under_its_days_and_can_only_be_retracted(page: Page, room: RunningRoom) -> None:
    today = datetime.now(UTC).date()
    newer, older = today - timedelta(days=2), today - timedelta(days=3)
    dated(room, newer, "The lexer is done.")
    dated(room, older, "The parser is begun.")  # written last
    dialog = await opened(page, "builder")
    section = dialog.get_by_role("region", name="Dated memory")
    await expect(section.locator("li")).to_have_count(4)
    shown = await section.locator("li").all_inner_texts()
    for text, wanted in zip(
        shown,
        (f"{newer.day} {newer:%B}", "The lexer is done.", f"{older.day} {older:%B}", "The parser is begun."),
        strict=True,
    ):
        assert wanted in text
    await expect(section.locator(".record-about").first).to_contain_text("Builder")
    await expect(section.get_by_role("button", name="Replace")).to_have_count(0)
    await expect(section.get_by_role("button", name="Add")).to_have_count(0)
    await memory(section, "The lexer").get_by_role("button", name="Retract").click()
    await section.get_by_role("group").get_by_role("button", name="Retract").click()
    await expect(section.locator("li")).to_have_count(2)
    await expect(memory(section, "The parser")).to_be_focused()
