"""The tools of memory and identity, by the official client (docs/mcp.md, "memory_search" and after it)."""

import pytest

from memory.models import IdentityRecord, MemoryRecord
from rooms.models import Event
from rooms.transactions import in_db
from tests import given
from tests.turns.tool_clients import AgentAtWork, tool_server
from turns.models import Turn
from turns.queries.reading import PAGE_CHARS, TEXT_CHARS

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def agent(live_room, clock):
    """Builder, in a turn."""
    async with tool_server(clock) as server:
        await in_db(given.running_turn, "builder", clock=clock)
        yield AgentAtWork(server, given.last_handle())


async def the_record(answer) -> MemoryRecord:
    return await in_db(MemoryRecord.objects.select_related("author").get, record_id=answer["memoryId"])


async def test_what_an_agent_remembers_is_the_rooms_and_follows_from_its_turn(agent):
    kept = await agent.answer("memory_remember", kind="decision", content="we use uv", clientCommandId="1")

    record, turn = await the_record(kept), await in_db(Turn.objects.get)
    event = await in_db(Event.objects.get, event_id=kept["eventId"])
    assert (record.scope_type, record.scope_id) == ("room", "room:main")
    assert (record.author_id, record.source_kind) == ("agent:builder", "mcp")
    assert record.source_event_id == turn.source_event_id
    assert (event.causation_id, event.correlation_id) == (turn.turn_id, turn.correlation_id)
    assert (event.actor_id, event.source_kind, event.type) == ("agent:builder", "mcp", "memory.remembered")


async def test_a_conversation_can_be_remembered_alone_an_agent_not(agent):
    correlation = (await in_db(Turn.objects.get)).correlation_id
    scope = {"type": "correlation", "id": correlation}
    kept = await agent.answer("memory_remember", scope=scope, kind="note", content="x", clientCommandId="1")
    assert (await the_record(kept)).scope_id == correlation

    scope = {"type": "agent", "id": "agent:reviewer"}
    refusal = await agent.refusal("memory_remember", scope=scope, kind="note", content="x", clientCommandId="2")
    assert (refusal["code"], refusal["details"]["issues"][0]["path"]) == ("INVALID_ENVELOPE", "scope.type")


async def test_core_memory_and_identity_are_of_the_caller_itself(agent):
    kept = await agent.answer("core_memory_remember", kind="preference", content="small steps", clientCommandId="1")
    record = await the_record(kept)
    assert (record.scope_id, record.subject_id, record.author_id, record.agent_memory_type) == (
        "agent:builder", "agent:builder", "agent:builder", "core",
    )  # fmt: skip

    said = await agent.answer("identity_remember", kind="note", content="careful", clientCommandId="2")
    identity = await in_db(IdentityRecord.objects.get, record_id=said["identityId"])
    assert (identity.subject_id, identity.author_id, identity.source_kind) == ("agent:builder", "agent:builder", "mcp")


@pytest.mark.parametrize("tool", ["core_memory_remember", "identity_remember"])
@pytest.mark.parametrize("field", ["subjectActorId", "scope", "agentMemoryType", "bindingId"])
async def test_whose_it_is_cannot_be_said(agent, tool, field):
    refusal = await agent.refusal(tool, kind="note", content="x", clientCommandId="1", **{field: "agent:reviewer"})
    assert (refusal["code"], refusal["details"]["issues"][0]["path"]) == ("INVALID_ENVELOPE", field)


@pytest.mark.parametrize("tool", ["memory_remember", "core_memory_remember", "identity_remember"])
async def test_a_command_that_is_sent_twice_keeps_one_record(agent, tool):
    answers = [await agent.answer(tool, kind="note", content="x", clientCommandId="1") for _ in range(2)]
    assert answers[0] == answers[1]
    refusal = await agent.refusal(tool, kind="note", content="y", clientCommandId="1")
    assert refusal["code"] == "CLIENT_COMMAND_CONFLICT"


async def test_ids_of_commands_are_shared_by_all_tools_of_a_session(agent):
    await agent.answer("publish", content="x", clientCommandId="1")
    for tool in ("memory_remember", "core_memory_remember", "identity_remember"):
        refusal = await agent.refusal(tool, kind="note", content="x", clientCommandId="1")
        assert refusal["code"] == "CLIENT_COMMAND_CONFLICT"


async def test_an_agent_finds_what_is_the_rooms_and_its_own_but_not_what_is_another_ones(agent, clock):
    await in_db(given.remembered, "a needle of the room", clock=clock)
    await in_db(given.core_memory, "builder", "a needle of builder", clock=clock)
    await in_db(given.core_memory, "reviewer", "a needle of reviewer", clock=clock)

    found = await agent.answer("memory_search", query="needle")
    assert {item["content"] for item in found["items"]} == {"a needle of the room", "a needle of builder"}
    assert (await agent.answer("memory_search", scopeId="agent:reviewer"))["items"] == []
    everything = await agent.answer("memory_search", limit=1)
    assert [item["content"] for item in everything["items"]] == ["a needle of builder"]
    rest = await agent.answer("memory_search", cursor=everything["nextCursor"])
    assert [item["content"] for item in rest["items"]] == ["a needle of the room"]


async def test_long_memories_are_cut_among_others_and_given_at_length_alone(agent, clock):
    await in_db(given.remembered, "x" * (PAGE_CHARS + 1), clock=clock)

    [item] = (await agent.answer("memory_search"))["items"]
    assert (len(item["content"]), item["truncated"], item["fullLength"]) == (TEXT_CHARS, True, PAGE_CHARS + 1)
    [item] = (await agent.answer("memory_search", limit=1))["items"]
    assert len(item["content"]) == PAGE_CHARS


async def test_who_somebody_is_is_read_as_configured_and_as_said(agent, clock):
    await in_db(given.identified, "agent:builder", "is careful", clock=clock)
    await in_db(given.identified, "agent:reviewer", "is strict", clock=clock)

    mine = await agent.answer("identity_read")
    assert (mine["subjectActorId"], mine["displayName"]) == ("agent:builder", "Builder")
    assert [item["content"] for item in mine["items"]] == ["is careful"]
    other = await agent.answer("identity_read", subjectActorId="agent:reviewer", query="strict")
    assert [item["content"] for item in other["items"]] == ["is strict"]
    assert (await agent.refusal("identity_read", subjectActorId="agent:nobody"))["code"] == "UNKNOWN_ACTOR"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"kind": "summary"}, "INVALID_ENVELOPE"),
        ({"content": " "}, "INVALID_ENVELOPE"),
        ({"content": "x" * 131_073}, "MESSAGE_TOO_LARGE"),
        ({"sourceEventId": "evt_none"}, "NOT_FOUND"),
        ({"subjectActorId": "agent:nobody"}, "UNKNOWN_ACTOR"),
        ({"scope": {"type": "correlation", "id": "corr_none"}}, "NOT_FOUND"),
        ({"author": "user:web"}, "SENDER_FIELD_FORBIDDEN"),
    ],
)
async def test_what_does_not_fit_is_refused_and_leaves_nothing(agent, arguments, code):
    asked = {"kind": "note", "content": "x", "clientCommandId": "1"} | arguments
    assert (await agent.refusal("memory_remember", **asked))["code"] == code
    assert not await in_db(MemoryRecord.objects.exists)
