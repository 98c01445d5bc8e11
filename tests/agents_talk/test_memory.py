"""Agents keep things and find them again, out of their turns (protocol sections 10.4 and 12)."""

from tests.agents_talk.talking_room import call


def test_what_one_agent_remembers_another_finds_by_a_word_and_knows_the_author(room):
    told = room.tell("ada", call("memory_remember", kind="fact", content="the quokka sleeps", clientCommandId="m1"))
    kept = told.result()
    event = room.event(kept["eventId"])
    assert (event["actor"]["actorId"], event["type"]) == ("agent:ada", "memory.remembered")
    assert (event["correlationId"], event["causationId"]) == (told.root, told.turn_id)

    found = room.tell("ben", call("memory_search", query="quokka")).result()

    [item] = found["items"]
    assert (item["memoryId"], item["authorActorId"], item["sourceEventId"]) == (
        kept["memoryId"], "agent:ada", told.message_id,
    )  # fmt: skip
