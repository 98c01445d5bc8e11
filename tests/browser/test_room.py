"""What a person does in the room, in a real browser against real processes (our contract: the issue's console).

The demo's agents do what words in a message say: think, use a tool, be slow (a piece a second), fail.
"""

import asyncio
import re

from playwright.async_api import Locator, Page, Route, expect

from tests.running_room import RunningRoom, kill_one
from tests.waiting import wait_until

from .conftest import WAIT_MS

expect.set_options(timeout=WAIT_MS)

PARENT_DEATH_SECONDS = 15

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script> &lt;b&gt;"


async def write(page: Page, text: str, *names: str) -> None:
    """Pick exactly these recipients, write, press Enter, and wait until the room has taken it."""
    for chip in await page.locator(".chip").all():
        is_picked = await chip.get_attribute("aria-pressed") == "true"
        if is_picked != ((await chip.text_content()) in names):
            await chip.click()
    await page.get_by_role("textbox", name="Message").fill(text)
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Message")).to_have_value("")


def turns_of(page: Page, name: str) -> Locator:
    return page.locator('.entry[data-kind="turn"]', has=page.locator(".entry-author", has_text=name))


async def newest_turn(page: Page, name: str, question: str) -> Locator:
    """The agent's turn right after this question."""
    await expect(page.locator(".entry-text", has_text=question).last).to_be_visible()
    return turns_of(page, name).last


async def stop(turn: Locator) -> None:
    await turn.get_by_role("button", name="Cancel turn").click()
    await expect(turn).to_have_attribute("data-status", "cancelled")


# ---------------------------------------------------------------- streaming
async def test_two_agents_answer_one_message_side_by_side(page: Page) -> None:
    await write(page, "What do you both think?", "Reviewer", "Scribe")
    reviewer = await newest_turn(page, "Reviewer", "What do you both think?")
    scribe = turns_of(page, "Scribe").last
    await expect(reviewer).to_have_attribute("data-streaming", "")
    await expect(scribe).to_have_attribute("data-streaming", "")
    await expect(reviewer).to_have_attribute("data-status", "completed")
    await expect(scribe).to_have_attribute("data-status", "completed")
    await expect(reviewer.locator(".entry-text")).to_contain_text("with a reviewer's eye")
    await expect(reviewer.get_by_role("button", name="Cancel turn")).to_be_hidden()


async def test_a_reload_in_mid_turn_shows_the_text_again(page: Page) -> None:
    await write(page, "Be slow one", "Scribe")
    turn = await newest_turn(page, "Scribe", "Be slow one")
    await expect(turn.locator(".entry-text")).to_contain_text("19")
    await page.reload()
    await expect(turns_of(page, "Scribe").last.locator(".entry-text")).to_contain_text("20 … 19")
    await stop(turns_of(page, "Scribe").last)


async def test_a_reload_in_mid_turn_shows_the_tools_again(page: Page) -> None:
    await write(page, "Use a tool and be slow", "Builder")
    turn = await newest_turn(page, "Builder", "Use a tool and be slow")
    await expect(turn.locator(".entry-text")).to_contain_text("20")
    seen = await turn.locator(".fold-state").all_inner_texts()
    assert len(seen) == 2 and all(re.fullmatch(r"done, \d+\.\d s", words) for words in seen)

    await page.reload()

    turn = turns_of(page, "Builder").last
    await expect(turn).to_have_attribute("data-status", "running")
    await expect(turn.locator(".fold")).to_have_count(3)
    await expect(turn.locator(".fold-state")).to_have_text(seen)
    await turn.locator(".fold-line").nth(1).click()
    await expect(turn.locator(".tool-text").first).to_contain_text("README.md")
    await stop(turn)


async def test_a_crash_of_the_server_stops_neither_turns_nor_the_page(page: Page, room: RunningRoom) -> None:
    await write(page, "Use a tool and be slow two", "Reviewer", "Scribe")
    turns = [await newest_turn(page, name, "be slow two") for name in ("Reviewer", "Scribe")]
    for turn in turns:
        await expect(turn.locator(".entry-text")).to_contain_text("19")
    seen = await turns[0].locator(".fold-state").all_inner_texts()
    for server in room.processes("groupx_serve"):
        kill_one(server)
    await expect(page.get_by_text("Reconnecting")).to_be_visible()
    await expect(page.get_by_text("Connected", exact=True)).to_be_visible()
    await expect(page.locator(".offline")).to_be_hidden()
    await expect(turns[0].locator(".entry-text")).to_contain_text("5 …")
    await expect(turns[0].locator(".fold-state")).to_have_text(seen)
    for turn in turns:
        await expect(turn).to_have_attribute("data-status", "completed")
        await expect(turn.locator(".entry-text")).to_contain_text("2 … 1 …")
        assert (await turn.locator(".entry-text").inner_text()).count("20 …") == 1


async def test_a_killed_parent_takes_all_with_it_and_the_next_start_tells_the_truth(
    page: Page, room: RunningRoom
) -> None:
    await write(page, "Be slow six", "Scribe")
    turn = await newest_turn(page, "Scribe", "Be slow six")
    await expect(turn.locator(".entry-text")).to_contain_text("19")
    await write(page, "I waited", "Scribe")
    await expect(page.locator('.entry[data-status="queued"]')).to_have_count(1)
    turn = turns_of(page, "Scribe").nth(-2)

    assert room.process is not None
    room.process.kill()
    await asyncio.to_thread(room.process.wait, 5)
    await expect(page.locator(".offline")).to_contain_text("does not answer")
    await asyncio.to_thread(
        wait_until, lambda: not room.processes(), timeout_seconds=PARENT_DEATH_SECONDS, what="no process is left"
    )
    await page.get_by_role("textbox", name="Message").fill("Written meanwhile")
    await asyncio.to_thread(room.start)

    await expect(page.get_by_text("Connected", exact=True)).to_be_visible()
    await expect(page.locator(".offline")).to_be_hidden()
    for reload in (False, True):
        if reload:
            await page.reload()
        await expect(turns_of(page, "Scribe").last).to_have_attribute("data-status", "completed")
        await expect(turn).to_have_attribute("data-status", "interrupted")
        await expect(turn.locator(".entry-text")).to_contain_text("20 … 19")
        await expect(turn.locator(".ending")).to_be_visible()
        await expect(turn.get_by_role("button", name="Retry")).to_be_visible()
        await expect(page.get_by_role("textbox", name="Message")).to_have_value("Written meanwhile")
    await page.get_by_role("textbox", name="Message").fill("")


async def test_tools_and_thoughts_are_folded_live_and_after_a_reload(page: Page) -> None:
    await write(page, "Use a tool now", "Builder")
    await newest_turn(page, "Builder", "Use a tool now")
    for reload in (False, True):
        if reload:
            await page.reload()
        turn = turns_of(page, "Builder").last
        await expect(turn).to_have_attribute("data-status", "completed")
        await expect(turn.locator(".fold")).to_have_count(3)
        await expect(turn.locator(".fold").first).to_contain_text("Though")
        await expect(turn.locator(".fold").nth(1)).to_contain_text("Read README.md")
        await expect(turn.locator(".fold").nth(1)).to_contain_text("done")
        await turn.locator(".fold-line").nth(1).click()
        await expect(turn.locator(".tool-text").first).to_contain_text("README.md")


# ---------------------------------------------------------------- cancel, retry, reply
async def test_a_turn_can_be_cancelled_while_it_runs(page: Page) -> None:
    await write(page, "Be slow three", "Reviewer")
    turn = await newest_turn(page, "Reviewer", "Be slow three")
    await expect(turn.locator(".entry-text")).to_contain_text("20")
    await stop(turn)
    await expect(turn.locator(".entry-text")).to_contain_text("20")
    await expect(turn.locator(".ending")).to_be_visible()


async def test_a_failed_turn_says_why_and_can_be_tried_again(page: Page) -> None:
    await write(page, "Please fail here", "Reviewer")
    turn = await newest_turn(page, "Reviewer", "Please fail here")
    await expect(turn.locator(".ending")).to_contain_text("I was asked to fail, so I did.")
    await expect(turn.locator(".ending .code")).to_have_text("NATIVE_ERROR")
    before = await turns_of(page, "Reviewer").count()
    failed = turns_of(page, "Reviewer").nth(before - 1)
    await failed.get_by_role("button", name="Retry").click()
    await expect(turns_of(page, "Reviewer")).to_have_count(before + 1)
    await expect(failed.get_by_role("button", name="Retry")).to_be_hidden()
    await expect(turns_of(page, "Reviewer").last.locator(".ending")).to_be_visible()


async def test_a_reply_shows_what_it_answers_and_escape_drops_it(page: Page) -> None:
    await write(page, "Something to answer", "Scribe")
    turn = await newest_turn(page, "Scribe", "Something to answer")
    await expect(turn).to_have_attribute("data-status", "completed")
    await turn.hover()
    await turn.get_by_role("button", name="Reply").click()
    await expect(page.locator(".composer-reply")).to_contain_text("Reply to Scribe")
    await page.keyboard.press("Escape")
    await expect(page.locator(".composer-reply")).to_be_hidden()
    await turn.get_by_role("button", name="Reply").click()
    await write(page, "This is my reply", "Scribe")
    mine = page.locator('.entry[data-kind="message"]', has_text="This is my reply")
    await expect(mine.locator(".quote")).to_contain_text("Scribe: ")


# ---------------------------------------------------------------- text is text
async def test_hostile_text_stays_text(page: Page) -> None:
    title = await page.title()
    await write(page, HOSTILE, "Scribe")
    mine = page.locator('.entry[data-kind="message"]', has_text="onerror").last
    await expect(mine.locator(".entry-text")).to_have_text(HOSTILE)
    turn = turns_of(page, "Scribe").last
    await expect(turn).to_have_attribute("data-status", "completed")
    assert await page.locator(".entry img, .entry script").count() == 0
    assert await page.title() == title


async def test_confirming_an_input_method_does_not_send(page: Page) -> None:
    box = page.get_by_role("textbox", name="Message")
    await page.locator(".chip", has_text="Scribe").click()
    await box.fill("你好，失败")
    await box.evaluate(
        """box => {
            const press = more => {
                const init = {key: "Enter", cancelable: true, ...more};
                box.dispatchEvent(new KeyboardEvent("keydown", init));
            };
            press({isComposing: true});
            press({keyCode: 229});
            box.dispatchEvent(new CompositionEvent("compositionend"));
            press({});
        }"""
    )
    await expect(box).to_have_value("你好，失败")
    await page.keyboard.press("Shift+Enter")
    await expect(box).to_have_value("你好，失败\n")
    await page.keyboard.press("Enter")
    await expect(box).to_have_value("")


async def test_a_draft_survives_a_reload(page: Page) -> None:
    await page.locator(".chip", has_text="Reviewer").click()
    await page.get_by_role("textbox", name="Message").fill("Half a thought")
    await page.reload()
    await expect(page.get_by_role("textbox", name="Message")).to_have_value("Half a thought")
    await expect(page.locator(".chip", has_text="Reviewer")).to_have_attribute("aria-pressed", "true")


async def test_a_message_whose_answer_was_lost_is_sent_again_and_taken_once(page: Page) -> None:
    sent: list[str] = []

    async def lose_the_first_answer(route) -> None:  # type: ignore[no-untyped-def]
        sent.append(route.request.post_data_json["clientCommandId"])
        if len(sent) > 1:
            await route.continue_()
        else:
            await route.fetch()
            await route.abort()

    await page.route("**/api/messages", lose_the_first_answer)
    box = page.get_by_role("textbox", name="Message")
    await page.locator(".chip", has_text="Scribe").click()
    await box.fill("Only once, then fail")
    await page.keyboard.press("Enter")
    await expect(page.locator(".composer-problem")).to_contain_text("kept here")
    await page.keyboard.press("Enter")
    await expect(box).to_have_value("")
    assert len(sent) == 2 and sent[0] == sent[1]
    await expect(page.locator(".entry-text", has_text="Only once, then fail")).to_have_count(1)


async def test_nothing_is_sent_to_nobody(page: Page) -> None:
    await page.get_by_role("textbox", name="Message").fill("Hello?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".composer-problem")).to_contain_text("Pick at least one agent")
    await expect(page.get_by_role("textbox", name="Message")).to_have_value("Hello?")


# ---------------------------------------------------------------- history
async def test_older_messages_load_on_scrolling_up_and_nothing_jumps(page: Page, room: RunningRoom) -> None:
    def one_after_the_other() -> None:
        for number in range(40):  # more events than a page begins with; no turn is left without its message for long
            room.until_turn(room.turn(room.send("scribe", content=f"Number {number}: fail")))

    await asyncio.to_thread(one_after_the_other)
    await page.reload()
    log = page.locator(".log")
    await expect(page.locator(".ending").last).to_be_visible()
    known = await page.locator(".entry").count()

    while_loading: list[float] = []

    async def look_and_go_on(route: Route) -> None:
        await expect(page.get_by_text("Loading older messages")).to_be_visible()
        while_loading.append(await log.evaluate("() => kept.getBoundingClientRect().top"))
        await route.continue_()

    await page.route(re.compile("/api/history"), look_and_go_on)
    top = await log.evaluate(
        """log => {
            window.kept = document.querySelector('.entry[data-kind="message"]');
            kept.scrollIntoView({ block: "center" });
            log.scrollTop = Math.min(log.scrollTop, log.clientHeight - 50);
            return kept.getBoundingClientRect().top;
        }"""
    )
    await expect(page.locator(".entry").nth(known)).to_be_attached()
    after = await log.evaluate("() => kept.getBoundingClientRect().top")
    assert max(abs(seen - top) for seen in (*while_loading, after)) < 2
    await expect(page.get_by_role("button", name="To the newest messages")).to_be_visible()


async def test_messages_that_come_while_reading_above_are_counted(page: Page) -> None:
    await write(page, "Something long enough to scroll\n" * 60, "Scribe")
    await expect(turns_of(page, "Scribe").last).to_have_attribute("data-status", "completed")
    await page.locator(".log").evaluate("log => { log.scrollTop = 0; }")
    other = await page.context.new_page()
    await other.goto(page.url)
    await write(other, "From another tab: fail", "Scribe")
    await other.close()
    button = page.get_by_role("button", name="1 new message")
    await button.click()
    await expect(button).to_be_hidden()
    await expect(page.locator(".entry-text", has_text="From another tab: fail")).to_be_in_viewport()


async def test_a_waiting_turn_that_begins_to_run_does_not_carry_the_reader_off(page: Page) -> None:
    await write(page, "Be slow five", "Scribe")
    await write(page, "Waiting: fail", "Scribe")
    await write(page, "Much to read\n" * 80, "Reviewer")
    waiting = page.locator('.entry[data-status="queued"]', has_text="Scribe")
    await waiting.evaluate("waiting => { waiting.scrollIntoView({block: 'start'}); }")
    below = page.locator('.entry[data-kind="message"]', has_text="Much to read").last
    top = await below.evaluate("below => below.getBoundingClientRect().top")
    running = page.locator(".entry[data-streaming]", has_text="20 …")
    # not click(): Playwright would scroll to the button
    await running.get_by_role("button", name="Cancel turn").evaluate("button => { button.click(); }")
    await expect(waiting).to_have_count(0)
    assert abs(await below.evaluate("below => below.getBoundingClientRect().top") - top) < 2


# ---------------------------------------------------------------- agents and sizes
async def test_a_card_tells_live_what_its_agent_does(page: Page) -> None:
    card = page.locator('.agent[data-actor-id="agent:scribe"]')
    await expect(card).to_contain_text("idle")
    await write(page, "Be slow four", "Scribe")
    await expect(card).to_contain_text("working")
    await stop(turns_of(page, "Scribe").last)
    await expect(card).to_contain_text("idle")


async def test_the_room_fits_a_phone(page: Page) -> None:
    for width in (390, 360):
        await page.set_viewport_size({"width": width, "height": 740})
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= width
        for name in ("Send", "Agents", "Auto"):
            await expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    roster = page.get_by_role("complementary", name="Agents")
    await expect(roster).to_be_hidden()
    await page.get_by_role("button", name="Agents").click()
    await expect(roster).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(roster).to_be_hidden()
