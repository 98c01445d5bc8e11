"""What holds for every call of a tool (seed contract, sections 3 and 12; docs/mcp.md)."""

import pytest

from rooms.transactions import in_db
from tests import given
from tests.turns.tool_clients import ERAS, AgentAtWork, tool_server, tools_for
from turns.tools.catalog import TOOLS

pytestmark = pytest.mark.django_db(transaction=True)
PLAIN = {
    "type", "description", "enum", "properties", "required", "items", "additionalProperties", "default", "minimum",
    "maximum", "minItems", "maxItems", "minLength", "maxLength",
}  # fmt: skip


@pytest.fixture
async def server(live_room, clock):
    async with tool_server(clock) as mount:
        yield mount


@pytest.fixture
async def agent(server, clock):
    """In a turn."""
    await in_db(given.running_turn, "builder", clock=clock)
    return AgentAtWork(server, given.last_handle())


@pytest.mark.parametrize("era", ERAS)
async def test_a_client_of_either_era_gets_all_tools_and_can_call_them(server, agent, era):
    async with tools_for(server, agent.handle, era) as client:
        assert [tool.name for tool in (await client.list_tools()).tools] == [tool.name for tool in TOOLS]
        assert (await client.call_tool("read", {})).structured_content["events"]


def keywords(schema: dict) -> set[str]:
    found = set(schema)
    for inner in (*schema.get("properties", {}).values(), schema.get("items"), schema.get("additionalProperties")):
        if isinstance(inner, dict):
            found |= keywords(inner)
    return found


async def test_schemas_are_plain_and_hold_errors_too(server, agent):
    async with tools_for(server, agent.handle) as client:
        listed = (await client.list_tools()).tools
    for tool in listed:
        assert keywords(tool.input_schema) | keywords(tool.output_schema) <= PLAIN, tool.name
        assert tool.input_schema["additionalProperties"] is False
        assert "required" not in tool.output_schema and "additionalProperties" not in tool.output_schema


async def test_a_tool_that_is_not_there_is_told_with_those_that_are(agent):
    refusal = await agent.refusal("groupx.send", content="x")

    assert refusal["code"] == "NOT_FOUND"
    assert refusal["details"]["tools"] == [tool.name for tool in TOOLS]
    assert "send, publish" in refusal["message"]


async def test_arguments_that_do_not_fit_are_named_one_by_one(agent):
    refusal = await agent.refusal("send", to="agent:reviewer", content=" ", more=1)

    assert refusal["code"] == "INVALID_ENVELOPE"
    assert {each["path"] for each in refusal["details"]["issues"]} == {"to", "content", "more", "clientCommandId"}


@pytest.mark.parametrize("field", ["from", "actor", "author", "provenance", "eventId"])
async def test_a_sender_is_refused_at_any_depth(agent, field):
    deep = {"a": [{"b": {"c": [[{field: "agent:reviewer"}]]}}]}
    refusal = await agent.refusal("send", to=["agent:reviewer"], content="x", clientCommandId="1", more=deep)

    assert refusal["code"] == "SENDER_FIELD_FORBIDDEN"
    assert refusal["details"]["issues"][0]["path"] == f"more.a.0.b.c.0.0.{field}"


@pytest.mark.parametrize("text", ["a\0b"])
async def test_text_that_no_store_keeps_is_refused_with_its_place(agent, text):
    refusal = await agent.refusal("publish", content=text, clientCommandId="1")

    assert refusal["code"] == "INVALID_ENVELOPE"
    assert refusal["details"]["issues"][0]["path"] == "content"


async def test_arguments_nested_too_deeply_are_refused(agent):
    deep: object = "x"
    for _ in range(100):
        deep = [deep]

    assert (await agent.refusal("read", more=deep))["code"] == "INVALID_ENVELOPE"


async def test_between_turns_no_tool_works(server, clock):
    await in_db(given.completed_turn, "builder", clock=clock)

    assert (await AgentAtWork(server, given.last_handle()).refusal("read"))["code"] == "SESSION_NOT_AVAILABLE"
