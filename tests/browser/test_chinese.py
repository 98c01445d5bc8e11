"""The page for a reader of Chinese, in its states and at two widths: no word of ours is English, nothing sticks out.

Names, codes, addresses and what people and agents wrote stay as they are (our contract: docs/architecture.md,
"Languages").
"""

import asyncio
import re
from collections.abc import AsyncIterator, Iterator, Sequence
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from groupx.demo_room import demo_configuration
from tests.running_room import RunningRoom, scripted

from .conftest import WAIT_MS
from .steps import WORKING, held, in_tab, memory, write

expect.set_options(timeout=WAIT_MS)

BOX = "消息"
WIDE, SMALL = {"width": 1280, "height": 800}, {"width": 390, "height": 844}
ENGLISH = re.compile(r"[A-Za-z][A-Za-z’'-]+")
OF_OTHERS = re.compile(r"/\w+(?:/\w+)*|I was asked to fail, so I did\.")
"""Paths, and what an agent said of its failure."""
NAMES = {
    "Builder",
    "Reviewer",
    "Scribe",
    "Puppet",
    "Kimi",
    "Bu",
    "Re",
    "Sc",
    "Pu",
    "Ki",
    "groupx-demo",
    "fake-agent",
    "README",
    "md",
    "greeting",
    "py",
}
SAME_IN_CHINESE = {"Agent", "CLI", "Ctrl", "English", "Enter", "GroupX", "MCP", "PATH", "Shift", "shell"}

# What is shown or read aloud, without the words of people and agents, codes, paths, and the original of a sentence.
VISIBLE = """() => {
  const others = '.entry-text, .thoughts-text, .tool-text, .fold-name, .fold-title, .quote, .composer-reply-words, '
    + '.record-text, .record-source, .packet-text, .packet-original, .code, .fact, '
    + 'textarea, .agent-output-text, script, style, template';
  const originals = '.ending *, .notice-words *, .entry-note';
  const seen = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_ELEMENT | NodeFilter.SHOW_TEXT);
  for (let node = walker.currentNode; node; node = walker.nextNode()) {
    const element = node.nodeType === Node.TEXT_NODE ? node.parentElement : node;
    if (element.closest('template, script, style') || !element.checkVisibility({ visibilityProperty: true })) continue;
    if (node.nodeType === Node.TEXT_NODE) {
      if (!element.closest(others) && node.data.trim()) seen.push(node.data.trim());
    } else {
      for (const name of ['aria-label', 'aria-description', 'placeholder', 'alt']) {
        if (element.hasAttribute(name)) seen.push(element.getAttribute(name));
      }
      if (element.title && !element.matches(originals)) seen.push(element.title);
    }
  }
  return [document.title, ...seen];
}"""

# Elements that reach out of the page, and labels whose words are broken into lines.
STICKING_OUT = """() => {
  const width = document.documentElement.clientWidth;
  const found = [];
  for (const element of document.body.querySelectorAll('*')) {
    if (element.closest('.roster') && document.body.dataset.roster !== 'open' && width <= 900) continue;
    if (!element.checkVisibility({ visibilityProperty: true })) continue;
    const box = element.getBoundingClientRect();
    if (box.width > 0 && (box.right > width + 1 || box.left < -1)) found.push(element.className);
    const isLabel = element.matches('button:not(.quote), .composer-to-word, .agent-word, .pill');
    const fontPx = parseFloat(getComputedStyle(element).fontSize);
    if (isLabel && fontPx > 0 && box.height > 3.5 * fontPx) found.push(element.className);
  }
  return found;
}"""


@pytest.fixture
def demo(tmp_path: Any) -> Iterator[RunningRoom]:
    """The demo's agents, a scripted one, and one that cannot start, in a room that a test may end."""
    agents: dict[str, Any] = demo_configuration()["agents"]
    for agent in agents.values():
        (tmp_path / agent["cwd"]).mkdir()
    agents["puppet"] = scripted("puppet", tmp_path)
    agents["kimi"] = {"driver": "kimi", "name": "Kimi", "command": "/nowhere/kimi", "cwd": "builder"}
    room = RunningRoom(tmp_path, agents)
    try:
        yield room.start()
    finally:
        room.kill()


@pytest_asyncio.fixture(loop_scope="module")
async def pages(browser: Browser, demo: RunningRoom) -> AsyncIterator[tuple[Page, Page]]:
    """The same room on a wide and on a small screen, for a browser that prefers Chinese."""
    opened = []
    for viewport in (WIDE, SMALL):
        context = await browser.new_context(locale="zh-CN", viewport=viewport, reduced_motion="reduce")  # type: ignore[arg-type]
        context.set_default_timeout(WAIT_MS)
        page = await context.new_page()
        await page.goto(demo.url)
        await page.locator(".chip").first.wait_for()
        opened.append(page)
    yield opened[0], opened[1]
    for page in opened:
        await page.context.close()


def card_of(page: Page, name: str) -> Locator:
    return page.locator(".agent", has_text=name)


async def are_chinese(pages: Sequence[Page], state: str) -> None:
    for page in pages:
        left = {
            text: words
            for text in await page.evaluate(VISIBLE)
            if (words := set(ENGLISH.findall(OF_OTHERS.sub("", text))) - SAME_IN_CHINESE - NAMES)
        }
        assert left == {}, state
        assert await page.evaluate(STICKING_OUT) == [], state


async def all_show(pages: Sequence[Page], selector: str, text: str) -> None:
    for page in pages:
        await expect(page.locator(selector)).to_contain_text(text)


async def both_show(pages: Sequence[Page], turn: Locator, part: str, text: str) -> None:
    for page in pages:
        await expect((await in_tab(page, turn)).locator(part)).to_contain_text(text)


async def test_no_word_of_ours_is_english_in_any_state(pages: tuple[Page, Page], demo: RunningRoom) -> None:
    wide, small = pages
    await all_show(pages, ".agent-error-words", "找不到命令“/nowhere/kimi”。")  # drawn by the server, pushed live
    await all_show(pages, ".notice-words", "找不到命令“/nowhere/kimi”。")  # of the log
    await all_show(pages, ".log-empty-title", "这里还没有消息。")
    await are_chinese(pages, "an empty room")

    [running] = await write(wide, held("work", *WORKING), "Puppet", box=BOX)
    [waiting] = await write(small, "and wait", "Puppet", box=BOX)
    await both_show(pages, waiting, ".entry-state", "排队等待中")
    await expect(card_of(wide, "Puppet").locator(".agent-queue")).to_have_text("1 个排队中")
    for page in pages:
        await expect((await in_tab(page, running)).locator(".entry-text")).to_contain_text("19")
        await expect(await in_tab(page, running)).to_have_attribute("data-streaming", "")
    await are_chinese(pages, "streaming, with tools and a queue")
    for page in pages:
        turn = await in_tab(page, running)
        await turn.locator(".fold-line").nth(1).click()
        await expect(turn.locator(".tool-label").first).to_have_text("输入")
    await are_chinese(pages, "an open tool")
    await running.get_by_role("button", name="取消回合").click()
    await both_show(pages, running, ".ending-words", "回合已取消。")

    [asking] = await write(wide, "ask for permission", "Scribe", box=BOX)
    await both_show(pages, asking, ".ending-words", "Agent 在回合进行中请求你的许可。")
    await both_show(pages, asking, ".ending-hint", "GroupX 绝不会代你回答")
    await expect(asking.locator(".ending-words")).to_have_attribute("title", re.compile("The agent asked for"))
    [failing] = await write(wide, "please fail", "Reviewer", box=BOX)
    await both_show(pages, failing, ".ending-words", "I was asked to fail, so I did.")  # an agent's own words
    await both_show(pages, failing, ".ending-hint", "请重试；如果问题依旧")
    await are_chinese([wide], "failed turns")

    await small.locator(".roster-button").click()
    await wide.locator(".agent-summary").first.click()
    await expect(wide.locator(".agent-facts").first).to_contain_text("目录")
    await are_chinese(pages, "cards")
    await small.keyboard.press("Escape")

    await wide.locator(".entry").first.hover()
    await wide.get_by_role("button", name="回复", exact=True).first.click()
    await expect(wide.locator(".composer-reply-words")).to_contain_text("回复 你：")
    await wide.keyboard.press("Escape")
    await wide.get_by_role("textbox", name="消息").fill("x")
    for chip in await wide.locator('.chip[aria-pressed="true"]').all():
        await chip.click()
    await wide.get_by_role("button", name="发送").click()
    await expect(wide.locator(".composer-problem")).to_contain_text("请至少选择一个 Agent")
    await are_chinese([wide], "nobody picked")

    for page in pages:
        await page.locator(".chip", has_text="Scribe").click()
        await page.get_by_role("textbox", name=BOX).fill("x")
        await page.get_by_role("button", name="安排观察").click()
        await page.get_by_role("button", name="它们会看到什么？").click()
        await expect(page.locator(".packet-name").last).to_have_text("消息")
    await are_chinese(pages, "what they will see")
    for page in pages:
        await page.get_by_role("button", name="关闭").click()
        await page.locator(".chip", has_text="Scribe").click()

    for page in pages:
        await page.get_by_role("button", name="助理").click()
        await expect(page.get_by_role("link", name="打开设置")).to_be_visible()
    await are_chinese(pages, "no assistant")
    for page in pages:
        await page.keyboard.press("Escape")

    assert demo.process is not None
    demo.process.kill()
    await asyncio.to_thread(demo.process.wait, 5)
    await all_show(pages, ".offline", "GroupX 没有响应。")
    await wide.locator(".chip").first.click()
    await wide.get_by_role("button", name="发送").click()
    await all_show([wide], ".composer-problem", "GroupX 没有响应。它还在运行吗？你的消息保留在这里")
    await are_chinese(pages, "offline")


async def test_memory_is_chinese_in_its_states(pages: tuple[Page, Page], demo: RunningRoom) -> None:
    await pages[1].locator(".roster-button").click()
    await all_show(pages, '.roster [data-part="empty"]', "房间里每个人都应知道的事")
    for kind, content in (("fact", "甲"), ("constraint", "乙 " * 400)):
        demo.command("/api/memory", kind=kind, content=content)
    await all_show(pages, '[data-kind="constraint"] .record-about', "约束 · 你")
    await are_chinese(pages, "room memory")
    for page in pages:
        await page.get_by_role("button", name="添加").first.click()
        await page.get_by_role("button", name="记住").click()
        await expect(page.locator(".record-form").get_by_role("alert")).to_contain_text("请先写下要记住的内容。")
        await memory(page, "甲").get_by_role("button", name="撤回").click()
        await memory(page, "乙").get_by_role("button", name="替换").click()
    newest = demo.get("/api/memory")["items"][0]["memoryId"]
    demo.command(f"/api/memory/{newest}/supersede", content="丙")
    await all_show(pages, ".record .record-note", "在此期间保存了新版本")
    await are_chinese(pages, "memory that is added, replaced and retracted")
    for page in pages:
        await page.locator(".agent-summary").first.click()
        await page.get_by_role("button", name="记忆", exact=True).first.click()
        await expect(page.get_by_role("dialog")).to_contain_text("只给这个 Agent")
    await are_chinese(pages, "an agent's memory")


async def test_the_language_is_chosen_in_the_bar_and_kept(pages: tuple[Page, Page], demo: RunningRoom) -> None:
    violations: list[str] = []
    for page in pages:
        page.on("console", lambda message: violations.append(message.text) if "Security" in message.text else None)
        await page.get_by_role("textbox", name="消息").fill("a draft")
        await page.get_by_role("button", name="English").click()
        await expect(page.get_by_role("textbox", name="Message")).to_have_value("a draft")
        await expect(page.locator("html")).to_have_attribute("lang", "en")
        await page.reload()
        await expect(page.get_by_text("Connected", exact=True)).to_be_visible()
        await page.get_by_role("button", name="中文").click()
        await expect(page.get_by_text("已连接", exact=True)).to_be_visible()
        assert page.url == f"{demo.url}/"
    assert violations == []


async def test_an_open_page_keeps_its_language_when_another_tab_changes_it(pages: tuple[Page, Page]) -> None:
    wide = pages[0]
    other = await wide.context.new_page()
    await other.goto(wide.url)
    await other.get_by_role("button", name="English").click()
    await expect(other.get_by_text("Connected", exact=True)).to_be_visible()
    await other.close()
    await wide.bring_to_front()
    await card_of(wide, "Kimi").get_by_role("button", name="重启").click()
    await write(wide, held("count"), "Puppet", box=BOX)
    await expect(card_of(wide, "Puppet").locator(".agent-word")).to_have_text("工作中")
    await expect(card_of(wide, "Kimi").locator(".agent-error-words")).to_contain_text("找不到命令")
