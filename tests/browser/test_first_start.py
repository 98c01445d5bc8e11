"""A fresh machine: from `groupx start` in an empty folder to an agent's first answer, in the browser (our contract)."""

import json
import re
from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from tests.groupx.test_setup_mode import FreshFolder

from .conftest import WAIT_MS
from .steps import has_several_lines
from .test_chinese import ENGLISH, SAME_IN_CHINESE, STICKING_OUT, VISIBLE

expect.set_options(timeout=WAIT_MS)

SCREENS = {"wide": {"width": 1280, "height": 900}, "small": {"width": 390, "height": 844}}
LOCALES = {"en": "en-GB", "zh": "zh-CN"}
WORDS = {
    "en": (
        "Say hello",
        "Answered in",
        "Save and open the room",
        "Message",
        "Add scripted agents",
        "No agent CLI was found.",
    ),
    "zh": ("打个招呼", "用时", "保存并打开房间", "消息", "添加脚本 Agent", "没有找到 Agent 命令行工具。"),
}
PATH = re.compile(r"(?:/[\w.-]+)+")
NAMES = {"Codex", "Co", "ACP", "ok"}
"""And what the agent answers."""


class FreshMachine(FreshFolder):
    """Nothing is installed on it but a scripted CLI, or not even that."""

    def __init__(self, folder: Path, *, has_cli: bool) -> None:
        super().__init__(folder)
        programs = folder / "bin"
        programs.mkdir()
        if has_cli:
            self.program_path.rename(programs / "codex")
        self._env |= {"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(folder)}


@pytest.fixture
def machine(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[FreshMachine]:
    machine = FreshMachine(tmp_path, has_cli=getattr(request, "param", True))
    try:
        machine.set_up()
        yield machine
    finally:
        machine.kill()


@pytest_asyncio.fixture(loop_scope="module")
async def page(browser: Browser, request: pytest.FixtureRequest, language: str, screen: str) -> AsyncIterator[Page]:
    context = await browser.new_context(locale=LOCALES[language], viewport=SCREENS[screen])  # type: ignore[arg-type]
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    yield page
    await context.close()
    assert errors == []


async def fits(page: Page, language: str, state: str) -> None:
    """Nothing sticks out, and a reader of Chinese sees no English word of ours."""
    assert await page.evaluate(STICKING_OUT) == [], state
    if language == "zh":
        others = SAME_IN_CHINESE | NAMES
        left = {text for text in await page.evaluate(VISIBLE) if set(ENGLISH.findall(PATH.sub("", text))) - others}
        assert left == set(), state


@pytest.mark.parametrize("screen", SCREENS)
@pytest.mark.parametrize("language", LOCALES)
async def test_a_fresh_machine_comes_to_its_first_answer(
    machine: FreshMachine, page: Page, language: str, screen: str
) -> None:
    hello, answered, save, box, *_ = WORDS[language]
    await page.goto(machine.url)
    await page.wait_for_url("**/setup")
    await expect(page.locator(".setup-agent-name")).to_have_text("Codex")
    await expect(page.locator(".setup-choice input")).to_be_checked()
    await fits(page, language, "the setup")

    await page.get_by_role("button", name=hello).click()
    await expect(page.locator(".setup-trial-words")).to_contain_text(answered)
    await fits(page, language, "a hello")
    assert not await has_several_lines(page.get_by_role("button", name=save))

    await page.get_by_role("button", name=save).click()
    await page.wait_for_url(f"{machine.url}/")
    await expect(page.locator(".chip").first).to_have_attribute("aria-pressed", "true")  # there is no other
    await page.get_by_role("textbox", name=box, exact=True).fill("hello")
    await page.keyboard.press("Enter")
    answer = page.locator('.entry[data-kind="turn"][data-status="completed"] .entry-text')
    await expect(answer).to_have_text("ok")
    assert list(json.loads(machine.config_path.read_text())["agents"]) == ["codex"]


@pytest.mark.parametrize("machine", [False], indirect=True, ids=["nothing-installed"])
@pytest.mark.parametrize("screen", ["small"])
@pytest.mark.parametrize("language", LOCALES)
async def test_a_machine_without_any_cli_is_told_how_to_get_one_and_looks_around_meanwhile(
    machine: FreshMachine, page: Page, language: str, screen: str
) -> None:
    *_, save, box, demo, none_found = WORDS[language]
    await page.goto(machine.url)
    await expect(page.locator(".setup-none-title")).to_have_text(none_found)
    await expect(page.locator(".copy-line", has_text="npm install -g @openai/codex")).to_be_visible()
    await page.get_by_role("button", name=demo).click()
    await expect(page.locator(".setup-agent-name")).to_have_text(["Builder", "Reviewer", "Scribe"])
    assert await page.evaluate(STICKING_OUT) == []

    await page.get_by_role("button", name=save).click()
    await page.wait_for_url(f"{machine.url}/")
    await expect(page.locator(".agent-name")).to_have_text(["Builder", "Reviewer", "Scribe"])
    await page.get_by_role("textbox", name=box, exact=True).wait_for()
