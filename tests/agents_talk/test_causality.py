"""An `ask` to somebody who already waits for it would never end (protocol section 6.6; docs/turns.md)."""

from typing import Any

from tests.agents_talk.talking_room import TalkingRoom, agents, call, say, task


def calls_of(room: TalkingRoom, name: str, content: dict[str, Any]) -> list[dict[str, Any]]:
    return room.noted(name, "called", content["do"]["n"])


def test_to_ask_back_is_refused_and_the_first_question_is_answered_all_the_same(room):
    asks_back = task(call("ask", to=agents("ada"), content="and you?"), say("my answer"))
    told = room.tell("ada", call("ask", to=agents("ben"), content=asks_back))

    assert told.result()["results"][0]["content"] == "my answer"
    [refused] = calls_of(room, "ben", asks_back)
    assert (refused["isError"], refused["result"]["code"]) == (True, "CAUSAL_CYCLE")
    assert "ada" in refused["result"]["message"]
    assert len(room.of_root(told.root, "turn.queued")) == 2


def test_to_ask_somebody_further_up_who_waits_is_refused(room):
    asks_first = task(call("ask", to=agents("ada"), content="and you?"), say("end"))
    asks_on = task(call("ask", to=agents("dan"), content=asks_first), say("middle"))
    told = room.tell("ada", call("ask", to=agents("ben"), content=asks_on))

    assert told.result()["results"][0]["content"] == "middle"
    [refused] = calls_of(room, "dan", asks_first)
    assert refused["result"]["code"] == "CAUSAL_CYCLE"


def test_one_target_that_waits_refuses_the_question_to_all(room):
    asks_all = task(call("ask", to=agents("ada", "dan"), content="well?"), say("end"))
    told = room.tell("ada", call("ask", to=agents("ben"), content=asks_all))

    told.results()
    assert calls_of(room, "ben", asks_all)[0]["result"]["code"] == "CAUSAL_CYCLE"
    assert len(room.of_root(told.root, "turn.queued")) == 2


def test_nobody_asks_itself(room):
    assert room.tell("ada", call("ask", to=agents("ada"), content="well?")).codes() == ["CAUSAL_CYCLE"]


def test_to_send_something_back_is_no_cycle(room):
    sends_back = task(call("send", to=agents("ada"), content=task(say("thanks"))), say("my answer"))
    told = room.tell("ada", call("ask", to=agents("ben"), content=sends_back))

    assert told.result()["results"][0]["content"] == "my answer"
    [sent] = calls_of(room, "ben", sends_back)
    assert sent["isError"] is False
    turn = room.until_turn(sent["result"]["turns"][0]["turnId"])
    assert (turn["status"], turn["hopCount"]) == ("completed", 2)


def test_nobody_waits_for_a_turn_that_was_sent(room):
    asks_back = task(call("ask", to=agents("ada"), content=task(say("of course"))))
    told = room.tell("ada", call("send", to=agents("ben"), content=asks_back))

    room.until_turn(told.result()["turns"][0]["turnId"])
    [asked] = calls_of(room, "ben", asks_back)
    assert asked["isError"] is False
    for result in asked["result"]["results"]:
        room.until_turn(result["turnId"])
