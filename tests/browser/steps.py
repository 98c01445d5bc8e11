"""What a person does and sees in the room, in a few words, for the tests in a browser."""

from playwright.async_api import Locator, Page, expect

from .conftest import WAIT_MS

expect.set_options(timeout=WAIT_MS)


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
