"""Commands of the assistant that a limit refuses, and those that come twice (docs/mcp.md). Seed contract, 12."""

from typing import Any

import pytest

from rooms.models import ClientCommand, Event
from rooms.transactions import in_db
from tests import given
from tests.assistant.operator_stage import brain_of, operator_server
from turns.models import Lane, Turn

pytestmark = pytest.mark.django_db(transaction=True)
WAKING = ["send", "worker_dispatch", "worker_ask", "dispatch_event"]


@pytest.fixture
async def small(live_room, server, clock, tmp_path):
    """The brain in a room whose queues take one turn each."""
    async with operator_server(clock, tmp_path, queue_per_agent=1) as mount:
        yield brain_of(mount)


async def arguments_of(tool: str, clock, *names: str) -> dict[str, Any]:
    """Of a command on these agents."""
    command = {"to": [f"agent:{name}" for name in names], "clientCommandId": given.command_id()}
    match tool:
        case "dispatch_event":
            receipt = await in_db(given.sent, given.a_message("scribe", content="It squeaks."), clock=clock)
            return {**command, "forwardedEventId": receipt.result["messageEventId"]}
        case "worker_ask":
            return {**command, "content": "why?", "timeoutMs": 1}
        case _:
            return {**command, "content": "hello"}


@pytest.mark.parametrize("tool", WAKING)
async def test_a_full_queue_refuses_all_of_it_and_keeps_no_receipt(small, clock, tool):
    arguments = await arguments_of(tool, clock, "reviewer", "builder")
    await in_db(given.running_turn, "builder", clock=clock)
    before = await in_db(Event.objects.count)

    refusal = await small.refusal(tool, **arguments)
    assert refusal["code"] == "QUEUE_CAPACITY_REACHED"
    assert (refusal["details"]["fullTargets"], refusal["details"]["limit"]) == (["agent:builder"], 1)
    assert await in_db(Event.objects.count) == before
    assert not await in_db(ClientCommand.objects.filter(binding_id="binding:operator").exists)


@pytest.mark.parametrize("tool", WAKING)
async def test_what_was_accepted_is_answered_again_also_when_a_limit_would_refuse_it_now(small, clock, tool):
    await in_db(given.running_turn, "builder", clock=clock)
    await in_db(given.cancelled, await in_db(lambda: Turn.objects.get().turn_id), clock=clock)
    arguments = await arguments_of(tool, clock, "reviewer")
    if tool == "worker_ask":  # it is queued behind nothing, and would be waited for
        await in_db(given.a_lane, "reviewer", clock=clock)
        await in_db(Lane.objects.filter(actor_id="agent:reviewer").update, status="stopped")
    first = await small.answer(tool, **arguments)
    again = await small.answer(tool, **arguments)
    assert first == again
    assert await in_db(Turn.objects.filter(target_id="agent:reviewer").count) == 1


async def test_an_agent_is_restarted_once_however_often_the_command_comes(brain, clock):
    await in_db(given.a_lane, "builder", clock=clock)
    command = {"agent": "agent:builder", "clientCommandId": given.command_id()}
    first, again = [await brain.answer("agent_restart", **command) for _ in range(2)]
    assert first == again
    assert await in_db(lambda: Lane.objects.get().restart_generation) == 1


async def test_turns_that_began_after_it_outlive_a_repeated_cancel(brain, clock):
    await in_db(given.queued_turn, "builder", clock=clock)
    command = {"to": ["@all"], "clientCommandId": given.command_id()}
    first = await brain.answer("turns_cancel", **command)
    later = await in_db(given.queued_turn, "builder", clock=clock)
    assert await brain.answer("turns_cancel", **command) == first
    assert await in_db(lambda: Turn.objects.get(turn_id=later).ended_at) is None


async def test_no_open_turn_is_nothing_to_cancel(brain):
    told = await brain.answer("turns_cancel", to=["@all"], clientCommandId=given.command_id())
    assert told == {"turns": [], "hasMore": False}
