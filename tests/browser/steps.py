"""What a person does and sees in the room, in a few words, for the tests in a browser.

A turn is known by its id, never by its place: places change while turns begin and older messages load.
"""

import asyncio
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, Route, expect

from tests.running_room import RunningRoom, do, kill_one

from .conftest import WAIT_MS

expect.set_options(timeout=WAIT_MS)

COUNTING = {"text": "20 … 19 … "}


def held(words: str, *steps: dict[str, Any]) -> str:
    """A message to Puppet or Double whose turn takes these steps and then goes on until somebody ends it."""
    return do(words, steps=[*(steps or [COUNTING]), {"wait": ""}])


def until(gate: Path) -> dict[str, str]:
    """The step that waits for this file."""
    return {"wait": str(gate)}


def tool(call: str, title: str, path: str) -> list[dict[str, Any]]:
    """The steps of a tool call that begins and ends."""
    about = {"toolCallId": call, "title": title, "kind": "read", "locations": [{"path": path}]}
    begins = {"sessionUpdate": "tool_call", **about, "status": "pending", "rawInput": {"path": path}}
    ends = {"sessionUpdate": "tool_call_update", "toolCallId": call, "status": "completed"}
    return [{"update": begins}, {"update": ends}]


WORKING = (
    {"thought": "Let me look. "},
    *tool("look", "Read README.md", "README.md"),
    *tool("see", "Read greeting.py", "greeting.py"),
    COUNTING,
)
"""A thought, two tools, some words."""


async def write(page: Page, text: str, *names: str, box: str = "Message") -> list[Locator]:
    """Pick exactly these recipients, write, press Enter; gives their turns, in the order of the names."""
    for chip in await page.locator(".chip").all():
        is_picked = await chip.get_attribute("aria-pressed") == "true"
        if is_picked != ((await chip.text_content()) in names):
            await chip.click()
    await page.get_by_role("textbox", name=box).fill(text)
    async with page.expect_response("**/api/messages") as answering:
        await page.keyboard.press("Enter")
    accepted = await (await answering.value).json()
    await expect(page.get_by_role("textbox", name=box)).to_have_value("")
    ids = {turn["target"]: turn["turnId"] for turn in accepted["turns"]}
    return [turn_of_id(page, ids[f"agent:{name.lower()}"]) for name in names]


def turn_of_id(page: Page, turn_id: str) -> Locator:
    return page.locator(f'.entry[data-turn-id="{turn_id}"]')


async def in_tab(tab: Page, turn: Locator) -> Locator:
    """The same turn on another page."""
    turn_id = await turn.get_attribute("data-turn-id")
    assert turn_id is not None
    return turn_of_id(tab, turn_id)


def turns_of(page: Page, name: str) -> Locator:
    return page.locator('.entry[data-kind="turn"]', has=page.locator(".entry-author", has_text=name))


def in_room_memory(page: Page) -> Locator:
    return page.get_by_role("region", name="Room memory")


def memory(place: Page | Locator, text: str) -> Locator:
    """As it stands in a list."""
    page = place if isinstance(place, Page) else place.page
    return place.locator(".record", has=page.locator(".record-text", has_text=text))


async def has_several_lines(word: Locator) -> bool:
    """Whether a short text was broken or cut for want of room."""
    return await word.evaluate(
        """(element) => {
          const text = document.createRange();
          text.selectNodeContents(element);
          const tops = new Set([...text.getClientRects()].map((line) => Math.round(line.top)));
          return tops.size > 1 || element.scrollWidth > element.clientWidth + 1;
        }"""
    )


async def stop(turn: Locator) -> None:
    await turn.get_by_role("button", name="Cancel turn").click()
    await expect(turn).to_have_attribute("data-status", "cancelled")


class Held:
    """A request that is answered when the test says so."""

    def __init__(self) -> None:
        self.asked = asyncio.Event()
        self.goes_on = asyncio.Event()

    async def __call__(self, route: Route) -> None:
        self.asked.set()
        await self.goes_on.wait()
        await route.continue_()


@contextmanager
def server_down(room: RunningRoom) -> Iterator[None]:
    """The server is killed, and not started again before the end: the parent, who would, is stopped meanwhile."""
    assert room.process is not None
    room.process.send_signal(signal.SIGSTOP)
    try:
        for server in room.processes("groupx_serve"):
            kill_one(server)
        yield
    finally:
        room.process.send_signal(signal.SIGCONT)
