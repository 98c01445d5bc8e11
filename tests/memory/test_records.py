"""Memory and identity: kept, superseded, retracted, never edited (our contract: docs/memory.md)."""

import pytest
from django.db import IntegrityError, transaction

from groupx.kernel.errors import ErrorCode, GroupXError
from memory import commands
from memory.models import IdentityRecord, MemoryRecord
from memory.requests import RememberMemory, ReviseMemory
from rooms.caller import web_caller
from rooms.models import ClientCommand, Event
from rooms.requests import Command
from tests import given


def refused(act, *args, **kwargs) -> ErrorCode:
    before = Event.objects.count(), ClientCommand.objects.count(), MemoryRecord.objects.count()
    with pytest.raises(GroupXError) as error:
        act(*args, **kwargs)
    assert (Event.objects.count(), ClientCommand.objects.count(), MemoryRecord.objects.count()) == before
    return error.value.code


def the_event(kind: str) -> Event:
    return Event.objects.get(type=kind)


def test_what_is_remembered_is_told_to_the_room_without_its_text(room, clock):
    source = given.sent(given.a_message("builder"), clock=clock).result["messageEventId"]
    memory_id = given.remembered("the secret text", clock=clock, sourceEventId=source, subjectActorId="agent:builder")

    record, event = MemoryRecord.objects.get(record_id=memory_id), the_event("memory.remembered")

    assert (record.status, record.author_id, record.source_kind, record.seq) == (
        "active", "user:web", "web", event.seq,
    )  # fmt: skip
    assert event.body == {
        "memoryId": memory_id,
        "scope": {"type": "room", "id": "room:main"},
        "kind": "fact",
        "subjectActorId": "agent:builder",
        "sourceEventId": source,
    }
    assert (event.actor_id, event.source_kind) == ("user:web", "web")


def test_the_author_is_who_calls(room, clock):
    caller = given.an_agent_that_calls("reviewer", clock=clock)
    memory = MemoryRecord.objects.get(record_id=given.remembered(clock=clock, caller=caller))
    identity = IdentityRecord.objects.get(
        record_id=given.identified("agent:builder", "is careful", clock=clock, caller=caller)
    )
    assert (memory.author_id, memory.source_kind) == ("agent:reviewer", "mcp")
    assert (identity.author_id, identity.subject_id) == ("agent:reviewer", "agent:builder")


def test_an_agents_own_memory_is_about_that_agent_and_has_a_layer(room, clock):
    record = MemoryRecord.objects.get(record_id=given.core_memory("builder", "I prefer uv", clock=clock))
    assert (record.scope_id, record.subject_id, record.agent_memory_type) == (
        "agent:builder", "agent:builder", "core",
    )  # fmt: skip


def test_nobody_writes_into_another_agents_own_memory_but_a_person(room, clock):
    caller = given.an_agent_that_calls("reviewer", clock=clock)
    assert refused(given.core_memory, "builder", "obey me", clock=clock, caller=caller) is ErrorCode.INVALID_ENVELOPE
    about = {"subjectActorId": "agent:reviewer"}
    assert refused(given.core_memory, "builder", "x", clock=clock, **about) is ErrorCode.INVALID_ENVELOPE


@pytest.mark.parametrize(
    ("more", "code"),
    [
        ({"scope": {"type": "room", "id": "room:other"}}, ErrorCode.NOT_FOUND),
        ({"scope": {"type": "correlation", "id": "corr_none"}}, ErrorCode.NOT_FOUND),
        ({"scope": {"type": "agent", "id": "agent:nobody"}}, ErrorCode.UNKNOWN_ACTOR),
        ({"scope": {"type": "agent", "id": "user:web"}}, ErrorCode.UNKNOWN_ACTOR),
        ({"agentMemoryType": "core"}, ErrorCode.INVALID_ENVELOPE),
        ({"subjectActorId": "agent:nobody"}, ErrorCode.UNKNOWN_ACTOR),
        ({"subjectActorId": "system:groupx"}, ErrorCode.UNKNOWN_ACTOR),
        ({"sourceEventId": "evt_none"}, ErrorCode.NOT_FOUND),
        ({"content": "x" * 131_073}, ErrorCode.MESSAGE_TOO_LARGE),
    ],
)
def test_what_points_nowhere_or_is_too_long_is_refused_and_leaves_nothing(more, code, room, clock):
    assert refused(given.remembered, **{"content": "x", "clock": clock, **more}) is code


def test_a_conversation_has_a_memory_of_its_own(room, clock):
    correlation = given.sent(given.a_message("builder"), clock=clock).result["correlationId"]
    memory_id = given.remembered(clock=clock, scope={"type": "correlation", "id": correlation})
    assert MemoryRecord.objects.get(record_id=memory_id).scope_id == correlation


def test_a_new_version_keeps_scope_layer_subject_and_kind_and_names_the_old_one(room, clock):
    old_id = given.core_memory("builder", "node 20", clock=clock, kind="preference")
    new_id = given.superseded(old_id, "node 22", clock=clock)

    old, new = (MemoryRecord.objects.get(record_id=each) for each in (old_id, new_id))

    assert (old.status, old.content) == ("superseded", "node 20")
    assert (new.status, new.content, new.supersedes) == ("active", "node 22", old)
    for field in ("scope_type", "scope_id", "agent_memory_type", "subject_id", "kind"):
        assert getattr(new, field) == getattr(old, field)
    body = the_event("memory.superseded").body
    assert (body["memoryId"], body["supersedes"]) == (new_id, old_id)


def test_a_retracted_record_stays_and_says_when(room, clock):
    memory_id = given.remembered(clock=clock)
    given.retracted(memory_id, clock=clock)
    record = MemoryRecord.objects.get(record_id=memory_id)
    assert (record.status, record.retracted_at) == ("retracted", clock.now())
    assert the_event("memory.retracted").body["memoryId"] == memory_id


@pytest.mark.parametrize("first", ["supersede", "retract"])
@pytest.mark.parametrize("second", ["supersede", "retract"])
def test_only_an_active_record_is_superseded_or_retracted(first, second, room, clock):
    memory_id = given.remembered(clock=clock)
    steps = {
        "supersede": lambda: given.superseded(memory_id, "new", clock=clock),
        "retract": lambda: given.retracted(memory_id, clock=clock),
    }
    steps[first]()
    assert refused(steps[second]) is ErrorCode.STORE_CONFLICT


def test_what_is_not_there_cannot_be_superseded(room, clock):
    assert refused(given.superseded, "mem_none", "x", clock=clock) is ErrorCode.NOT_FOUND
    assert refused(given.retracted, "mem_none", clock=clock) is ErrorCode.NOT_FOUND


def test_dated_memory_is_its_agents_alone_to_write_but_can_be_retracted(room, clock):
    memory_id = given.core_memory("builder", "x", clock=clock)
    row = MemoryRecord.objects.get(record_id=memory_id)
    dated = MemoryRecord.objects.create(
        **{f.attname: getattr(row, f.attname) for f in row._meta.concrete_fields if f.attname != "id"}
        | {"record_id": "mem_dated", "agent_memory_type": "dated", "day": clock.now().date()}
    )
    assert refused(given.superseded, dated.record_id, "y", clock=clock) is ErrorCode.STORE_CONFLICT
    given.retracted(dated.record_id, clock=clock)
    with pytest.raises(ValueError, match="core"):
        given.core_memory("builder", "x", clock=clock, agentMemoryType="dated")


# ---------------------------------------------------------------- commands
def test_the_same_command_keeps_one_record_and_gives_the_same_answer(room, clock):
    command = RememberMemory(client_command_id="once", kind="fact", content="x")
    receipts = [commands.remember(command, caller=web_caller(), clock=clock).text for _ in range(2)]
    assert receipts[0] == receipts[1] and MemoryRecord.objects.count() == 1


@pytest.mark.parametrize("change", [{"content": "y"}, {"kind": "note"}, {"subjectActorId": "agent:builder"}])
def test_the_same_command_id_with_anything_else_is_a_conflict(change, room, clock):
    given.remembered("x", clock=clock, clientCommandId="once")
    asked = {"content": "x", "clock": clock, "clientCommandId": "once", **change}
    assert refused(given.remembered, **asked) is ErrorCode.CLIENT_COMMAND_CONFLICT


def test_a_command_id_of_a_message_cannot_be_used_for_a_memory_nor_one_of_a_retract_for_a_revision(room, clock):
    message = given.a_message("builder")
    given.sent(message, clock=clock)
    taken = {"clientCommandId": message.client_command_id}
    assert refused(given.remembered, clock=clock, **taken) is ErrorCode.CLIENT_COMMAND_CONFLICT
    one, other = given.remembered("a", clock=clock), given.remembered("b", clock=clock)
    commands.retract(one, Command(client_command_id="r"), caller=web_caller(), clock=clock)
    revise = ReviseMemory(client_command_id="r", content="c")
    code = refused(commands.supersede, other, revise, caller=web_caller(), clock=clock)
    assert code is ErrorCode.CLIENT_COMMAND_CONFLICT


# ---------------------------------------------------------------- the database's own rules
@pytest.mark.parametrize(
    "change",
    [{"content": "edited"}, {"kind": "note"}, {"author_id": "agent:builder"}, {"seq": 99}, {"scope_id": "room:x"},
     {"status": "active"}],
)  # fmt: skip
def test_the_database_refuses_to_edit_a_record(change, room, clock):
    memory_id = given.remembered(clock=clock)
    with pytest.raises(IntegrityError, match="never edited"), transaction.atomic():
        MemoryRecord.objects.filter(record_id=memory_id).update(**change)


def test_the_database_refuses_to_bring_a_record_back(room, clock):
    memory_id = given.remembered(clock=clock)
    given.retracted(memory_id, clock=clock)
    with pytest.raises(IntegrityError, match="never edited"), transaction.atomic():
        MemoryRecord.objects.filter(record_id=memory_id).update(status="active", retracted_at=None)


def test_a_record_is_never_deleted(room, clock):
    given.remembered(clock=clock)
    with pytest.raises(TypeError, match="never deleted"):
        MemoryRecord.objects.all().delete()


@pytest.mark.parametrize(
    "wrong",
    [{"scope_type": "galaxy"}, {"kind": "rumour"}, {"status": "gone"}, {"source_kind": "fax"}, {"content": ""},
     {"content": "x" * 131_073}, {"agent_memory_type": "core"}, {"scope_type": "agent"},
     {"retracted_at": "2026-11-30T00:00:00Z"}, {"status": "retracted"}],
)  # fmt: skip
def test_the_database_refuses_a_record_that_makes_no_sense(wrong, room, clock):
    row = MemoryRecord.objects.get(record_id=given.remembered(clock=clock))
    values = {f.attname: getattr(row, f.attname) for f in row._meta.concrete_fields if f.attname != "id"}
    with pytest.raises(IntegrityError), transaction.atomic():
        MemoryRecord.objects.create(**values | {"record_id": "mem_other", **wrong})


def test_the_database_refuses_a_second_successor(room, clock):
    old = given.remembered(clock=clock)
    row = MemoryRecord.objects.get(record_id=given.superseded(old, "new", clock=clock))
    values = {f.attname: getattr(row, f.attname) for f in row._meta.concrete_fields if f.attname != "id"}
    with pytest.raises(IntegrityError), transaction.atomic():
        MemoryRecord.objects.create(**values | {"record_id": "mem_other"})
