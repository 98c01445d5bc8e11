"""How worker_ask waits, and how it is called again (docs/mcp.md, "Operator"). Seed contract, section 6."""

import asyncio
from contextlib import asynccontextmanager
from typing import Any

import pytest

from groupx.kernel.errors import ErrorCode
from rooms.models import Event
from rooms.transactions import in_db
from tests import given
from tests.assistant.operator_stage import HANDLE
from tests.turns.asking_stage import OF_THE_TAIL, readers_are_done
from tests.turns.tool_clients import tools_for
from turns.models import Lane, Turn
from turns.settlement import TurnOutcome
from turns.state import LaneStatus, TurnStatus
from turns.tools.waiting import PROGRESS_SECONDS

pytestmark = pytest.mark.django_db(transaction=True)


def question(*names: str, **more: Any) -> dict[str, Any]:
    to = [f"agent:{name}" for name in names]
    return {"to": to, "content": "why?", "clientCommandId": given.command_id(), **more}


@pytest.fixture
async def lanes(server, clock):
    for name in ("builder", "reviewer"):
        await in_db(given.a_lane, name, clock=clock)
    await in_db(Lane.objects.update, status=LaneStatus.READY.value)


@asynccontextmanager
async def waiting(call, clock):
    """The call, once it waits; at the end of the block it shall have ended."""
    task = asyncio.create_task(call)
    await clock.until_asleep(OF_THE_TAIL + 1)
    await readers_are_done()
    yield task
    await asyncio.wait_for(task, 10)


def dispatches() -> int:
    return Event.objects.filter(type="operator.dispatch").count()


async def test_it_waits_no_longer_than_it_was_told_and_its_client_hears_for_whom(server, lanes, clock):
    told = []

    async def on_progress(progress, total, message):
        told.append((progress, message))

    async with tools_for(server, HANDLE) as client:
        asked = question("builder", timeoutMs=25_000)
        async with waiting(client.call_tool("worker_ask", asked, progress_callback=on_progress), clock) as call:
            for seconds in (PROGRESS_SECONDS, PROGRESS_SECONDS, 5):
                await clock.advance(seconds)
    result = (await call).structured_content
    assert (result["state"], result["results"][0]["status"]) == ("pending", "pending")
    assert told == [(10, "Waiting for agent:builder."), (20, "Waiting for agent:builder.")]
    assert await in_db(lambda: Turn.objects.get().status) == TurnStatus.QUEUED


@pytest.mark.parametrize("wrong", [{"timeoutMs": 60_001}, {"timeoutMs": 0}, {"cancelOnTimeout": "yes"}])
async def test_a_wait_has_bounds(brain, wrong):
    refusal = await brain.refusal("worker_ask", **question("builder", **wrong))
    [issue] = refusal["details"]["issues"]
    assert (refusal["code"], issue["path"]) == ("INVALID_ENVELOPE", *wrong)
    assert await in_db(dispatches) == 0


async def test_turns_are_stopped_when_the_time_is_over_if_it_says_so(brain, lanes, clock):
    asked = question("builder", timeoutMs=5_000, cancelOnTimeout=True)
    async with waiting(brain.answer("worker_ask", **asked), clock) as call:
        await clock.advance(5)
    [result] = (await call)["results"]
    assert (result["status"], result["errorCode"]) == ("cancelled", "TURN_CANCELLED")


async def test_a_question_is_waited_for_again_with_another_patience_and_asked_once(brain, lanes, clock):
    asked = question("builder")
    async with waiting(brain.answer("worker_ask", **asked, timeoutMs=5_000), clock) as call:
        await clock.advance(5)
    assert (await call)["state"] == "pending"

    async with waiting(brain.answer("worker_ask", **asked, timeoutMs=20_000), clock) as call:
        await in_db(given.worked_off, "builder", clock=clock)
    again = await call
    assert (again["state"], again["results"][0]["status"]) == ("terminal", "completed")
    assert again["dispatchEventId"] and await in_db(dispatches) == 1


async def test_a_repeated_question_waits_for_who_is_at_it_also_while_another_has_other_turns_to_do(brain, lanes, clock):
    await in_db(given.queued_turn, "reviewer", clock=clock)
    asked = question("builder", "reviewer")
    at_once = await brain.answer("worker_ask", **asked)
    assert [result["status"] for result in at_once["results"]] == ["pending", "pending"]

    async with waiting(brain.answer("worker_ask", **asked), clock) as call:
        await in_db(given.worked_off, "builder", clock=clock)
    assert [result["status"] for result in (await call)["results"]] == ["completed", "pending"]


async def test_another_question_under_the_same_command_is_a_conflict_and_asks_nobody(brain, lanes, clock):
    asked = question("builder", timeoutMs=1)
    async with waiting(brain.answer("worker_ask", **asked), clock):
        await clock.advance(1)
    for changed in ({"content": "how?"}, {"to": ["agent:reviewer"]}):
        refusal = await brain.refusal("worker_ask", **{**asked, **changed})
        assert refusal["code"] == "CLIENT_COMMAND_CONFLICT"
    assert await in_db(dispatches) == 1


async def test_a_failure_of_an_agent_is_told_with_its_code(brain, lanes, clock):
    failed = TurnOutcome(status=TurnStatus.FAILED, error_code=ErrorCode.NATIVE_ERROR, message="It broke.")
    async with waiting(brain.answer("worker_ask", **question("builder")), clock) as call:
        await in_db(given.worked_off, "builder", failed, clock=clock)
    answer = await call
    assert answer["state"] == "terminal"
    [result] = answer["results"]
    assert (result["status"], result["errorCode"], result["note"]) == ("failed", "NATIVE_ERROR", "It broke.")


async def test_another_try_of_a_turn_is_the_one_that_counts(brain, lanes, clock):
    asked = question("builder")
    failed = TurnOutcome(status=TurnStatus.FAILED, message="broke")
    async with waiting(brain.answer("worker_ask", **asked), clock):
        first = await in_db(given.worked_off, "builder", failed, clock=clock)
    retry = await in_db(given.retried, first.turn_id, clock=clock)
    async with waiting(brain.answer("worker_ask", **asked), clock) as call:
        await in_db(given.worked_off, "builder", clock=clock)
    [result] = (await call)["results"]
    assert (result["turnId"], result["status"]) == (retry, "completed")


@pytest.mark.parametrize(("cancels", "then"), [(False, TurnStatus.QUEUED), (True, TurnStatus.CANCELLED)])
async def test_the_turns_of_a_client_that_left_go_on_unless_it_said_otherwise(brain, lanes, clock, cancels, then):
    call = asyncio.create_task(brain.answer("worker_ask", **question("builder", cancelOnTimeout=cancels)))
    await clock.until_asleep(OF_THE_TAIL + 1)
    await readers_are_done()
    call.cancel()
    await asyncio.gather(call, return_exceptions=True)
    assert await in_db(lambda: Turn.objects.get().status) == then
