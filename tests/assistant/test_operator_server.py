"""The operator's MCP server: who may call, what holds for every tool (protocol sections 3 and 12; docs/mcp.md)."""

import json

import pytest

from assistant.operator.catalog import TOOLS
from groupx.kernel.shapes import SENDER_FIELDS
from memory.models import MemoryRecord
from rooms.transactions import in_db
from tests import given
from tests.assistant.operator_clients import HANDLE, a_brain, operator_server
from tests.memory import rooms_context
from tests.turns.test_tool_server import PLAIN, keywords
from tests.turns.tool_clients import ERAS, http_to, tool_server, tools_for

pytestmark = pytest.mark.django_db(transaction=True)
LIST_TOOLS = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
COMMANDS = [tool for tool in TOOLS if "clientCommandId" in tool.request.model_json_schema()["properties"]]
NOTE = {"kind": "note", "content": "x", "clientCommandId": "1"}


async def refused(server, handle: str | None, method: str = "POST") -> tuple[int, str]:
    async with http_to(server, handle) as http:
        answer = await http.request(
            method, "/operator/mcp", content=json.dumps(LIST_TOOLS), headers={"Content-Type": "application/json"}
        )
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_of_either_era_gets_all_tools_and_can_call_them_in_no_turn(assistant, era):
    async with tools_for(assistant.server, HANDLE, era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in TOOLS]
        assert (await client.call_tool("context_usage", {})).structured_content["roomId"] == "room:main"


async def test_nobody_is_served_before_there_is_a_brain_or_without_its_handle(live_room, clock, tmp_path):
    async with operator_server(clock, tmp_path) as server:
        for handle in (None, "invented"):
            assert await refused(server, handle) == (400, "MCP_BINDING_MISMATCH")
        await a_brain(server, clock)
        for handle in (None, "invented"):
            assert await refused(server, handle) == (400, "MCP_BINDING_MISMATCH")
        assert await refused(server, HANDLE, method="GET") == (405, "METHOD_NOT_ALLOWED")


async def test_the_handle_of_an_earlier_run_opens_nothing(assistant, clock):
    await a_brain(assistant.server, clock, handle="of the next run")
    assert await refused(assistant.server, HANDLE) == (400, "MCP_BINDING_MISMATCH")


async def test_the_handle_of_an_agent_does_not_open_it_and_its_own_does_not_open_that_of_agents(assistant, clock):
    await in_db(given.running_turn, "builder", clock=clock)
    assert await refused(assistant.server, given.last_handle()) == (400, "MCP_BINDING_MISMATCH")
    async with tool_server(clock) as members:
        assert await refused(members, HANDLE) == (400, "MCP_BINDING_MISMATCH")


async def test_tools_are_told_in_schemas_that_every_client_understands(assistant):
    async with tools_for(assistant.server, HANDLE) as client:
        listed = (await client.list_tools()).tools
    for tool in listed:
        assert keywords(tool.input_schema) | keywords(tool.output_schema or {}) <= PLAIN, tool.name
        assert "required" not in (tool.output_schema or {}), tool.name
        assert tool.input_schema["additionalProperties"] is False, tool.name


async def refusals(assistant, tool, *calls: dict) -> list[dict]:
    async with tools_for(assistant.server, HANDLE) as client:
        results = [await client.call_tool(tool.name, arguments) for arguments in calls]
    assert all(result.is_error for result in results)
    return [result.structured_content for result in results]


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_a_sender_is_refused_at_any_depth(assistant, tool):
    calls = [{"config": {"agents": [{"brain": {field: {}}}]}} for field in SENDER_FIELDS]
    for refusal in await refusals(assistant, tool, {SENDER_FIELDS[0]: "user:web"}, *calls):
        assert refusal["code"] == "SENDER_FIELD_FORBIDDEN"


@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: tool.name)
async def test_what_a_tool_does_not_know_is_refused(assistant, tool):
    unknown = ("bindingId", "roomId", "access")
    for field, refusal in zip(
        unknown, await refusals(assistant, tool, *({field: "x"} for field in unknown)), strict=True
    ):
        assert refusal["code"] == "INVALID_ENVELOPE"
        assert field in [issue["path"] for issue in refusal["details"]["issues"]]


async def test_what_is_no_tool_of_the_assistant_is_said_with_those_there_are(assistant):
    for name in ("watch", "steer", "publish", "nonsense"):
        refusal = await assistant.refusal(name)
        assert (refusal["code"], refusal["details"]["tools"]) == ("NOT_FOUND", [tool.name for tool in TOOLS])


async def test_the_same_command_does_nothing_again_and_gives_the_first_answer_to_a_later_brain(assistant, clock):
    answer = await assistant.answer("memory_remember", **NOTE)
    later = await a_brain(assistant.server, clock, handle="of the next run")
    assert await later.answer("memory_remember", **NOTE) == answer
    assert await in_db(MemoryRecord.objects.count) == 1


async def test_an_id_is_used_once_by_all_commands_of_the_assistant(assistant, clock):
    """With what fits each: one that is refused for itself would prove nothing."""
    memory_id = await in_db(given.remembered, "one", clock=clock)
    identity_id = await in_db(given.identified, "agent:builder", "one", clock=clock)
    of_builder = {"subjectActorId": "agent:builder"}
    fitting = {
        "memory_remember": {"kind": "note", "content": "y"},
        "agent_core_remember": {"kind": "note", "content": "x", **of_builder},
        "memory_supersede": {"memoryId": memory_id, "content": "x"},
        "memory_retract": {"memoryId": memory_id},
        "identity_remember_for": {"kind": "note", "content": "x", **of_builder},
        "identity_supersede": {"identityId": identity_id, "content": "x"},
        "identity_retract": {"identityId": identity_id},
        "setup_save": {"config": {}},
    }
    await assistant.answer("memory_remember", **NOTE)
    for tool in COMMANDS:
        refusal = await assistant.refusal(tool.name, clientCommandId="1", **fitting.get(tool.name, {}))
        assert refusal["code"] == "CLIENT_COMMAND_CONFLICT", tool.name


async def test_ids_of_the_assistant_and_of_the_person_do_not_meet(assistant, clock):
    await in_db(rooms_context.reset, clock=clock, command_id="1")
    await assistant.answer("memory_remember", **NOTE)
