"""Commands of the assistant happen once per clientCommandId, whichever brain sends them (docs/mcp.md, "Operator")."""

import pytest

from assistant.operator.catalog import TOOLS
from memory.models import MemoryRecord
from rooms.models import ClientCommand
from rooms.transactions import in_db
from tests import given
from tests.assistant.operator_stage import begin_brain, brain_of
from tests.memory import rooms_context
from tests.setup.desks import a_draft
from turns.models import Turn

pytestmark = pytest.mark.django_db(transaction=True)
COMMANDS = [tool.name for tool in TOOLS if "client_command_id" in tool.request.model_fields]
NOTE = {"kind": "note", "content": "x", "clientCommandId": "1"}


@pytest.fixture
async def fitting(server, clock) -> dict[str, dict]:
    """Arguments that each command takes: one that is refused for itself would prove nothing."""
    memory_id = await in_db(given.remembered, "one", clock=clock)
    identity_id = await in_db(given.identified, "agent:builder", "one", clock=clock)
    turn_id = await in_db(given.queued_turn, "builder", clock=clock)
    turn = await in_db(Turn.objects.get, turn_id=turn_id)
    work = {"to": ["agent:builder"], "content": "x"}
    of_builder = {"subjectActorId": "agent:builder", "kind": "note", "content": "x"}
    return {
        "send": work,
        "worker_dispatch": work,
        "worker_ask": {**work, "timeoutMs": 1},
        "dispatch_event": {"to": ["agent:builder"], "forwardedEventId": turn.source_event_id},
        "turn_cancel": {"turnId": turn_id},
        "turns_cancel": {"to": ["agent:builder"]},
        "agent_restart": {"agent": "agent:builder"},
        "context_compact": {},
        "context_reset": {},
        "memory_remember": {"kind": "note", "content": "x"},
        "agent_core_remember": of_builder,
        "memory_supersede": {"memoryId": memory_id, "content": "x"},
        "memory_retract": {"memoryId": memory_id},
        "identity_remember_for": of_builder,
        "identity_supersede": {"identityId": identity_id, "content": "x"},
        "identity_retract": {"identityId": identity_id},
        "setup_save": {"config": a_draft()},
    }


async def test_an_id_is_used_once_by_all_commands_of_the_assistant(brain, fitting):
    assert sorted(COMMANDS) == sorted(fitting)
    await brain.answer("memory_remember", kind="fact", content="the first", clientCommandId="1")
    for tool in COMMANDS:
        refusal = await brain.refusal(tool, clientCommandId="1", **fitting[tool])
        assert refusal["code"] == "CLIENT_COMMAND_CONFLICT", tool


@pytest.mark.parametrize("tool", COMMANDS)
async def test_a_receipt_says_by_which_tool_it_came(brain, fitting, tool):
    await brain.answer(tool, clientCommandId="mine", **fitting[tool])
    receipt = await in_db(ClientCommand.objects.get, client_command_id="mine")
    assert (receipt.binding_id, receipt.command_type) == ("binding:operator", f"operator.{tool}")


async def test_a_later_brain_gets_the_answer_of_an_earlier_one_and_does_nothing_again(server, brain, clock):
    answer = await brain.answer("memory_remember", **NOTE)
    await in_db(begin_brain, clock, "the handle of the next run")
    later = brain_of(server, "the handle of the next run")
    assert await later.answer("memory_remember", **NOTE) == answer
    assert await in_db(MemoryRecord.objects.count) == 1


async def test_ids_of_the_assistant_and_of_the_person_do_not_meet(brain, clock):
    await in_db(rooms_context.reset, clock=clock, command_id="1")
    assert await brain.answer("memory_remember", **NOTE)


async def test_what_is_no_tool_of_the_assistant_is_said_with_those_there_are(brain):
    for name in ("watch", "steer", "publish", "nonsense"):
        refusal = await brain.refusal(name)
        assert (refusal["code"], refusal["details"]["tools"]) == ("NOT_FOUND", [tool.name for tool in TOOLS])
