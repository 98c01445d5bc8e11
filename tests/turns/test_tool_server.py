"""What holds for every call of a tool (seed contract, sections 3 and 12; docs/mcp.md)."""

import json

import pytest

from groupx.kernel.shapes import OwnShape
from rooms.transactions import in_db
from tests import given
from tests.architecture.sources import ROOT
from tests.fakes.clock import FakeClock
from tests.locked_database import locked_database, short_patience
from tests.turns.tool_clients import AGENTS, ERAS, AgentAtWork, http_to, room_of_tools, tool_server, tools_for
from turns.tools.catalog import TOOLS
from turns.tools.member_desk import MemberDesk
from turns.tools.server import session_manager
from turns.tools.tool import Tool

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


def test_the_tools_of_the_contract_are_there_and_documented():
    names = [tool.name for tool in TOOLS]
    assert set(names) == {
        "send", "publish", "ask", "collect", "read", "watch", "steer", "memory_search", "memory_remember",
        "core_memory_remember", "identity_read", "identity_remember",
    }  # fmt: skip
    document = (ROOT / "docs" / "mcp.md").read_text()
    assert [name for name in names if f"\n## {name}\n" not in document or f"\n| `{name}` |" not in document] == []


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


async def test_agents_are_told_who_is_in_the_room(server, agent):
    async with tools_for(server, agent.handle, "legacy") as client:
        send = next(tool for tool in (await client.list_tools()).tools if tool.name == "send")
        told = client.instructions

    for name in AGENTS:
        assert name in told
        assert name in send.input_schema["properties"]["to"]["description"]


SELF_EXPLANATORY = {"content", "limit", "subjectActorId"}


async def test_each_argument_of_each_tool_is_explained(server, agent):
    async with tools_for(server, agent.handle) as client:
        listed = (await client.list_tools()).tools
    unexplained = [
        (tool.name, name)
        for tool in listed
        for name, schema in tool.input_schema["properties"].items()
        if name not in SELF_EXPLANATORY and not {"description", "enum"} & set(schema)
    ]
    assert unexplained == []


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


@pytest.mark.parametrize("text", [r"a\u0000b", r"a\ud83d", r"\udc00", r"😀\ud83d\ude00\ud83d"])
async def test_text_that_no_store_keeps_is_refused_with_its_place(agent, text):
    """As JavaScript writes it; Python's client cannot send it."""
    arguments = f'{{"content": "{text}", "clientCommandId": "1"}}'
    body = f'{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"publish","arguments":{arguments}}}}}'
    async with http_to(agent.server, agent.handle) as http:
        headers = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}
        answer = await http.post("/mcp", content=body, headers=headers)

    result = json.loads(answer.text.partition("data: ")[2])["result"]
    assert result["isError"]
    assert result["structuredContent"]["code"] == "INVALID_ENVELOPE"
    assert result["structuredContent"]["details"]["issues"][0]["path"] == "content"


async def test_arguments_nested_too_deeply_are_refused(agent):
    deep: object = "x"
    for _ in range(100):
        deep = [deep]

    assert (await agent.refusal("read", more=deep))["code"] == "INVALID_ENVELOPE"


async def test_between_turns_no_tool_works(server, clock):
    await in_db(given.completed_turn, "builder", clock=clock)

    assert (await AgentAtWork(server, given.last_handle()).refusal("read"))["code"] == "SESSION_NOT_AVAILABLE"


async def test_a_database_that_does_not_answer_is_said_to_the_agent(agent):
    with short_patience(), locked_database():
        refusal = await agent.refusal("publish", content="x", clientCommandId="1")

    assert refusal["code"] == "STORE_UNAVAILABLE"


class Nothing(OwnShape):
    pass


async def _break(request, call):
    raise ZeroDivisionError("of a secret")


async def test_a_fault_of_ours_is_told_without_its_words(agent, capsys):
    tool = Tool(name="break", description="Breaks.", request=Nothing, answer=dict[str, str], run=_break)
    async with room_of_tools(FakeClock()) as room:
        manager = session_manager(MemberDesk(room, [tool]))
        async with manager.run():
            refusal = await AgentAtWork(manager.handle_request, agent.handle).refusal("break")

    assert refusal == {"code": "INTERNAL_ERROR", "message": "Something went wrong in GroupX; its log says more."}
    assert "ZeroDivisionError: of a secret" in capsys.readouterr().out


async def test_the_text_of_an_answer_is_one_line_by_the_rules_of_unicode_too(server, agent):
    said = "one\u2028two\u2029three\u0085four"
    await agent.answer("publish", clientCommandId="1", content=said)

    async with tools_for(server, agent.handle) as client:
        result = await client.call_tool("read", {})

    [text] = result.content
    assert len(text.text.splitlines()) == 1
    assert said in [event["body"].get("content") for event in json.loads(text.text)["events"]]
