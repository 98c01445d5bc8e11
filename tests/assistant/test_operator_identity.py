"""The assistant's tools of identity, by the official client (docs/mcp.md, "Operator")."""

import pytest

from memory.models import IdentityRecord
from memory.queries.records import search_identity
from memory.requests import IdentityQuery
from rooms.models import Event
from rooms.transactions import in_db
from tests import given

pytestmark = pytest.mark.django_db(transaction=True)


async def test_what_it_says_of_an_agent_is_the_operators_and_never_that_agents_own_words(brain, clock):
    said = await brain.answer(
        "identity_remember_for", subjectActorId="agent:builder", kind="instruction", content="asks before it deletes",
        clientCommandId="1",
    )  # fmt: skip
    record = await in_db(IdentityRecord.objects.get, record_id=said["identityId"])
    event = await in_db(Event.objects.get, event_id=said["eventId"])
    assert (record.subject_id, record.author_id, record.source_kind) == ("agent:builder", "user:assistant", "operator")
    assert (event.type, event.actor_id, event.source_kind) == ("identity.remembered", "user:assistant", "operator")


async def test_records_are_found_by_words_and_filters_newest_first(brain, clock):
    await in_db(given.identified, "agent:builder", "is careful", clock=clock)
    await in_db(given.identified, "agent:reviewer", "is strict", clock=clock, kind="constraint")

    async def contents(**filters: object) -> list[str]:
        return [item["content"] for item in (await brain.answer("identity_search", **filters))["items"]]

    assert await contents() == ["is strict", "is careful"]
    assert await contents(subjectActorId="agent:builder") == ["is careful"]
    assert await contents(kind="constraint") == ["is strict"]
    assert await contents(query="careful") == ["is careful"]
    assert await contents(authorActorId="agent:builder") == []
    assert await contents(status="retracted") == []
    first = await brain.answer("identity_search", limit=1)
    assert await contents(cursor=first["nextCursor"]) == ["is careful"]


async def test_a_record_is_replaced_and_taken_back_once(brain, clock):
    old = await in_db(given.identified, "agent:builder", "one", clock=clock)
    new = await brain.answer("identity_supersede", identityId=old, content="two", clientCommandId="1")
    assert new["supersedes"] == old
    answer = await brain.answer("identity_retract", identityId=new["identityId"], clientCommandId="2")
    assert (answer["identityId"], answer["status"]) == (new["identityId"], "retracted")
    assert await in_db(search_identity, IdentityQuery()) == {"items": []}

    for tool, more in (("identity_retract", {}), ("identity_supersede", {"content": "three"})):
        refusal = await brain.refusal(tool, identityId=old, clientCommandId=f"{tool}-3", **more)
        assert refusal["code"] == "STORE_CONFLICT"
        assert (await brain.refusal(tool, identityId="id_1", clientCommandId="4", **more))["code"] == "NOT_FOUND"


OF_BUILDER = {"subjectActorId": "agent:builder", "kind": "note", "content": "x", "clientCommandId": "1"}


@pytest.mark.parametrize(
    ("tool", "arguments", "code", "path"),
    [
        ("identity_remember_for", {"kind": "fact"}, "INVALID_ENVELOPE", "kind"),
        ("identity_remember_for", {"content": " "}, "INVALID_ENVELOPE", "content"),
        ("identity_remember_for", {"content": "x" * 131_073}, "MESSAGE_TOO_LARGE", "content"),
        ("identity_remember_for", {"sourceEventId": "evt_none"}, "NOT_FOUND", "sourceEventId"),
        ("identity_remember_for", {"subjectActorId": "agent:nobody"}, "UNKNOWN_ACTOR", "subjectActorId"),
        ("identity_remember_for", {"scope": "room"}, "INVALID_ENVELOPE", "scope"),
    ],
)
async def test_what_does_not_fit_is_refused_with_its_field_and_leaves_nothing(brain, tool, arguments, code, path):
    refusal = await brain.refusal(tool, **OF_BUILDER | arguments)
    assert (refusal["code"], refusal["details"]["issues"][0]["path"]) == (code, path)
    assert not await in_db(IdentityRecord.objects.exists)
