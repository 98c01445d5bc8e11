"""The assistant's tools of the room's context, by the official client (docs/mcp.md, "Operator")."""

import asyncio

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from memory.queries.context_usage import context_usage
from rooms.models import ClientCommand, Event
from rooms.transactions import in_db
from tests.assistant.operator_stage import begin_brain, brain_of, operator_server
from tests.memory import rooms_context
from turns.tools.answer_wait import USUAL_WAIT_MS

pytestmark = pytest.mark.django_db(transaction=True)
MAX_CHARACTERS = 256_000


async def test_the_usage_is_that_of_the_gauge(brain, clock):
    await in_db(rooms_context.said, "hello", "again", clock=clock)
    usage = await brain.answer("context_usage")
    assert usage == await in_db(context_usage, MAX_CHARACTERS)
    assert usage["uncompactedMessageCount"] == 2


async def test_a_reset_is_the_assistants_and_happens_once_per_command(brain, clock):
    await in_db(rooms_context.said, "hello", clock=clock)
    answer = await brain.answer("context_reset", clientCommandId="1")
    assert (answer["reset"], answer["uncompactedMessageCount"]) == (True, 0)
    event = await in_db(Event.objects.get, type="context.reset")
    assert (event.actor_id, event.source_kind, event.seq) == (
        "user:assistant",
        "operator",
        answer["resetThroughSeq"] + 1,
    )

    await in_db(rooms_context.said, "more", clock=clock)
    assert await brain.answer("context_reset", clientCommandId="1") == answer
    assert (await brain.answer("context_reset", clientCommandId="2"))["reset"] is True
    assert (await brain.answer("context_reset", clientCommandId="3"))["reset"] is False


async def test_a_compaction_is_answered_with_the_usage_and_replayed(brain):
    answer = await brain.answer("context_compact", clientCommandId="1")
    assert answer == {"state": "done", "compacted": False, **await in_db(context_usage, MAX_CHARACTERS)}
    assert await brain.answer("context_compact", clientCommandId="1") == answer
    receipt = await in_db(ClientCommand.objects.get)
    assert (receipt.binding_id, receipt.command_type) == ("binding:operator", "operator.context_compact")


async def test_a_compaction_that_fails_says_why_and_may_be_repeated(live_room, clock, tmp_path):
    failures = [GroupXError(ErrorCode.CONTEXT_COMPACTION_FAILED, "No agent is ready to write.", reason="no_agent")]

    async def compact() -> bool:
        if failures:
            raise failures.pop()
        return True

    await in_db(begin_brain, clock)
    async with operator_server(clock, tmp_path, compact) as server:
        brain = brain_of(server)
        refusal = await brain.refusal("context_compact", clientCommandId="1")
        assert (refusal["code"], refusal["details"]["reason"]) == ("CONTEXT_COMPACTION_FAILED", "no_agent")
        assert (await brain.answer("context_compact", clientCommandId="1"))["compacted"] is True


async def test_one_that_takes_longer_goes_on_and_is_heard_of_by_the_same_command(live_room, clock, tmp_path):
    has_begun, may_end = asyncio.Event(), asyncio.Event()
    begun = 0

    async def compact() -> bool:
        nonlocal begun
        begun += 1
        has_begun.set()
        await may_end.wait()
        return True

    await in_db(begin_brain, clock)
    async with operator_server(clock, tmp_path, compact) as server:
        brain = brain_of(server)
        asked = asyncio.create_task(brain.answer("context_compact", clientCommandId="1"))
        await has_begun.wait()
        await clock.advance(USUAL_WAIT_MS / 1000)
        pending = await asked
        assert (pending["state"], "compacted" in pending) == ("pending", False)
        assert "same clientCommandId" in pending["note"]

        may_end.set()
        done = await brain.answer("context_compact", clientCommandId="1")
        assert (done["state"], done["compacted"], begun) == ("done", True, 1)


@pytest.mark.parametrize("tool", ["context_compact", "context_reset"])
async def test_a_command_needs_its_id(brain, tool):
    refusal = await brain.refusal(tool)
    assert (refusal["code"], refusal["details"]["issues"][0]["path"]) == ("INVALID_ENVELOPE", "clientCommandId")
