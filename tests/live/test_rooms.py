"""Each real CLI in a running room, against a scripted model on loopback (docs/drivers.md).

One room per CLI for the whole module; the tests tell one story and run in their order.
"""

import asyncio
from collections.abc import Iterator

import pytest
from playwright.async_api import async_playwright, expect

from tests.browser.conftest import CHROMIUM
from tests.live.capabilities import Capability
from tests.live.minutes import another_minute
from tests.live.recipes import Recipe
from tests.live.stage import TURN_SECONDS, Stage, opened_stage
from tests.waiting import wait_until

pytestmark = pytest.mark.live
PAGE_MS = 30_000


@pytest.fixture(scope="module")
def stage(recipe: Recipe, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    with opened_stage(recipe, tmp_path_factory.mktemp(recipe.driver)) as opened:
        yield opened


def test_the_agent_gets_ready(stage):
    agent = stage.known_of("/api/agents")
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


@pytest.fixture
def with_partner(stage: Stage) -> None:
    if stage.partner is None:
        pytest.skip("no other CLI is on PATH")


@pytest.mark.capability(Capability.ASKS)
@pytest.mark.usefixtures("with_partner")
def test_it_asks_another_real_agent_and_uses_the_answer(stage):
    turn = stage.ask_partner("SAY:forty-two")

    assert (turn["status"], turn["answer"].strip()) == ("completed", "They say forty-two.")
    events = [e for e in stage.room.events() if e["rootCorrelationId"] == turn["rootCorrelationId"]]
    persons, question, answer, conclusion = [e for e in events if e["type"] == "message.created"]
    assert persons["eventId"] == turn["sourceEventId"] and conclusion["body"]["turnId"] == turn["turnId"]
    # who asks is known by the session alone: nothing in the call says it
    assert (question["actor"]["actorId"], question["to"]) == ("agent:agent", ["agent:partner"])
    assert question["provenance"] == {"sourceKind": "mcp"}
    assert question["replyToEventId"] == persons["eventId"]
    assert (answer["actor"]["actorId"], answer["replyToEventId"]) == ("agent:partner", question["eventId"])
    child = stage.room.get(f"/api/turns/{answer['body']['turnId']}")
    assert (child["sourceEventId"], child["hopCount"]) == (question["eventId"], 1)
    assert stage.parent_of(child["turnId"]) == turn["turnId"]


@pytest.mark.capability(Capability.ASKS)
@pytest.mark.usefixtures("with_partner")
def test_that_it_did_is_kept_as_evidence_of_its_version(stage):
    for path in ("/api/agents", "/api/bootstrap"):
        agent = stage.known_of(path)
        assert agent["capabilities"]["mcp"]["evidence"] == "verified"
    assert stage.evidence_of_mcp() == (stage.recipe.driver, agent["cli"]["version"], "verified", "turn")


@pytest.mark.capability(Capability.WAITS)
@pytest.mark.usefixtures("with_partner")
def test_it_waits_long_for_an_answer(stage, request):
    if request.config.getoption("live") is None:
        pytest.skip("takes 15 s: runs with --live=…")
    turn = stage.ask_partner("SLOW:15")

    assert turn["status"] == "completed" and "tick 59 tick 60" in turn["answer"]


@pytest.mark.capability(Capability.NEW_SERVER)
@pytest.mark.usefixtures("with_partner")
def test_the_rooms_tools_go_on_after_a_restart_of_its_server(stage):
    sessions = stage.sessions()
    stage.room.kill_server()

    turn = stage.ask_partner("SAY:still there")
    assert (turn["status"], turn["answer"].strip()) == ("completed", "They say still there.")
    assert stage.sessions() == sessions, "by the same session"


@pytest.mark.capability(Capability.RESUME)
def test_a_new_process_resumes_the_session(stage):
    if stage.recipe.resumes_in_another_minute:
        asyncio.run(another_minute())
    before = stage.sessions()
    stage.room.command("/api/agents/agent:agent/restart")
    wait_until(lambda: stage.sessions() > before, timeout_seconds=TURN_SECONDS, what="a second session")

    assert "session.resumed" in [e["type"] for e in stage.room.events()]
    turn = stage.say("SAY:resumed")
    assert (turn["status"], turn["answer"].strip()) == ("completed", "resumed")
    if stage.partner is not None:
        assert stage.ask_partner("SAY:again")["answer"].strip() == "They say again."


@pytest.mark.capability(Capability.ERRORS)
def test_an_error_of_the_model_is_a_failed_turn_with_its_reason(stage):
    turn = stage.say("ERROR:400")

    assert turn["status"] == "failed"
    assert turn["errorCode"].startswith("NATIVE_") and turn["message"]
