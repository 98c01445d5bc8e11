"""`collect`: the answers to an earlier `ask`, asked for again without asking (protocol section 6.4; docs/mcp.md)."""

import uuid

from tests.agents_talk.talking_room import agents, call, say, task


def test_an_answer_that_came_later_is_collected_exactly(room):
    gate, later = uuid.uuid4().hex, uuid.uuid4().hex
    slow = task(say("the "), {"wait": gate}, say("answer"))
    told = room.tell(
        "ada",
        call("ask", to=agents("ben"), content=slow, timeoutMs=200),
        {"wait": later},
        call("collect", messageEventId="$0.messageEventId"),
    )
    pending = room.until_noted("ada", "called", told.nonce)["result"]
    room.open_gate("ada", later)
    room.open_gate("ben", gate)

    _, collected = told.results()
    assert (pending["state"], collected["state"]) == ("pending", "terminal")
    assert collected["messageEventId"] == pending["messageEventId"]
    [before], [after] = pending["results"], collected["results"]
    assert (after["turnId"], after["content"]) == (before["turnId"], "the answer")
    assert room.event(after["responseEventId"])["body"]["content"] == "the answer"


def test_collecting_asks_nothing_and_writes_nothing(room):
    told = room.tell(
        "ada",
        call("ask", to=agents("ben", "dan"), content=task(say("yes"))),
        call("collect", messageEventId="$0.messageEventId"),
        call("collect", messageEventId="$0.messageEventId", timeoutMs=1),
    )

    asked, collected, again = told.results()
    assert asked["results"] == collected["results"] == again["results"]
    assert len(room.of_root(told.root, "turn.queued")) == 3
    assert len(room.of_root(told.root, "message.created")) == 4


def test_an_agent_with_other_turns_to_do_is_told_as_it_stands(room):
    with room.busy("ben") as busy:
        told = room.tell(
            "ada",
            call("ask", to=agents("ben"), content="later"),
            call("collect", messageEventId="$0.messageEventId", timeoutMs=60_000),
        )

        asked, collected = told.results()
        assert collected["state"] == "pending"
        assert collected["results"][0]["queuePosition"] == 1
        assert collected["results"][0]["activeTurnId"] == busy.turn_id
    room.until_turn(asked["results"][0]["turnId"])


def test_the_time_is_over_for_collect_too(room):
    gate = uuid.uuid4().hex
    slow = task(say("I "), {"wait": gate}, say("answer"))
    told = room.tell(
        "ada",
        call("ask", to=agents("ben"), content=slow, timeoutMs=100),
        call("collect", messageEventId="$0.messageEventId", timeoutMs=100),
    )

    _, collected = told.results()
    assert collected["state"] == "pending"
    room.open_gate("ben", gate)
    room.until_turn(collected["results"][0]["turnId"])


def test_a_question_of_another_interaction_is_not_found(room):
    asked = room.tell("ada", call("ask", to=agents("ben"), content=task(say("yes")))).result()

    assert room.tell("ada", call("collect", messageEventId=asked["messageEventId"])).codes() == ["NOT_FOUND"]


def test_only_a_question_is_collected(room):
    published = room.tell("ada", call("publish", content="no question")).result()["messageEventId"]
    sent = room.tell(
        "ada",
        call("send", to=agents("ben"), content="no question either"),
        call("collect", messageEventId="$0.messageEventId"),
        call("collect", messageEventId=published),
        call("collect", messageEventId="evt_nothing"),
        call("collect"),
    )

    assert sent.codes() == [None, "NOT_FOUND", "NOT_FOUND", "NOT_FOUND", "INVALID_ENVELOPE"]
    room.until_turn(sent.calls()[0]["result"]["turns"][0]["turnId"])
