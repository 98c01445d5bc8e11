"""`ask`: a question that is accepted once, and a bounded wait for its answers (docs/mcp.md, "ask")."""

import pytest

from groupx.kernel.errors import ErrorCode
from rooms.transactions import in_reader
from tests import given
from tests.turns.asking_stage import asking_stage
from tests.turns.supervising import steered_by
from turns.queries.members import member_of
from turns.settlement import TurnOutcome
from turns.state import LaneStatus, TurnStatus

pytestmark = pytest.mark.django_db(transaction=True)
FAILED = TurnOutcome(status=TurnStatus.FAILED, error_code=ErrorCode.NATIVE_ERROR, message="It broke.")


@pytest.fixture
async def stage(live_room, clock):
    async with asking_stage(clock) as stage:
        yield stage


async def test_the_answer_of_an_idle_agent_is_what_the_call_gives(stage):
    asking = await stage.asking("reviewer")
    await stage.do(given.worked_off, "reviewer")
    asked = await asking

    assert asked["state"] == "terminal"
    [result] = asked["results"]
    assert (result["target"], result["status"], result["content"]) == ("agent:reviewer", "completed", "the answer")
    assert result["queuePosition"] == 0 and "errorCode" not in result and "note" not in result


async def test_each_of_several_gives_its_own_result_and_a_failure_keeps_the_others(stage):
    asking = await stage.asking("reviewer", "scribe")
    await stage.do(given.worked_off, "reviewer", FAILED)
    await stage.do(given.worked_off, "scribe")
    asked = await asking

    assert asked["state"] == "terminal"
    reviewer, scribe = asked["results"]
    assert (reviewer["status"], reviewer["errorCode"], reviewer["note"]) == ("failed", "NATIVE_ERROR", "It broke.")
    assert (scribe["status"], scribe["content"]) == ("completed", "the answer")


async def test_an_interrupted_turn_has_failed_for_who_asked(stage):
    outcome = TurnOutcome(status=TurnStatus.INTERRUPTED, error_code=ErrorCode.AGENT_RESTARTED, message="Restarted.")
    asking = await stage.asking("reviewer")
    await stage.do(given.worked_off, "reviewer", outcome)

    [result] = (await asking)["results"]
    assert (result["status"], result["errorCode"], result["note"]) == ("failed", "TURN_INTERRUPTED", "Restarted.")


async def test_a_busy_agent_is_not_waited_for_nor_are_the_others_with_it(stage):
    running = await stage.do(given.running_turn, "reviewer")
    asked = await stage.ask("reviewer", "scribe")

    assert asked["state"] == "pending"
    reviewer, scribe = asked["results"]
    assert (reviewer["status"], reviewer["queuePosition"]) == ("pending", 1)
    assert reviewer["activeTurnId"] == running.turn_id
    assert reviewer["note"].startswith("agent:reviewer has 1 other turn to do first.")
    assert (scribe["status"], scribe["queuePosition"]) == ("pending", 0)
    assert all("collect" in result["note"] and "do not ask again" in result["note"] for result in asked["results"])


@pytest.mark.parametrize(
    "status", [LaneStatus.PAUSED, LaneStatus.FAILED, LaneStatus.STOPPED, LaneStatus.NATIVE_POLICY_BLOCKED]
)
async def test_an_agent_that_takes_nothing_up_is_not_waited_for(stage, status):
    await stage.rest("reviewer", status, "Out of tokens until tomorrow.")
    asked = await stage.ask("reviewer")

    assert asked["state"] == "pending"
    assert asked["results"][0]["note"].startswith(
        "agent:reviewer takes up nothing now: Out of tokens until tomorrow. Its turn waits. Get"
    )


async def test_at_the_end_of_the_wait_what_runs_is_pending_and_goes_on(stage, clock):
    asking = await stage.asking("reviewer", "scribe")
    await stage.do(given.worked_off, "scribe")
    running = await stage.do(given.taken_up, "reviewer")
    await clock.advance(50)
    asked = await asking

    assert asked["state"] == "pending"
    reviewer, scribe = asked["results"]
    assert (reviewer["status"], reviewer["activeTurnId"]) == ("pending", running.turn_id)
    assert reviewer["note"].startswith("agent:reviewer is still working on it.")
    assert scribe["content"] == "the answer"
    assert await stage.status_of(running.turn_id) is TurnStatus.RUNNING


@pytest.mark.parametrize(
    ("ask_ms", "timeout_ms", "seconds"),
    [(120_000, None, 50), (120_000, 60_000, 60), (120_000, 5_000, 5), (20_000, None, 20), (20_000, 60_000, 20)],
)
async def test_the_wait_has_the_least_of_all_bounds(live_room, clock, ask_ms, timeout_ms, seconds):
    async with asking_stage(clock, askMs=ask_ms) as stage:
        asking = await stage.asking("reviewer", timeoutMs=timeout_ms)
        await clock.advance(seconds - 0.001)
        assert not asking.done()
        await clock.advance(0.001)
        assert (await asking)["state"] == "pending"


async def test_with_cancel_on_timeout_the_turns_are_cancelled_then(stage, clock):
    asking = await stage.asking("reviewer", "scribe", timeoutMs=5_000, cancelOnTimeout=True)
    running = await stage.do(given.taken_up, "reviewer")
    await clock.advance(5)
    asked = await asking

    reviewer, scribe = asked["results"]
    assert (reviewer["turnId"], reviewer["status"]) == (running.turn_id, "pending")
    assert reviewer["note"].startswith("agent:reviewer is being stopped.")
    assert (scribe["status"], scribe["errorCode"]) == ("cancelled", "TURN_CANCELLED")
    assert await stage.status_of(running.turn_id) is TurnStatus.CANCELLING


async def test_a_busy_agents_turn_is_not_cancelled_for_want_of_a_wait(stage):
    await stage.do(given.running_turn, "reviewer")
    asked = await stage.ask("reviewer", cancelOnTimeout=True)

    assert await stage.status_of(asked["results"][0]["turnId"]) is TurnStatus.QUEUED


async def test_the_client_hears_for_whom_it_still_waits(stage, clock):
    asking = await stage.asking("reviewer", "scribe")
    await clock.advance(10)
    with stage.tail.turn_ends.listening() as listener:
        ended = await stage.do(given.worked_off, "reviewer")
        await listener.until_ended([ended.turn_id])
    await clock.advance(10)
    await stage.do(given.worked_off, "scribe")
    await asking

    assert stage.progress == [(10, "Waiting for agent:reviewer, agent:scribe."), (20, "Waiting for agent:scribe.")]


async def test_the_same_command_again_asks_nothing_and_gives_the_answers_of_the_first(stage):
    first = await stage.asking("reviewer", clientCommandId="one")
    again = await stage.waiting(stage.ask("reviewer", clientCommandId="one"), waits=2)
    await stage.do(given.worked_off, "reviewer")

    asked = await first
    assert await again == asked
    assert await stage.ask("reviewer", clientCommandId="one") == asked
    assert len(await stage.asked_turns()) == 1


async def test_a_person_who_tries_a_failed_turn_again_gives_the_asker_that_answer(stage):
    asking = await stage.asking("reviewer", clientCommandId="one")
    failed = await stage.do(given.worked_off, "reviewer", FAILED)
    assert (await asking)["results"][0]["status"] == "failed"
    retried = await stage.do(given.retried, failed.turn_id)

    again = await stage.waiting(stage.ask("reviewer", clientCommandId="one"))
    await stage.do(given.worked_off, "reviewer")
    [result] = (await again)["results"]

    assert (result["turnId"], result["content"]) == (retried, "the answer")


async def test_an_unusual_end_is_told_with_the_answer(stage):
    asking = await stage.asking("reviewer")
    cut_off = TurnOutcome(status=TurnStatus.COMPLETED, text="It is beca", stop_reason="max_tokens")
    await stage.do(given.worked_off, "reviewer", cut_off)

    [result] = (await asking)["results"]
    assert result["note"] == "The agent stopped at its output limit; the answer may be cut off."


async def test_a_turn_that_its_observer_has_steered_says_where_it_goes_on(stage):
    """The asker's answer is of the turns of its own message; what was made of it by steering is read in the room."""
    supervision = {"observers": ["agent:scribe"], "mode": "live_steer"}
    asking = await stage.asking("reviewer", supervision=supervision)
    running = await stage.do(given.taken_up, "reviewer")
    await stage.do(given.taken_up, "scribe")
    await stage.do(steered_by, await in_reader(member_of, given.last_handle()), "interrupt")
    cancelled = TurnOutcome(status=TurnStatus.CANCELLED, error_code=ErrorCode.TURN_CANCELLED, message="Cancelled.")
    await stage.do(given.finished, running, "reviewer", cancelled)

    [result] = (await asking)["results"]
    assert (result["turnId"], result["status"]) == (running.turn_id, "cancelled")
    assert result["note"].startswith("Its observer has steered it")
