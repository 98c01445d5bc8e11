"""A room of the file bus in the browser, with a real server, real `aig` processes and fake CLIs (docs/aig.md)."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.bus.waking import Waking
from tests.running_room import RunningRoom

from .conftest import WAIT_MS

expect.set_options(timeout=WAIT_MS)

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script> &lt;b&gt;"
HUMAN_LINE = '.entry[data-from="user"]'


@dataclass
class Bus:
    """One running server with one home; each test has a room of its own in it."""

    server: RunningRoom
    waking: Waking

    def room(self, name: str) -> "BusRoom":
        return BusRoom(self, name)


@dataclass
class BusRoom:
    bus: Bus
    name: str

    def __post_init__(self) -> None:
        self.aig("send", "--as", "dsh", "the room is open")
        path = self.bus.waking.aig.room(self.name) / "members.json"
        members = {
            "codex": {"transport": "codex", "note": "Reviews"},
            "dsh": {"transport": "dsh"},
            "reader": {},
        }
        path.write_text(json.dumps(members))
        self.bus.waking.plan(answer=f"An answer in {self.name}.")

    def aig(self, *arguments: str) -> str:
        return self.bus.waking.aig.ok("--room", self.name, *arguments)

    @property
    def url(self) -> str:
        return f"{self.bus.server.url}/bus/{self.name}"

    @property
    def woken(self) -> list[str]:
        """Programs that were run in this room, in their order."""
        return [call["name"] for call in self.bus.waking.calls if call["env"]["AIGROUP_ROOM"] == self.name]

    def texts(self) -> list[str]:
        return [message["text"] for message in self.bus.waking.aig.log(self.name)]


@pytest.fixture(scope="module")
def bus(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bus]:
    folder: Path = tmp_path_factory.mktemp("bus")
    waking = Waking(folder)
    environment = {name: waking.aig.environment[name] for name in ("AIGROUP_HOME", "PATH", "FAKE_CLI")}
    server = RunningRoom(folder, {}, env=environment)
    try:
        server.start()
        yield Bus(server, waking)
    finally:
        server.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def new_page(browser: Browser) -> AsyncIterator[Page]:
    """English; a script that fails on it fails the test."""
    context = await browser.new_context(locale="en-GB", viewport={"width": 1280, "height": 800})
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.on("console", lambda message: errors.append(message.text) if "Content Security" in message.text else None)
    yield page
    await context.close()
    assert errors == []


async def opened(page: Page, room: BusRoom) -> Page:
    await page.goto(room.url)
    await expect(message(page, "the room is open")).to_be_visible()
    await expect(page.locator(".pill")).to_contain_text("Connected")
    return page


def message(page: Page, text: str) -> Locator:
    return page.locator(".entry-text", has_text=text)


def member(page: Page, name: str) -> Locator:
    return page.locator(f'.bus-member[data-member="{name}"]')


async def write(page: Page, text: str, *names: str) -> None:
    for chip in await page.locator(".chip").all():
        is_picked = await chip.get_attribute("aria-pressed") == "true"
        if is_picked != ((await chip.text_content()) in names):
            await chip.click()
    box = page.get_by_role("textbox", name="Message")
    await box.fill(text)
    await page.keyboard.press("Enter")
    await expect(box).to_have_value("")


async def drive(page: Page) -> None:
    await page.get_by_role("switch", name="Self-drive").click()
    await expect(page.get_by_role("switch", name="Self-drive")).to_be_checked()


# ---------------------------------------------------------------- following, answering
async def test_the_page_follows_a_terminal_and_a_person_answers(bus: Bus, new_page: Page) -> None:
    room = bus.room("follow")
    page = await opened(new_page, room)
    for number in range(3):
        await asyncio.to_thread(room.aig, "send", "--as", "codex", f"from a terminal {number}")
    await expect(message(page, "from a terminal")).to_have_count(3)
    assert [text[-1] for text in await message(page, "from a terminal").all_text_contents()] == ["0", "1", "2"]
    await expect(member(page, "dsh")).to_contain_text("3 unread")

    await write(page, "And from the page", "codex")
    await expect(page.locator(HUMAN_LINE, has_text="And from the page")).to_contain_text("to codex")
    said = await asyncio.to_thread(room.aig, "read", "--as", "codex")
    assert "human → codex: And from the page" in said
    written = bus.waking.aig.log("follow")[-1]
    assert (written["from"], written["via"], written["to"]) == ("human", "web", ["codex"])
    assert room.woken == [], "without the self-drive nobody is woken"


async def test_what_agents_write_is_only_ever_text(bus: Bus, new_page: Page) -> None:
    room = bus.room("hostile")
    page = await opened(new_page, room)
    title = await page.title()
    await asyncio.to_thread(room.aig, "send", "--as", "codex", "--tag", HOSTILE, HOSTILE)
    await expect(message(page, "onerror")).to_have_text(HOSTILE)
    assert await page.locator(".entry img, .entry script").count() == 0
    assert await page.title() == title


# ---------------------------------------------------------------- self-drive
async def test_the_self_drive_wakes_the_right_member_once_and_agents_wake_nobody(bus: Bus, new_page: Page) -> None:
    room = bus.room("drive")
    page = await opened(new_page, room)
    await drive(page)

    await write(page, "To everybody")
    await expect(message(page, "An answer in drive.")).to_have_count(1)
    assert room.woken == ["dsh"], "a broadcast wakes the primary alone"

    await write(page, "To codex alone", "codex")
    await expect(message(page, "An answer in drive.")).to_have_count(2)
    await expect(page.locator(".entry", has_text="An answer in drive.").last).to_contain_text("codex")

    await asyncio.to_thread(room.aig, "send", "--as", "codex", "--to", "dsh", "An agent's message to dsh")
    await asyncio.to_thread(room.aig, "send", "--as", "codex", "An agent's message to all")
    await expect(message(page, "An agent's message")).to_have_count(2)
    await asyncio.to_thread(room.aig, "send", "--to", "codex", "From the person's terminal")
    await expect(message(page, "An answer in drive.")).to_have_count(3)
    assert room.woken == ["dsh", "codex", "codex"]
    await expect(member(page, "codex")).not_to_contain_text("being woken")


async def test_over_restarts_each_message_wakes_once(bus: Bus, new_page: Page) -> None:
    room = bus.room("restart")
    page = await opened(new_page, room)
    await drive(page)
    await write(page, "Before the restart", "codex")
    await expect(message(page, "An answer in restart.")).to_have_count(1)

    await asyncio.to_thread(bus.server.stop)
    await asyncio.to_thread(room.aig, "send", "--to", "codex", "While GroupX was away")
    assert room.woken == ["codex"]
    await asyncio.to_thread(bus.server.start)

    await expect(message(page, "An answer in restart.")).to_have_count(2)
    await expect(message(page, "While GroupX was away")).to_have_count(1)
    await expect(page.get_by_role("switch", name="Self-drive")).to_be_checked()
    await write(page, "After the restart", "codex")
    await expect(message(page, "An answer in restart.")).to_have_count(3)
    assert room.woken == ["codex"] * 3
    await page.get_by_role("switch", name="Self-drive").click()
    await expect(page.get_by_role("switch", name="Self-drive")).not_to_be_checked()


# ---------------------------------------------------------------- waking by hand
async def test_the_wake_button_shows_how_it_goes(bus: Bus, new_page: Page) -> None:
    room = bus.room("button")
    page = await opened(new_page, room)
    started, gate = bus.waking.pipe("button-started"), bus.waking.pipe("button-gate")
    bus.waking.plan(started=str(started), waits_for=str(gate), answer="Awake.")
    button = member(page, "codex").get_by_role("button", name="Wake codex")
    await button.click()
    assert await asyncio.to_thread(started.read_text) == "started"
    await expect(member(page, "codex")).to_contain_text("being woken")
    await expect(button).to_be_disabled()
    await asyncio.to_thread(gate.write_text, "go on")
    await expect(message(page, "Awake.")).to_be_visible()
    await expect(member(page, "codex")).to_contain_text("asleep")
    await expect(button).to_be_enabled()
    await expect(member(page, "reader").get_by_role("button")).to_be_hidden()


async def test_a_wake_that_fails_says_why_in_the_room(bus: Bus, new_page: Page) -> None:
    room = bus.room("failure")
    page = await opened(new_page, room)
    bus.waking.plan(answer="no", exit=3, stderr=20)
    await member(page, "codex").get_by_role("button", name="Wake codex").click()
    failure = page.locator('.entry[data-bus-kind="dispatch-error"]')
    await expect(failure.locator(".ending-words")).to_have_text("codex ended with exit code 3.")
    await failure.locator("summary").click()
    await expect(failure.locator(".agent-output-text")).to_have_text("x" * 20)
    await expect(member(page, "codex")).to_contain_text("gave no answer")


# ---------------------------------------------------------------- keyboard, sizes, languages
async def test_the_keyboard_alone_writes_and_switches(bus: Bus, new_page: Page) -> None:
    room = bus.room("keyboard")
    page = await opened(new_page, room)
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Message")).to_be_focused()
    await page.keyboard.type("By keyboard")
    await page.keyboard.press("Enter")
    await expect(message(page, "By keyboard")).to_be_visible()
    await page.get_by_role("switch").focus()
    await page.keyboard.press("Space")
    await expect(page.get_by_role("switch")).to_be_checked()


async def test_the_page_fits_a_phone(bus: Bus, new_page: Page) -> None:
    room = bus.room("phone")
    page = await opened(new_page, room)
    await asyncio.to_thread(room.aig, "send", "--as", "codex", "x" * 500)
    await page.set_viewport_size({"width": 360, "height": 740})
    await expect(message(page, "xxx")).to_be_visible()
    assert await page.evaluate("() => document.documentElement.scrollWidth") <= 360
    members = page.get_by_role("complementary", name="Members")
    await expect(members).to_be_hidden()
    await page.get_by_role("button", name="Members").click()
    await expect(members).to_be_visible()
    await expect(member(page, "codex").get_by_role("button", name="Wake codex")).to_be_in_viewport(ratio=1)
    await page.keyboard.press("Escape")
    await expect(members).to_be_hidden()


async def test_the_console_leads_to_the_rooms_and_on_to_one(bus: Bus, new_page: Page) -> None:
    bus.room("listed")
    page = new_page
    await page.goto(bus.server.url)
    await page.get_by_role("link", name="File bus").first.click()
    await page.get_by_role("link", name="listed").click()
    await expect(message(page, "the room is open")).to_be_visible()
    await page.get_by_role("button", name="中文").click()
    await expect(page.get_by_role("switch", name="自驱")).to_be_visible()
    assert page.url.endswith("/bus/listed")
