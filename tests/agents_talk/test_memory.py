"""What agents keep for later: of whom it is, is known by who calls (protocol section 12; docs/mcp.md)."""

import uuid

import pytest

from tests.agents_talk.talking_room import call, say


def test_what_is_kept_for_everybody_is_found_by_a_word_with_its_author_and_where_it_was_learnt(room):
    word = f"quokka{uuid.uuid4().hex}"
    told = room.tell("ada", call("memory_remember", kind="fact", content=f"the {word} sleeps"))
    kept = told.result()
    [item] = room.tell("ben", call("memory_search", query=word)).result()["items"]

    assert (item["memoryId"], item["content"]) == (kept["memoryId"], f"the {word} sleeps")
    assert (item["authorActorId"], item["sourceEventId"]) == ("agent:ada", told.message_id)
    event = room.event(kept["eventId"])
    assert (event["type"], event["actor"]["actorId"]) == ("memory.remembered", "agent:ada")
    assert (event["correlationId"], event["causationId"]) == (told.root, told.turn_id)


def test_what_an_agent_keeps_for_itself_is_found_by_it_alone(room):
    words = f"my-own-{uuid.uuid4().hex}"
    kept = room.tell("ada", call("core_memory_remember", kind="note", content=words)).result()
    mine = room.tell("ada", call("memory_search", agentMemoryType="core")).result()
    theirs = room.tell("ben", call("memory_search", agentMemoryType="core")).result()

    assert kept["memoryId"] in {memory["memoryId"] for memory in mine["items"]}
    assert kept["memoryId"] not in {memory["memoryId"] for memory in theirs["items"]}
    [memory] = [memory for memory in mine["items"] if memory["memoryId"] == kept["memoryId"]]
    assert (memory["authorActorId"], memory["subjectActorId"]) == ("agent:ada", "agent:ada")


def test_an_agent_says_who_it_is_and_others_read_it(room):
    words = f"careful-{uuid.uuid4().hex}"
    room.tell("ada", call("identity_remember", kind="preference", content=words)).results()

    read = room.tell("ben", call("identity_read", subjectActorId="agent:ada", query=words)).result()
    assert (read["subjectActorId"], [item["content"] for item in read["items"]]) == ("agent:ada", [words])
    assert read["items"][0]["authorActorId"] == "agent:ada"


def test_what_an_agent_thinks_of_another_is_memory_with_another_subject_than_author(room):
    words = f"slow-{uuid.uuid4().hex}"
    told = room.tell("ada", call("memory_remember", kind="note", content=words, subjectActorId="agent:ben"))

    told.results()
    [memory] = room.tell("dan", call("memory_search", query=words)).result()["items"]
    assert (memory["authorActorId"], memory["subjectActorId"]) == ("agent:ada", "agent:ben")


@pytest.mark.parametrize(
    ("tool", "more"),
    [
        ("core_memory_remember", {"scope": {"type": "agent", "id": "agent:ben"}}),
        ("core_memory_remember", {"subjectActorId": "agent:ben"}),
        ("identity_remember", {"subjectActorId": "agent:ben"}),
        ("memory_remember", {"agentMemoryType": "dated"}),
    ],
    ids=["the memory of another", "about another as its own", "for another", "dated by hand"],
)
def test_nobody_keeps_what_belongs_to_another(room, tool, more):
    told = room.tell("ada", call(tool, kind="note", content="x", **more))

    assert told.codes() == ["INVALID_ENVELOPE"]
    assert [event for event in room.of_root(told.root) if ".remembered" in event["type"]] == []


@pytest.mark.parametrize("tool", ["memory_remember", "core_memory_remember", "identity_remember"])
def test_the_same_twice_is_kept_once(room, tool):
    step = call(tool, kind="note", content=f"once {uuid.uuid4().hex}")
    told = room.tell("ada", step, step)

    first, second = told.results()
    assert first == second


def test_what_was_kept_is_given_to_agents_with_their_next_turns(room):
    room.tell(
        "ada",
        call("memory_remember", kind="instruction", content="feed the wombat first"),
        call("core_memory_remember", kind="preference", content="ada prefers axolotls"),
        call("identity_remember", kind="note", content="ada is a biologist"),
    ).results()
    packets = {}
    for name in ("ada", "ben"):
        told = room.tell(name, say("seen"))
        told.until()
        packets[name] = room.get(f"/api/turns/{told.turn_id}/packet")["text"]

    assert all("[pinned_group_memory]" in text and "\n> feed the wombat first" in text for text in packets.values())
    assert "\n> ada prefers axolotls" in packets["ada"] and "\n> ada is a biologist" in packets["ada"]
    assert "\n> ada prefers axolotls" not in packets["ben"] and "\n> ada is a biologist" not in packets["ben"]
