"""Who may call the operator's tools, and what holds for every one of them (docs/mcp.md,
"Operator"). Seed contract, section 12."""

import re

import pytest

from assistant.actions.take_over import take_over
from assistant.operator.catalog import TOOLS
from rooms.models import Event
from rooms.transactions import in_db
from tests import given
from tests.architecture.sources import ROOT
from tests.assistant.operator_stage import HANDLE
from tests.turns.test_tool_server import PLAIN, keywords
from tests.turns.tool_clients import AGENTS, ERAS, http_to, tool_server, tools_for

pytestmark = pytest.mark.django_db(transaction=True)
INITIALIZE = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
JSON = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}


async def refused(server, handle: str | None, **headers: str) -> tuple[int, str]:
    async with http_to(server, handle) as http:
        answer = await http.post("/mcp", json=INITIALIZE, headers={**JSON, **headers})
    return answer.status_code, answer.json()["error"]["code"]


@pytest.mark.parametrize("era", ERAS)
async def test_the_brain_of_this_run_gets_all_tools_in_no_turn(server, era):
    async with tools_for(server, HANDLE, era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in TOOLS]
        assert (await client.call_tool("roster", {})).structured_content["agents"]


async def test_nobody_else_is_let_in_and_the_brain_not_where_the_agents_are(server, clock):
    await in_db(given.running_turn, "builder", clock=clock)
    member = given.last_handle()

    assert [await refused(server, handle) for handle in (None, "", "other", member)] == [
        (400, "MCP_BINDING_MISMATCH")
    ] * 4
    async with tool_server(clock) as agents:
        assert await refused(agents, HANDLE) == (400, "MCP_BINDING_MISMATCH")
    assert await refused(server, HANDLE, Origin="http://127.0.0.1:4310") == (403, "ORIGIN_FORBIDDEN")


async def test_a_brain_that_was_replaced_is_let_in_no_more(server, brain, clock):
    assert await brain.answer("roster")
    await in_db(_another_brain, clock)
    assert await refused(server, HANDLE) == (400, "MCP_BINDING_MISMATCH")


def _another_brain(clock) -> None:
    take_over("other", "another handle", driver="acp", cwd="/room", pid=2, clock=clock)


async def test_schemas_are_plain_and_tell_who_is_there(server):
    async with tools_for(server, HANDLE, "legacy") as client:
        listed = (await client.list_tools()).tools
        told = client.instructions
    for tool in listed:
        assert keywords(tool.input_schema) | keywords(tool.output_schema) <= PLAIN, tool.name
        assert tool.input_schema["additionalProperties"] is False
    assert all(name in told for name in AGENTS)


@pytest.mark.parametrize("tool", [tool.name for tool in TOOLS])
async def test_no_tool_takes_a_sender_at_any_depth_or_a_field_it_does_not_know(server, brain, tool):
    before = await in_db(Event.objects.count)
    for name in ("from", "actor", "author", "provenance", "eventId"):
        deep = await brain.refusal(tool, to=[{"x": [{name: "user:web"}]}])
        assert deep["code"] == "SENDER_FIELD_FORBIDDEN" and name in str(deep["details"]["issues"])
    assert (await brain.refusal(tool, unknownField=1))["code"] == "INVALID_ENVELOPE"
    assert await in_db(Event.objects.count) == before


def test_every_tool_is_documented():
    operator = (ROOT / "docs" / "mcp.md").read_text().partition("\n## Operator\n")[2].partition("\n## ")[0]
    listed = re.findall(r"^\| `(\w+)` \|", operator, re.M)
    assert listed == [tool.name for tool in TOOLS], "in the order in which the assistant sees them"
    described = operator.partition("### ")[2]
    assert [tool.name for tool in TOOLS if f"`{tool.name}`" not in described] == []
