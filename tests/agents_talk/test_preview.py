"""What is shown before a message is sent is what its agent is given (docs/protocol.md, "Messages")."""

import uuid

from memory.packet_text import NOT_SENT
from tests.agents_talk.talking_room import call, say


def test_a_preview_is_the_prompt_but_for_what_only_sending_gives(room):
    word = f"numbat-{uuid.uuid4().hex}"
    room.tell("cleo", call("memory_remember", kind="instruction", content=f"feed the {word}")).results()
    room.tell("ben", call("publish", content=f"the {word} was seen")).results()
    room.tell("cleo", say("I have read that.")).until()

    status, shown = room.request("POST", "/api/preview", {"to": ["agent:cleo", "agent:dan"], "content": "Where?"})
    assert status == 200
    cleo, dan = shown["agents"]
    told = room.send("cleo", "dan", content="Where?")
    given = {}
    for turn in told["turns"]:
        room.until_turn(turn["turnId"])
        given[turn["target"]] = room.get(f"/api/turns/{turn['turnId']}/packet")["text"]

    sent = room.event(told["messageEventId"])
    place = f"id={sent['eventId']} seq={sent['seq']}"
    for agent in (cleo, dan):
        as_sent = agent["text"].replace(f"id={NOT_SENT} seq={NOT_SENT}", place)
        assert lines_but_through_seq(as_sent) == lines_but_through_seq(given[agent["actorId"]])
        assert f"feed the {word}" in agent["text"]
    assert "I have read that." not in cleo["text"], "its session knows what it said itself"
    assert "I have read that." in dan["text"]


def lines_but_through_seq(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("through_seq=")]
