"""What a person does in the room, in a real browser against real processes (our contract: the issue's console).

The demo's agents do what words in a message say; Puppet does what a test tells it (conftest.py).
"""

from playwright.async_api import Page, expect

from .steps import has_several_lines, held, stop, turns_of, write

HOSTILE = "<img src=x onerror=\"document.title='owned'\"><script>document.title='owned'</script> &lt;b&gt;"


# ---------------------------------------------------------------- cancel, retry, reply
async def test_a_turn_can_be_cancelled_while_it_runs(page: Page) -> None:
    [turn] = await write(page, held("Count"), "Puppet")
    await expect(turn.locator(".entry-text")).to_contain_text("20")
    await stop(turn)
    await expect(turn.locator(".entry-text")).to_contain_text("20")
    await expect(turn.locator(".ending")).to_be_visible()


async def test_a_failed_turn_says_why_and_can_be_tried_again(page: Page) -> None:
    [failed] = await write(page, "Please fail here", "Reviewer")
    await expect(failed.locator(".ending")).to_contain_text("I was asked to fail, so I did.")
    await expect(failed.locator(".ending .code")).to_have_text("NATIVE_ERROR")
    before = await turns_of(page, "Reviewer").count()
    await failed.get_by_role("button", name="Retry").click()
    await expect(turns_of(page, "Reviewer")).to_have_count(before + 1)
    await expect(failed.get_by_role("button", name="Retry")).to_be_hidden()
    await expect(turns_of(page, "Reviewer").last.locator(".ending")).to_be_visible()


async def test_a_reply_shows_what_it_answers_and_escape_drops_it(page: Page) -> None:
    [turn] = await write(page, "Something to answer", "Scribe")
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
    [turn] = await write(page, HOSTILE, "Scribe")
    mine = page.locator('.entry[data-kind="message"]', has_text="onerror").last
    await expect(mine.locator(".entry-text")).to_have_text(HOSTILE)
    await expect(turn).to_have_attribute("data-status", "completed")
    assert await page.locator(".entry img, .entry script").count() == 0
    assert await page.title() == title


async def test_confirming_an_input_method_does_not_send(page: Page) -> None:
    box = page.get_by_role("textbox", name="Message")
    await page.locator(".chip", has_text="Scribe").click()
    await box.fill("你好，失败")
    await box.evaluate(
        """box => {
            const happens = (event, atMs) => {  // at a time of ours: a slow machine takes its own between two events
                Object.defineProperty(event, "timeStamp", {value: atMs});
                box.dispatchEvent(event);
            };
            const press = (atMs, more) =>
                happens(new KeyboardEvent("keydown", {key: "Enter", cancelable: true, ...more}), atMs);
            press(1, {isComposing: true});
            press(2, {keyCode: 229});
            happens(new CompositionEvent("compositionend"), 3);
            press(4, {});
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


async def test_the_keyboard_alone_reaches_the_message_box_past_a_long_log(page: Page) -> None:
    await page.keyboard.press("Tab")
    await page.keyboard.press("Enter")
    await expect(page.get_by_role("textbox", name="Message")).to_be_focused()


async def test_nothing_is_sent_to_nobody(page: Page) -> None:
    await page.get_by_role("textbox", name="Message").fill("Hello?")
    await page.keyboard.press("Enter")
    await expect(page.locator(".composer-problem")).to_contain_text("Pick at least one agent")
    await expect(page.get_by_role("textbox", name="Message")).to_have_value("Hello?")


# ---------------------------------------------------------------- agents and sizes
async def test_a_card_tells_live_what_its_agent_does(page: Page) -> None:
    card = page.locator('.agent[data-actor-id="agent:puppet"]')
    await expect(card).to_contain_text("idle")
    [turn] = await write(page, held("Count"), "Puppet")
    await expect(card).to_contain_text("working")
    await stop(turn)
    await expect(card).to_contain_text("idle")


async def test_the_room_fits_a_phone(page: Page) -> None:
    for width in (390, 360):
        await page.set_viewport_size({"width": width, "height": 740})
        assert await page.evaluate("() => document.documentElement.scrollWidth") <= width
        for name in ("Send", "Agents", "Auto"):
            await expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
        words = await page.locator(".topbar button, .composer-to-word").all()
        assert [await word.text_content() for word in words if await has_several_lines(word)] == []
    roster = page.get_by_role("complementary", name="Agents")
    await expect(roster).to_be_hidden()
    await page.get_by_role("button", name="Agents").click()
    await expect(roster).to_be_visible()
    await page.keyboard.press("Escape")
    await expect(roster).to_be_hidden()
