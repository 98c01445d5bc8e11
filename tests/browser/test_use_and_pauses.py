"""What turns use, agents that pause and how they go on, in a real browser (our contract: docs/turns.md, "Pauses";
docs/protocol.md, "Use"). Real processes with scripted agents."""

import re
from collections.abc import AsyncIterator, Iterator

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Locator, Page, expect

from tests.running_room import RunningRoom, do, scripted
from tests.waiting import wait_until

from .conftest import WAIT_MS
from .steps import in_tab, turns_of, write

USED = {"inputTokens": 1200, "cachedReadTokens": 800, "outputTokens": 34, "totalTokens": 1234}
TOO_LONG = {"error": {"code": -32603, "message": "prompt is too long: 210000 tokens"}}
LIMITED = {"error": {"code": -32603, "message": "429 too many requests", "data": {"retryAfterSeconds": 5400}}}


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("limited")
    agents = {name: scripted(name, folder) for name in ("builder", "reviewer", "scribe")}
    agents["builder"]["spendLimit"] = {"tokensPerDay": 1000}
    room = RunningRoom(folder, agents)
    try:
        yield room.start()
    finally:
        room.stop()


@pytest_asyncio.fixture(loop_scope="module")
async def chinese(browser: Browser, room: RunningRoom) -> AsyncIterator[Page]:
    context = await browser.new_context(locale="zh-CN")
    context.set_default_timeout(WAIT_MS)
    page = await context.new_page()
    await page.goto(room.url)
    yield page
    await context.close()


def card_of(page: Page, name: str) -> Locator:
    return page.locator(f'.agent[data-actor-id="agent:{name}"]')


def answering(n: str) -> str:
    return do(n=n, steps=[{"text": "done"}, {"reply": {"usage": USED}}])


async def press(button: Locator) -> None:
    """With the keyboard alone."""
    await button.focus()
    await button.page.keyboard.press("Enter")


async def test_an_agent_at_its_limit_pauses_and_is_let_go_on_even_after_everything_died(
    page: Page, chinese: Page, room: RunningRoom
) -> None:
    card = card_of(page, "builder")
    [turn] = await write(page, answering("1"), "Builder")
    await expect(turn.locator(".use-line")).to_have_text("1,234 tokens")
    await expect(turn.locator(".use-facts")).to_be_hidden()
    await turn.locator(".use-line").click()
    await expect(turn.locator(".use-facts")).to_contain_text("1,200, 800 of it from the cache")

    await expect(card.locator(".agent-word")).to_have_text("paused")
    await expect(card.locator(".agent-pause-words")).to_have_text(
        "Its limit of 1,000 tokens a day is reached: 1,234 were used today."
    )
    await expect(card.locator(".agent-pause-until")).to_contain_text("Until ")
    await card.locator(".agent-summary").click()
    await expect(card.locator(".agent-facts")).to_contain_text("1,234 of 1,000 tokens")
    notice = page.locator('.entry[data-kind="notice"], .notice-row', has_text="SPEND_LIMIT_REACHED")
    await expect(notice).to_contain_text("Builder pauses until the day is over.")
    await expect(card_of(chinese, "builder").locator(".agent-pause-words")).to_have_text(
        "已达到每天 1,000 token 的上限：今天用了 1,234。"
    )
    await expect(card_of(chinese, "builder").get_by_role("button", name="继续", exact=True)).to_be_visible()
    await expect(chinese.locator(".notice-row")).to_contain_text("Builder 暂停到今天结束。")
    await expect((await in_tab(chinese, turn)).locator(".use-line")).to_have_text("1,234 个 token")

    [waiting] = await write(page, answering("2"), "Builder")
    await expect(card.locator(".agent-queue")).to_have_text("1 queued")
    room.kill()
    room.start()
    wait_until(
        lambda: room.get("/api/bootstrap")["agents"][0].get("pausedFor") == "spend_limit",
        timeout_seconds=30,
        what="a pause that has outlived the room",
    )
    await page.reload()
    await expect(card.locator(".agent-word")).to_have_text("paused")
    await expect(notice).to_have_count(1)

    await press(card.get_by_role("button", name="Go on"))
    await expect(waiting).to_have_attribute("data-status", "completed")
    await expect(notice).to_have_count(2)
    await expect(card.locator(".agent-pause-words")).to_contain_text("2,468 were used today.")


async def test_a_full_context_offers_a_fresh_session_on_the_turn_and_on_the_card(page: Page) -> None:
    [turn] = await write(page, do(n="1", steps=[TOO_LONG]), "Reviewer")
    card = card_of(page, "reviewer")
    await expect(turn.locator(".ending .code")).to_have_text("NATIVE_CONTEXT_FULL")
    await expect(card.locator(".agent-error")).to_contain_text("Begin a fresh session, then retry.")
    await expect(card.locator(".agent-error").get_by_role("button", name="Fresh session")).to_be_visible()
    await press(turn.get_by_role("button", name="Fresh session"))
    await expect(page.locator(".notice-row", has_text="starts with a fresh session, as was asked")).to_be_visible()
    await expect(card.locator(".agent-error")).to_have_count(0)
    await press(turn.get_by_role("button", name="Retry"))
    await expect(turns_of(page, "Reviewer")).to_have_count(2)
    await expect(turn.get_by_role("button", name="Fresh session")).to_be_hidden()


async def test_a_rate_limit_says_until_when_and_can_be_ended_early(page: Page, chinese: Page) -> None:
    [turn] = await write(page, do(n="1", steps=[LIMITED]), "Scribe")
    card = card_of(page, "scribe")
    await expect(turn.locator(".ending")).to_contain_text("The agent pauses until ")
    await expect(card.locator(".agent-pause-words")).to_contain_text("429 too many requests")
    await expect(card.locator(".agent-pause-until")).to_contain_text(re.compile(r"in 1 h \d+ min"))
    await expect(card_of(chinese, "scribe").locator(".agent-pause-until")).to_contain_text(
        re.compile(r"1 小时 \d+ 分钟后")
    )
    await press(card.get_by_role("button", name="Go on"))
    await expect(card.locator(".agent-word")).to_have_text("idle")
    await expect(card.locator(".agent-pause")).to_have_count(0)
