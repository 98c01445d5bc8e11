"""A real room with the demo's scripted agents, and a real Chromium looking at it."""

import os
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest
from playwright.async_api import Browser, Page, async_playwright

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = Path(os.environ.get("GROUPX_CHROMIUM", "/usr/bin/chromium"))
START_SECONDS = 60
STOP_SECONDS = 30
WAIT_MS = 30_000
"""How long a page may take to show something; a slow machine is no failure."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    here = [item for item in items if Path(__file__).parent in item.path.parents]
    for item in here:
        item.add_marker(pytest.mark.browser)
        if not CHROMIUM.exists():
            item.add_marker(pytest.mark.skip(reason=f"no Chromium at {CHROMIUM} (GROUPX_CHROMIUM names another)"))


@dataclass(frozen=True, kw_only=True)
class RunningRoom:
    process: subprocess.Popen[str]
    url: str

    def kill_server(self) -> None:
        """As if the serve process had crashed; its parent starts another."""
        for child in psutil.Process(self.process.pid).children(recursive=True):
            with suppress(psutil.NoSuchProcess):
                if "groupx_serve" in child.cmdline():
                    child.send_signal(signal.SIGKILL)


@pytest.fixture(scope="session")
def running_room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("room")
    port = _free_port()
    command = [sys.executable, str(ROOT / "manage.py"), "groupx_demo", "--no-open", "--port", str(port)]
    environment = {name: value for name, value in os.environ.items() if not name.startswith(("GROUPX_", "DJANGO_"))}
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, cwd=folder, env=environment, stdout=subprocess.PIPE, stderr=log, text=True, start_new_session=True
        )
        try:
            _wait_for_line(process, "GroupX is running", folder / "log")
            yield RunningRoom(process=process, url=f"http://127.0.0.1:{port}/")
        finally:
            process.terminate()
            with suppress(subprocess.TimeoutExpired):
                process.wait(STOP_SECONDS)
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait(STOP_SECONDS)
            assert process.stdout is not None
            process.stdout.close()


def _wait_for_line(process: subprocess.Popen[str], words: str, log: Path) -> None:
    """The end of the output, by exit or by our kill, is the end of the wait."""
    assert process.stdout is not None
    too_late = threading.Timer(START_SECONDS, process.kill)
    too_late.start()
    try:
        for line in process.stdout:
            if words in line:
                return
    finally:
        too_late.cancel()
    pytest.fail(f"the room did not start: {log.read_text()[-2000:]}")


def _free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


@pytest.fixture
async def browser() -> AsyncIterator[Browser]:
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-dev-shm-usage"])
        yield browser
        await browser.close()


@pytest.fixture
async def page(browser: Browser, running_room: RunningRoom) -> AsyncIterator[Page]:
    """The room's page, loaded, in English. A script that fails on it fails the test."""
    context = await browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
    await page.goto(running_room.url)
    await page.locator(".chip").first.wait_for()
    yield page
    await context.close()
    assert errors == []
