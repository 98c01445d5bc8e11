"""The assistant's tools of memory, by the official client (docs/mcp.md, "Operator")."""

from datetime import date

import pytest

from memory.models import MemoryRecord
from rooms.models import ClientCommand, Event
from rooms.transactions import in_db
from tests import given, given_context
from turns.queries.reading import PAGE_CHARS, TEXT_CHARS

pytestmark = pytest.mark.django_db(transaction=True)
DAY = date(2026, 11, 30)


async def record_of(answer: dict) -> MemoryRecord:
    return await in_db(MemoryRecord.objects.get, record_id=answer["memoryId"])


async def status_of(memory_id: str) -> str:
    return (await in_db(MemoryRecord.objects.get, record_id=memory_id)).status


async def test_what_it_remembers_is_the_rooms_by_the_assistant_out_of_no_turn(brain):
    kept = await brain.answer("memory_remember", kind="decision", content="we use uv", clientCommandId="1")

    record, event = await record_of(kept), await in_db(Event.objects.get, event_id=kept["eventId"])
    assert (record.scope_type, record.scope_id, record.source_event_id) == ("room", "room:main", None)
    assert (record.author_id, record.source_kind) == ("user:assistant", "operator")
    assert (event.type, event.actor_id, event.source_kind) == ("memory.remembered", "user:assistant", "operator")
    assert event.causation_id is None
    receipt = await in_db(ClientCommand.objects.get)
    assert (receipt.binding_id, receipt.command_type) == ("binding:operator", "operator.memory_remember")


async def test_a_conversation_can_be_remembered_alone(brain, clock):
    sent = (await in_db(given.sent, given.a_message("builder"), clock=clock)).result
    scope = {"type": "correlation", "id": sent["correlationId"]}
    kept = await brain.answer(
        "memory_remember", scope=scope, kind="note", content="x", subjectActorId="agent:builder",
        sourceEventId=sent["messageEventId"], clientCommandId="1",
    )  # fmt: skip
    record = await record_of(kept)
    assert (record.scope_id, record.subject_id, record.source_event_id) == (
        sent["correlationId"], "agent:builder", sent["messageEventId"],
    )  # fmt: skip


async def test_core_memory_is_of_the_agent_that_is_named_and_says_who_wrote_it(brain):
    kept = await brain.answer(
        "agent_core_remember", subjectActorId="agent:builder", kind="preference", content="small steps",
        clientCommandId="1",
    )  # fmt: skip
    record = await record_of(kept)
    assert (record.scope_type, record.scope_id, record.subject_id, record.agent_memory_type) == (
        "agent", "agent:builder", "agent:builder", "core",
    )  # fmt: skip
    assert (record.author_id, record.source_kind) == ("user:assistant", "operator")


async def test_a_new_version_takes_the_place_of_the_old_one(brain, clock):
    old = await in_db(given.core_memory, "builder", "one", clock=clock)
    kept = await brain.answer("memory_supersede", memoryId=old, content="two", kind="fact", clientCommandId="1")

    record = await record_of(kept)
    assert (kept["supersedes"], await status_of(old)) == (old, "superseded")
    assert (record.content, record.kind, record.scope_id, record.author_id) == (
        "two", "fact", "agent:builder", "user:assistant",
    )  # fmt: skip


async def test_a_memory_is_taken_back_once(brain, clock):
    memory_id = await in_db(given.remembered, "one", clock=clock)
    answer = await brain.answer("memory_retract", memoryId=memory_id, clientCommandId="1")
    assert (answer["memoryId"], answer["status"], await status_of(memory_id)) == (memory_id, "retracted", "retracted")

    for tool, more in (("memory_retract", {}), ("memory_supersede", {"content": "two"})):
        refusal = await brain.refusal(tool, memoryId=memory_id, clientCommandId=f"{tool}-2", **more)
        assert refusal["code"] == "STORE_CONFLICT"
        assert (await brain.refusal(tool, memoryId="mem_1", clientCommandId="3", **more))["code"] == "NOT_FOUND"


async def test_dated_memory_is_found_and_retracted_and_never_written(brain, clock):
    memory_id = await in_db(given_context.day_kept, "builder", DAY, "built the parser", clock=clock)

    [found] = (await brain.answer("memory_search", agentMemoryType="dated"))["items"]
    assert (found["memoryId"], found["day"], found["scope"]["id"]) == (memory_id, "2026-11-30", "agent:builder")

    refusal = await brain.refusal("memory_supersede", memoryId=memory_id, content="x", clientCommandId="1")
    assert (refusal["code"], await status_of(memory_id)) == ("STORE_CONFLICT", "active")
    for tool, more in (("memory_remember", {}), ("agent_core_remember", {"subjectActorId": "agent:builder"})):
        refusal = await brain.refusal(
            tool, agentMemoryType="dated", kind="note", content="x", clientCommandId="2", **more
        )
        assert (refusal["code"], refusal["details"]["issues"][0]["path"]) == ("INVALID_ENVELOPE", "agentMemoryType")

    answer = await brain.answer("memory_retract", memoryId=memory_id, clientCommandId="3")
    assert (answer["status"], await status_of(memory_id)) == ("retracted", "retracted")


async def test_it_finds_what_is_the_rooms_and_what_each_agent_keeps_for_itself(brain, clock):
    await in_db(given.remembered, "a needle of the room", clock=clock)
    await in_db(given.core_memory, "builder", "a needle of builder", clock=clock)
    await in_db(given.core_memory, "reviewer", "a needle of reviewer", clock=clock)

    found = await brain.answer("memory_search", query="needle")
    assert {item["content"] for item in found["items"]} == {
        "a needle of the room", "a needle of builder", "a needle of reviewer",
    }  # fmt: skip
    first = await brain.answer("memory_search", scopeType="agent", limit=1)
    assert [item["content"] for item in first["items"]] == ["a needle of reviewer"]
    rest = await brain.answer("memory_search", scopeType="agent", cursor=first["nextCursor"])
    assert [item["content"] for item in rest["items"]] == ["a needle of builder"]


async def test_a_search_can_be_narrowed_by_status_kind_author_and_subject(brain, clock):
    await in_db(given.retracted, await in_db(given.remembered, "old", clock=clock), clock=clock)
    await in_db(given.remembered, "new", clock=clock, kind="decision")
    await brain.answer("memory_remember", kind="note", content="mine", clientCommandId="1")

    async def contents(**filters: str) -> list[str]:
        return [item["content"] for item in (await brain.answer("memory_search", **filters))["items"]]

    assert await contents(status="retracted") == ["old"]
    assert await contents(status="any") == ["mine", "new", "old"]
    assert await contents(kind="decision") == ["new"]
    assert await contents(authorActorId="user:assistant") == ["mine"]
    assert await contents(subjectActorId="agent:builder") == []


async def test_long_memories_are_cut_among_others_and_given_at_length_alone(brain, clock):
    await in_db(given.remembered, "x" * (PAGE_CHARS + 1), clock=clock)

    [item] = (await brain.answer("memory_search"))["items"]
    assert (len(item["content"]), item["truncated"], item["fullLength"]) == (TEXT_CHARS, True, PAGE_CHARS + 1)
    [item] = (await brain.answer("memory_search", limit=1))["items"]
    assert len(item["content"]) == PAGE_CHARS


NOTE = {"kind": "note", "content": "x", "clientCommandId": "1"}
OF_ONE = {"memoryId": "mem_1", "content": "x", "clientCommandId": "1"}
OF_BUILDER = NOTE | {"subjectActorId": "agent:builder"}


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "path"),
    [
        ("memory_remember", NOTE | {"kind": "summary"}, "INVALID_ENVELOPE", "kind"),
        ("memory_remember", NOTE | {"content": " "}, "INVALID_ENVELOPE", "content"),
        ("memory_remember", NOTE | {"content": "x" * 131_073}, "MESSAGE_TOO_LARGE", "content"),
        ("memory_remember", NOTE | {"sourceEventId": "evt_none"}, "NOT_FOUND", "sourceEventId"),
        ("memory_remember", NOTE | {"subjectActorId": "agent:nobody"}, "UNKNOWN_ACTOR", "subjectActorId"),
        ("memory_remember", NOTE | {"scope": {"type": "correlation", "id": "corr_0"}}, "NOT_FOUND", "scope.id"),
        ("memory_remember", NOTE | {"scope": {"type": "agent", "id": "agent:a"}}, "INVALID_ENVELOPE", "scope.type"),
        ("agent_core_remember", NOTE, "INVALID_ENVELOPE", "subjectActorId"),
        ("agent_core_remember", OF_BUILDER | {"subjectActorId": "agent:nobody"}, "UNKNOWN_ACTOR", "subjectActorId"),
        ("agent_core_remember", OF_BUILDER | {"subjectActorId": "user:web"}, "UNKNOWN_ACTOR", "subjectActorId"),
        ("agent_core_remember", OF_BUILDER | {"scope": {"type": "room"}}, "INVALID_ENVELOPE", "scope"),
        ("agent_core_remember", OF_BUILDER | {"content": "x" * 131_073}, "MESSAGE_TOO_LARGE", "content"),
        ("memory_supersede", OF_ONE | {"content": "x" * 131_073}, "MESSAGE_TOO_LARGE", "content"),
        ("memory_supersede", OF_ONE | {"clientCommandId": ""}, "INVALID_ENVELOPE", "clientCommandId"),
        ("memory_retract", {"clientCommandId": "1"}, "INVALID_ENVELOPE", "memoryId"),
        ("memory_search", {"limit": 101}, "INVALID_ENVELOPE", "limit"),
        ("memory_search", {"scope": "room"}, "INVALID_ENVELOPE", "scope"),
    ],
)  # fmt: skip
async def test_what_does_not_fit_is_refused_with_its_field_and_leaves_nothing(brain, tool, arguments, code, path):
    refusal = await brain.refusal(tool, **arguments)
    assert (refusal["code"], refusal["details"]["issues"][0]["path"]) == (code, path)
    assert not await in_db(MemoryRecord.objects.exists)
