"""A real room and a real Chromium looking at it.

The demo's agents (Builder, Reviewer, Scribe) go at their own pace and are soon done. Puppet and Double do step by step
what a message tells them (tests/fakes/agent_cli.py): what a test does during a turn, it does with them.
"""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, async_playwright

from groupx.demo_room import demo_configuration
from tests.running_room import RunningRoom, scripted

CHROMIUM = Path(os.environ.get("GROUPX_CHROMIUM", "/usr/bin/chromium"))
WAIT_MS = 30_000
"""How long a page may take to show something; a slow machine is no failure."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    for item in here:
        item.add_marker(pytest.mark.browser)
        item.add_marker(pytest.mark.asyncio(loop_scope="module"), append=False)  # that of the browser
        if not CHROMIUM.exists():
            item.add_marker(pytest.mark.skip(reason=f"no Chromium at {CHROMIUM} (GROUPX_CHROMIUM names another)"))


@pytest.fixture(scope="session")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("room")
    agents = demo_configuration()["agents"]
    for agent in agents.values():
        (folder / agent["cwd"]).mkdir()
    room = RunningRoom(folder, {**agents, **{name: scripted(name, folder) for name in ("puppet", "double")}})
    try:
        yield room.start()
    finally:
        room.stop()


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def browser() -> AsyncIterator[Browser]:
    """One for all tests of a file: each has contexts of its own, which share nothing."""
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-dev-shm-usage"])
        yield browser
        await browser.close()


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, room: RunningRoom) -> AsyncIterator[Page]:
    """The room's page, loaded, in English. A script that fails on it fails the test."""
    context = await browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
    await page.goto(room.url)
    await page.locator(".chip").first.wait_for()
    yield page
    await context.close()
    assert errors == []
