"""What a person does and sees in the assistant's drawer. Its brain is a scripted agent that does what a test says."""

import json
from pathlib import Path
from typing import Any

from playwright.async_api import Locator, Page, expect

from tests.running_room import RunningRoom, scripted

from .conftest import WAIT_MS

expect.set_options(timeout=WAIT_MS)


def with_brain(folder: Path, *names: str, **more: Any) -> RunningRoom:
    """A room, not started, with these scripted agents and an assistant whose brain is another one."""
    played = scripted("brain", folder)
    brain = {key: played[key] for key in ("driver", "command", "cwd")}
    agents = {name: scripted(name, folder) for name in names}
    return RunningRoom(folder, agents, assistant={"enabled": True, "brain": brain, **more})


def brain_will(room: RunningRoom, *steps: dict[str, Any]) -> None:
    """What it does when it is asked next."""
    (room.folder / "brain" / "next-prompt.json").write_text(json.dumps({"steps": steps}))


def drawer(page: Page) -> Locator:
    return page.locator(".assistant")


def box(page: Page) -> Locator:
    return page.locator(".assistant-text")


async def opened(page: Page) -> Locator:
    if not await drawer(page).is_visible():
        await page.locator(".assistant-button").click()
    await expect(drawer(page)).to_be_visible()
    return drawer(page)


def entry(page: Page, question: str) -> Locator:
    return page.locator(".assistant-entry", has=page.locator(".assistant-question", has_text=question))


async def ask(page: Page, question: str) -> Locator:
    await opened(page)
    await box(page).fill(question)
    await page.keyboard.press("Enter")
    await expect(box(page)).to_have_value("")
    return entry(page, question)


def work(page: Page) -> Locator:
    """What the assistant has given to agents, in the timeline."""
    return page.locator(".dispatch")
