"""The setup page of a room that runs: what is wrong beside its field, a hello, saving, the restart (our contract)."""

import json
import shutil
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.running_room import RunningRoom, scripted

from .conftest import WAIT_MS
from .steps import has_several_lines, write
from .test_chinese import STICKING_OUT

expect.set_options(timeout=WAIT_MS)


@pytest.fixture
def edited(tmp_path: Path) -> Iterator[RunningRoom]:
    """A room whose configuration a test may change."""
    room = RunningRoom(tmp_path, {"puppet": scripted("puppet", tmp_path)}, limits={"hopCount": 7})
    try:
        yield room.start()
    finally:
        room.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def setup(browser: Browser, edited: RunningRoom) -> AsyncIterator[Page]:
    """The page, loaded. A script that fails on it fails the test."""
    context = await browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 900})
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    await opened(page, edited)
    yield page
    await context.close()
    assert errors == []


async def opened(page: Page, room: RunningRoom) -> None:
    await page.goto(f"{room.url}/setup")
    await page.locator('body[aria-busy="false"]').wait_for()


def card(page: Page, name: str) -> Locator:
    return page.get_by_role("article").filter(has=page.locator(".setup-agent-name", has_text=name))


def field(card: Locator, label: str) -> Locator:
    return card.get_by_label(label, exact=True)


def button(place: Page | Locator, name: str) -> Locator:
    return place.get_by_role("button", name=name, exact=True)


def configuration(room: RunningRoom) -> Any:
    return json.loads((room.folder / "groupx.json").read_text())


async def add_double(page: Page, room: RunningRoom) -> Locator:
    """A second scripted agent, as a person adds it: any agent that speaks ACP."""
    program = room.folder / "double-cli"
    command = configuration(room)["agents"]["puppet"]["command"]
    program.write_text(f'#!/bin/sh\nexec "{command["executable"]}" "{command["prefixArgs"][0]}" "$@"\n')
    program.chmod(0o700)
    await page.locator(".setup-missing-title").click()
    await button(page, "Add an agent of Another agent (ACP)").click()
    added = page.get_by_role("article").last
    await expect(field(added, "Name")).to_be_focused()
    await field(added, "Name").fill("Double")
    await expect(field(added, "Id")).to_have_value("double")
    await field(added, "Program").fill(str(program))
    return added


async def test_what_is_wrong_stands_beside_its_field_and_is_read_with_it(setup: Page, edited: RunningRoom) -> None:
    puppet = card(setup, "Puppet")
    folder = field(puppet, "Folder")
    await folder.fill("nowhere")
    sentence = f"The folder “{edited.folder / 'nowhere'}” does not exist."
    await expect(folder).to_have_accessible_description(sentence)
    await expect(folder).to_have_attribute("aria-invalid", "true")
    await expect(setup.locator(".setup-bar-words")).to_have_text("1 field needs a look.")

    before = (edited.folder / "groupx.json").read_bytes()
    await field(puppet, "Name").focus()
    await button(setup, "Save").click()
    await expect(folder).to_be_focused()
    assert (edited.folder / "groupx.json").read_bytes() == before

    await folder.fill("puppet")
    await expect(folder).not_to_have_attribute("aria-invalid", "true")
    await field(puppet, "Id").fill("assistant")
    await expect(field(puppet, "Id")).to_have_accessible_description("This id is reserved for the assistant.")
    await setup.get_by_label("Port").fill("")
    await expect(setup.get_by_label("Port")).to_have_accessible_description("A number from 1 to 65535.")
    await expect(setup.locator(".setup-bar-words")).to_have_text("2 fields need a look.")


async def test_nothing_moves_when_a_field_becomes_wrong_and_right_again(setup: Page, edited: RunningRoom) -> None:
    puppet = card(setup, "Puppet")
    await expect(field(puppet, "Name")).to_have_value("Puppet")
    places = "() => [...document.querySelectorAll('.setup-input')].map((field) => field.getBoundingClientRect().top)"
    before = await setup.evaluate(places)
    await field(puppet, "Id").fill("")
    await expect(field(puppet, "Id")).to_have_accessible_description("Fill this in.")
    assert await setup.evaluate(places) == before


async def test_a_hello_shows_the_agents_own_words_and_is_outdated_by_a_change(setup: Page, edited: RunningRoom) -> None:
    puppet = card(setup, "Puppet")
    await button(puppet, "Say hello").click()
    await expect(puppet.locator(".setup-trial-words")).to_contain_text("Answered in")
    await expect(puppet.locator(".setup-trial-answer")).to_have_text("ok")
    await expect(puppet.locator(".setup-trial-stale")).to_be_hidden()
    await field(puppet, "Program").fill("/nowhere/cli")
    await expect(puppet.locator(".setup-trial-stale")).to_be_visible()
    await button(puppet, "Say hello again").click()
    await expect(puppet.locator(".setup-trial-words")).to_contain_text("The command “/nowhere/cli” was not found.")
    await expect(puppet.locator(".code").last).to_have_text("COMMAND_NOT_FOUND")


async def test_an_agent_is_added_waits_for_the_restart_and_answers_after_it(setup: Page, edited: RunningRoom) -> None:
    room = await setup.context.new_page()
    await room.goto(edited.url)
    await room.locator(".chip").first.wait_for()

    await add_double(setup, edited)
    await button(setup, "Save").click()
    await expect(setup.locator(".setup-bar-words")).to_contain_text("until it is restarted")
    saved = configuration(edited)
    assert saved["limits"] == {"hopCount": 7} and list(saved["agents"]) == ["puppet", "double"]
    assert (edited.folder / "groupx.json.bak").is_file()

    waiting = room.get_by_role("region", name="Waiting for a restart")
    await expect(waiting.locator(".pending-name")).to_have_text("Double")
    await expect(waiting.locator(".pending-what")).to_have_text("acp · joins with the restart")
    await button(waiting, "Restart the room").click()
    await expect(waiting).to_be_hidden()
    await button(room, "Double").wait_for()
    [turn] = await write(room, "hello", "Double")
    await expect(turn.locator(".entry-text")).to_have_text("ok")


async def test_the_page_restarts_the_room_and_leads_to_it(setup: Page, edited: RunningRoom) -> None:
    await field(card(setup, "Puppet"), "Name").fill("Marionette")
    await button(setup, "Save").click()
    await button(setup, "Restart the room").click()
    await setup.wait_for_url(f"{edited.url}/")
    await expect(setup.locator(".agent-name")).to_have_text("Marionette")


async def test_a_file_that_is_broken_meanwhile_is_said_and_not_written_over(setup: Page, edited: RunningRoom) -> None:
    path = edited.folder / "groupx.json"
    shutil.copy(path, edited.folder / "good.json")
    path.write_text('{"agents": ')
    await opened(setup, edited)
    await expect(setup.locator(".setup-bar-words")).to_contain_text("groupx.json")
    await expect(button(setup, "Save")).to_be_disabled()


async def test_nothing_sticks_out_on_a_small_screen(setup: Page, edited: RunningRoom) -> None:
    await setup.set_viewport_size({"width": 390, "height": 844})
    await add_double(setup, edited)
    await setup.get_by_label("Have an assistant of my own").check()
    assert await setup.evaluate(STICKING_OUT) == []
    assert not await has_several_lines(button(setup, "Save"))
