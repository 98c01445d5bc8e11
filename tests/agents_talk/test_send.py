"""`send`: a turn of its own for each target, and no waiting (protocol sections 4 and 6.1; docs/mcp.md)."""

import uuid

import pytest

from tests.agents_talk.talking_room import NAMES, TOO_LONG, agents, call, say, task


def test_a_message_gives_its_target_a_turn_and_its_sender_what_came_of_it(room):
    told = room.tell("ada", call("send", to=agents("ben"), content=task(say("done"))), say("sent"))

    sent = told.result()
    assert sent["correlationId"] == told.root
    [turn] = sent["turns"]
    assert (turn["target"], turn["status"]) == ("agent:ben", "queued")
    assert room.until_turn(turn["turnId"])["status"] == "completed"
    assert room.answer_of(turn["turnId"]) == "done"
    assert room.answer_of(told.turn_id) == "sent"


def test_the_message_is_said_by_the_agent_to_everybody_in_answer_to_what_it_was_asked(room):
    told = room.tell("ada", call("send", to=agents("ben"), content="have a look"))

    sent = told.result()
    event = room.event(sent["messageEventId"])
    assert event["type"] == "message.created"
    assert event["actor"]["actorId"] == "agent:ada"
    assert (event["to"], event["body"]["content"]) == (agents("ben"), "have a look")
    assert (event["replyToEventId"], event["causationId"]) == (told.message_id, told.turn_id)
    assert event["rootCorrelationId"] == told.root
    assert event["provenance"]["sourceKind"] == "mcp"
    turn = room.until_turn(sent["turns"][0]["turnId"])
    assert (turn["sourceEventId"], turn["rootCorrelationId"], turn["hopCount"]) == (event["eventId"], told.root, 1)


def test_the_sender_waits_for_nobody(room):
    with room.busy("ben"):
        told = room.tell("ada", call("send", to=agents("ben"), content="later"), say("I go on"))
        [turn] = told.result()["turns"]

        assert told.until()["status"] == "completed"
        assert room.get(f"/api/turns/{turn['turnId']}")["status"] == "queued"
    assert room.until_turn(turn["turnId"])["status"] == "completed"


def test_each_target_has_a_turn_of_its_own_and_they_run_at_the_same_time(room):
    mine, yours = uuid.uuid4().hex, uuid.uuid4().hex
    ben = task({"write": str(room.folder / "dan" / yours)}, {"wait": mine}, say("ben"))
    dan = task({"write": str(room.folder / "ben" / mine)}, {"wait": yours}, say("dan"))
    told = room.tell("ada", call("send", to=agents("ben"), content=ben), call("send", to=agents("dan"), content=dan))

    turns = [sent["turns"][0]["turnId"] for sent in told.results()]
    assert [room.until_turn(turn)["status"] for turn in turns] == ["completed"] * 2
    assert [room.answer_of(turn) for turn in turns] == ["ben", "dan"]


def test_one_that_fails_leaves_the_turns_of_the_others(room):
    one_fails = task({"error": {"code": -32000, "message": "no idea"}})
    told = room.tell(
        "ada",
        call("send", to=agents("ben"), content=one_fails),
        call("send", to=agents("dan"), content=task(say("well"))),
    )

    failed, well = (sent["turns"][0]["turnId"] for sent in told.results())
    assert room.until_turn(failed)["status"] == "failed"
    assert room.until_turn(well)["status"] == "completed"


def test_everybody_is_everybody_but_the_sender(room):
    told = room.tell("ada", call("send", to=["@all"], content=task(say("here"))))

    sent = told.result()
    others = [f"agent:{name}" for name in NAMES if name != "ada"]
    assert [turn["target"] for turn in sent["turns"]] == others
    assert room.event(sent["messageEventId"])["to"] == others
    assert [room.until_turn(turn["turnId"])["status"] for turn in sent["turns"]] == ["completed"] * 3
    assert len(room.of_root(told.root, "turn.queued")) == 4


def test_a_reply_to_another_message_changes_nobody_who_is_woken(room):
    earlier = room.send("dan", content="earlier")
    room.until_turn(room.turn(earlier))
    told = room.tell(
        "ada", call("send", to=agents("ben"), content="about that", replyToEventId=earlier["messageEventId"])
    )

    sent = told.result()
    event = room.event(sent["messageEventId"])
    assert (event["replyToEventId"], event["to"]) == (earlier["messageEventId"], agents("ben"))
    assert event["rootCorrelationId"] == told.root
    room.until_turn(sent["turns"][0]["turnId"])


def test_a_forwarded_message_keeps_its_author_and_has_the_forwarder_as_its_actor(room):
    original = room.send("dan", content="the original")
    room.until_turn(room.turn(original))
    told = room.tell("ada", call("send", to=agents("ben"), content="see", forwardedEventId=original["messageEventId"]))

    sent = told.result()
    event = room.event(sent["messageEventId"])
    assert (event["forwardedEventId"], event["actor"]["actorId"]) == (original["messageEventId"], "agent:ada")
    assert room.event(original["messageEventId"])["actor"]["actorId"] == "user:web"
    room.until_turn(sent["turns"][0]["turnId"])


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"to": ["agent:ghost"], "content": "x"}, "UNKNOWN_TARGET"),
        ({"to": ["user:web"], "content": "x"}, "INVALID_ENVELOPE"),
        ({"to": [], "content": "x"}, "INVALID_ENVELOPE"),
        ({"to": ["agent:ben"]}, "INVALID_ENVELOPE"),
        ({"to": ["agent:ben"], "content": "x", "urgent": True}, "INVALID_ENVELOPE"),
        ({"to": ["agent:ben"], "content": "x", "forwardedFrom": "agent:dan"}, "INVALID_ENVELOPE"),
        ({"to": ["agent:ben"], "content": "x", "replyToEventId": "evt_nothing"}, "NOT_FOUND"),
        ({"to": ["agent:ben"], "content": "x", "forwardedEventId": "evt_nothing"}, "NOT_FOUND"),
        ({"to": ["agent:ben"], "content": TOO_LONG}, "MESSAGE_TOO_LARGE"),
    ],
    ids=[
        "unknown",
        "a person",
        "nobody",
        "no content",
        "unknown field",
        "forged original",
        "unknown reply",
        "unknown original",
        "long",
    ],
)
def test_a_refused_message_says_why_and_leaves_nothing_behind(room, arguments, code):
    told = room.tell("ada", call("send", **arguments))

    assert told.problem()["code"] == code
    assert told.problem()["message"]
    assert [e["actor"]["actorId"] for e in room.of_root(told.root, "message.created")] == ["user:web"]
    assert len(room.of_root(told.root, "turn.queued")) == 1


def test_an_unknown_name_is_answered_with_the_names_that_exist(room):
    problem = room.tell("ada", call("send", to=["agent:ghost"], content="x")).problem()

    assert "ghost" in problem["message"]
    assert all(name in f"{problem['message']} {problem['details']}" for name in NAMES if name != "ada")


def test_one_target_that_is_unknown_refuses_the_message_to_all(room):
    told = room.tell("ada", call("send", to=agents("ben", "ghost"), content="x"))

    assert told.codes() == ["UNKNOWN_TARGET"]
    assert len(room.of_root(told.root, "turn.queued")) == 1
