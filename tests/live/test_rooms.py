"""Each real CLI in a running room, against a scripted model on loopback (docs/drivers.md).

One room per CLI for the whole module; the tests tell one story and run in their order.
"""

import asyncio
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from playwright.async_api import async_playwright, expect

from tests.browser.conftest import CHROMIUM
from tests.fakes.model_server import ModelServer
from tests.live.capabilities import Capability
from tests.live.minutes import another_minute
from tests.live.recipes import Recipe
from tests.running_room import RunningRoom, StreamReader
from tests.waiting import wait_until

pytestmark = pytest.mark.live
TURN_SECONDS = 120
PAGE_MS = 30_000


@dataclass
class Stage:
    room: RunningRoom
    reader: StreamReader
    recipe: Recipe
    work: Path

    def say(self, text: str) -> dict[str, Any]:
        """One whole turn; gives it with its `answer`."""
        turn_id = self.room.turn(self.room.send("agent", content=text))
        shown = self.room.until_turn(turn_id, seconds=TURN_SECONDS)
        self.reader.until(self.room.get("/api/bootstrap")["cursor"])
        answers = [e for e in self.durable(turn_id) if e["type"] == "message.created"]
        return shown | {"answer": answers[0]["body"]["content"] if answers else None}

    def durable(self, turn_id: str) -> list[dict[str, Any]]:
        return [event for event in self.reader.events if event["body"].get("turnId") == turn_id]

    def live(self, turn_id: str, kind: str) -> list[dict[str, Any]]:
        return [e for e in self.reader.transient if e["type"] == kind and e["body"].get("turnId") == turn_id]


@pytest.fixture(scope="module")
def stage(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    folder = tmp_path_factory.mktemp(recipe.driver)
    work = folder / "work"
    work.mkdir()
    agent = {"driver": recipe.driver, "name": "Agent", "command": recipe.executable, "cwd": str(work)}
    with ModelServer() as model:
        room = RunningRoom(
            folder,
            {"agent": agent},
            env=recipe.env(folder / "home", model),
            timeouts={"handshakeMs": 90_000, "requestMs": 60_000},
        )
        try:
            room.start()
            room.until_agent("agent", "ready", "failed", seconds=TURN_SECONDS)
            reader = StreamReader(room)
            yield Stage(room, reader, recipe, work)
            reader.close()
        finally:
            room.stop()


def test_the_agent_gets_ready(stage):
    [agent] = stage.room.get("/api/agents")["items"]
    assert (agent["status"], agent.get("lastError")) == ("ready", None)


@pytest.mark.capability(Capability.STREAM)
def test_an_answer_streams_in(stage):
    turn = stage.say("REASON:let me think\nSAY:hello from a real agent")

    assert (turn["status"], turn["answer"].strip()) == ("completed", "hello from a real agent")
    deltas = stage.live(turn["turnId"], "turn.content.delta")
    assert len(deltas) >= 2
    assert "".join(delta["body"]["text"] for delta in deltas) == turn["answer"]


@pytest.mark.capability(Capability.TOOLS)
def test_a_tool_of_its_own_is_shown_and_runs_without_a_question(stage):
    turn = stage.say(stage.recipe.shell("echo made by a tool > made.txt"))

    assert turn["status"] == "completed"
    assert (stage.work / "made.txt").read_text().strip() == "made by a tool"
    records = [e["body"] for e in stage.durable(turn["turnId"]) if e["type"] == "tool.progress.recorded"]
    assert [r["nativeType"] for r in records] == ["tool.started", "tool.completed"]
    assert records[0]["toolCallId"] == records[1]["toolCallId"]
    assert records[1]["status"] == "completed"
    assert stage.live(turn["turnId"], "tool.progress")


@pytest.mark.capability(Capability.TOOLS)
async def test_that_tool_is_a_closed_fold_on_the_page(stage):
    if not CHROMIUM.exists():
        pytest.skip(f"no Chromium at {CHROMIUM}")
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=CHROMIUM, args=["--disable-dev-shm-usage"])
        page = await browser.new_page(locale="en-GB")
        await page.goto(stage.room.url)
        fold = page.locator('.fold[data-kind="tool"]')
        await expect(fold).to_have_count(1, timeout=PAGE_MS)
        await expect(fold).to_have_js_property("open", False)
        await expect(fold.locator(".fold-state")).to_contain_text("done")
        await browser.close()


@pytest.mark.capability(Capability.CANCEL)
def test_a_cancelled_turn_ends_and_the_session_is_used_again(stage):
    turn_id = stage.room.turn(stage.room.send("agent", content="SLOW:60"))
    wait_until(lambda: stage.live(turn_id, "turn.content.delta"), timeout_seconds=TURN_SECONDS, what="the first words")
    stage.room.command(f"/api/turns/{turn_id}/cancel")

    assert stage.room.until_turn(turn_id, seconds=30)["status"] == "cancelled"
    again = stage.say("SAY:still here")
    assert (again["status"], again["answer"].strip()) == ("completed", "still here")


@pytest.mark.capability(Capability.RESUME)
def test_a_new_process_resumes_the_session(stage):
    if stage.recipe.resumes_in_another_minute:
        asyncio.run(another_minute())
    before = len([e for e in stage.room.events() if e["type"] == "session.ready"])
    stage.room.command("/api/agents/agent:agent/restart")
    wait_until(
        lambda: len([e for e in stage.room.events() if e["type"] == "session.ready"]) > before,
        timeout_seconds=TURN_SECONDS,
        what="a second session",
    )

    assert "session.resumed" in [e["type"] for e in stage.room.events()]
    turn = stage.say("SAY:resumed")
    assert (turn["status"], turn["answer"].strip()) == ("completed", "resumed")


@pytest.mark.capability(Capability.ERRORS)
def test_an_error_of_the_model_is_a_failed_turn_with_its_reason(stage):
    turn = stage.say("ERROR:400")

    assert turn["status"] == "failed"
    assert turn["errorCode"].startswith("NATIVE_") and turn["message"]
