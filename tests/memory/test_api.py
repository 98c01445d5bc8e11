"""REST of memory, identity and search: statuses, strict shapes, refusals (docs/protocol.md). Our contract."""

import json

import pytest

from memory.models import MemoryRecord
from tests import given
from tests.openapi.validation import response_validator

ROOM = {"type": "room", "id": "room:main"}


def post(client, path: str, status: int, **body):
    asked = {"clientCommandId": given.command_id(), **body}
    answer = client.post(path, json.dumps(asked), content_type="application/json")
    assert answer.status_code == status, answer.content
    template = path.replace(path.split("/")[3], "{memoryId}") if path.count("/") == 4 else path
    template = template.replace("{memoryId}", "{identityId}") if "identity" in path else template
    response_validator("POST", template, status).validate(answer.json())
    return answer.json()


def get(client, path: str, template: str | None = None, **query):
    answer = client.get(path, query)
    assert answer.status_code == 200, answer.content
    response_validator("GET", template or path, 200).validate(answer.json())
    return answer.json()


def test_memory_is_kept_revised_retracted_and_listed_as_the_document_says(room, client):
    kept = post(client, "/api/memory", 201, scope=ROOM, kind="fact", content="one")
    revised = post(client, f"/api/memory/{kept['memoryId']}/supersede", 201, content="two", kind="decision")
    own = post(
        client, "/api/memory", 201,
        scope={"type": "agent", "id": "agent:builder"}, agentMemoryType="core", kind="note", content="mine",
    )  # fmt: skip
    retracted = post(client, f"/api/memory/{own['memoryId']}/retract", 200)

    assert (revised["supersedes"], retracted["status"]) == (kept["memoryId"], "retracted")
    items = get(client, "/api/memory", status="any")["items"]
    assert [(item["content"], item["status"]) for item in items] == [
        ("mine", "retracted"), ("two", "active"), ("one", "superseded"),
    ]  # fmt: skip
    assert [item["kind"] for item in get(client, "/api/memory", q="two")["items"]] == ["decision"]


def test_one_memory_is_given_whatever_became_of_it(room, client, clock):
    old = given.remembered("one", clock=clock)
    new = given.superseded(old, "two", clock=clock)
    given.retracted(new, clock=clock)

    def one(memory_id):
        return get(client, f"/api/memory/{memory_id}", "/api/memory/{memoryId}")

    assert (one(old)["content"], one(old)["status"], one(old)["supersededBy"]) == ("one", "superseded", new)
    assert (one(new)["status"], one(new)["supersedes"]) == ("retracted", old)
    assert "supersededBy" not in one(new)
    missing = client.get("/api/memory/mem_1")
    assert (missing.status_code, missing.json()["error"]["code"]) == (404, "NOT_FOUND")


def test_several_kinds_are_asked_for_at_once(room, client, clock):
    for kind in ("fact", "constraint", "note", "instruction"):
        given.remembered(kind, clock=clock, kind=kind)
    shown = get(client, "/api/memory", kind="instruction,constraint")["items"]
    assert [item["content"] for item in shown] == ["instruction", "constraint"]
    assert [item["content"] for item in get(client, "/api/memory", kind="fact")["items"]] == ["fact"]
    for kind in ("", "rumour", "fact,", "fact,rumour"):
        refused = client.get("/api/memory", {"kind": kind})
        assert refused.status_code == 400
        assert refused.json()["error"]["details"]["issues"][0]["path"] == "kind"


def test_identity_is_kept_revised_retracted_and_listed_as_the_document_says(room, client):
    kept = post(client, "/api/identity", 201, subjectActorId="agent:builder", kind="note", content="one")
    revised = post(client, f"/api/identity/{kept['identityId']}/supersede", 201, content="two")
    assert [item["content"] for item in get(client, "/api/identity")["items"]] == ["two"]
    post(client, f"/api/identity/{revised['identityId']}/retract", 200)
    assert get(client, "/api/identity") == {"items": []}


def test_a_search_answers_as_the_document_says(room, client, clock):
    given.queued_turn("builder", clock=clock, content="a needle")
    given.remembered("a needle", clock=clock)
    given.identified("agent:builder", "a needle", clock=clock)
    page = get(client, "/api/search", q="needle", limit=2)
    rest = get(client, "/api/search", q="needle", cursor=page["nextCursor"])
    assert {hit["kind"] for hit in page["items"] + rest["items"]} == {"message", "memory", "identity"}


WRITES = ("/api/memory", "/api/memory/mem_1/supersede", "/api/memory/mem_1/retract", "/api/identity",
          "/api/identity/idn_1/supersede", "/api/identity/idn_1/retract")  # fmt: skip


@pytest.mark.parametrize("path", WRITES)
@pytest.mark.parametrize("field", ["from", "actor", "author", "provenance", "eventId"])
def test_nobody_can_say_who_writes(path, field, room, client):
    assert post(client, path, 400, **{field: "agent:builder"})["error"]["code"] == "SENDER_FIELD_FORBIDDEN"


@pytest.mark.parametrize("path", WRITES)
def test_an_unknown_field_is_refused_by_name(path, room, client):
    issues = post(client, path, 400, transport="direct")["error"]["details"]["issues"]
    assert "transport" in [issue["path"] for issue in issues]


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"kind": "summary"}, "kind"),
        ({"kind": "rumour"}, "kind"),
        ({"content": " \n"}, "content"),
        ({"content": "\u200b \u2060"}, "content"),
        ({"scope": "room"}, "scope"),
        ({"scope": {"type": "galaxy", "id": "x"}}, "scope.type"),
        ({"scope": {"type": "room"}}, "scope.id"),
        ({"agentMemoryType": "dated"}, "agentMemoryType"),
        ({"agentMemoryType": "core"}, "agentMemoryType"),
        ({"sourceEventId": 5}, "sourceEventId"),
    ],
)
def test_what_does_not_fit_is_named(body, path, room, client):
    asked = {"scope": ROOM, "kind": "fact", "content": "x", **body}
    assert post(client, "/api/memory", 400, **asked)["error"]["details"]["issues"][0]["path"] == path
    assert not MemoryRecord.objects.exists()


@pytest.mark.parametrize("path", ["/api/memory", "/api/memory/mem_1", "/api/identity", "/api/search"])
def test_another_room_is_not_found(path, room, client):
    answer = client.get(path, {"q": "x", "roomId": "room:other"})
    assert (answer.status_code, answer.json()["error"]["code"]) == (404, "NOT_FOUND")


@pytest.mark.parametrize("query", [{}, {"q": ""}, {"q": " \t"}, {"q": "x", "kinds": "tools"}, {"q": "x", "kinds": ""}])
def test_a_search_needs_words_and_known_kinds(query, room, client):
    answer = client.get("/api/search", query)
    assert answer.status_code == 400
    assert answer.json()["error"]["details"]["issues"][0]["path"] in ("q", "kinds")
