"""`ask`: a question whose answers are what the call gives (protocol section 6.3; docs/mcp.md, "ask")."""

import uuid
from typing import Any

import pytest

from tests.agents_talk.talking_room import TalkingRoom, Told, agents, call, say, task, the_call
from tests.waiting import wait_until


def question(room: TalkingRoom, told: Told) -> dict[str, Any]:
    """The message of the only question that an agent in mid-turn has asked."""
    asked: list[dict[str, Any]] = wait_until(
        lambda: [
            event
            for event in room.of_root(told.root, "message.created")
            if event["provenance"]["sourceKind"] == "mcp" and event["actor"]["actorId"] == f"agent:{told.name}"
        ],
        timeout_seconds=20,
        what=f"a question of {told.name}",
    )
    return asked[-1]


def test_the_answer_is_what_the_call_gives_and_stands_in_the_room(room):
    told = room.tell(
        "ada", call("ask", to=agents("ben"), content=task(say("forty-two"))), {"say": "$0.results.0.content"}
    )

    asked = told.result()
    [result] = asked["results"]
    assert (asked["state"], asked["correlationId"]) == ("terminal", told.root)
    assert (result["target"], result["status"], result["content"]) == ("agent:ben", "completed", "forty-two")
    answer = room.event(result["responseEventId"])
    assert (answer["actor"]["actorId"], answer["body"]["content"]) == ("agent:ben", "forty-two")
    assert answer["replyToEventId"] == asked["messageEventId"]
    asking = room.event(asked["messageEventId"])
    assert (asking["actor"]["actorId"], asking["to"]) == ("agent:ada", agents("ben"))
    assert asking["replyToEventId"] == told.message_id
    assert room.answer_of(told.turn_id) == "forty-two"


@pytest.mark.parametrize("era", ["old", "new"])
def test_a_client_of_either_protocol_gets_the_answer(room, era):
    told = room.tell("ada", call("ask", era=era, to=agents("ben"), content=task(say("yes"))))

    assert told.result()["results"][0]["content"] == "yes"


def test_several_are_asked_at_the_same_time_and_answer_in_one_result(room):
    ben, dan = uuid.uuid4().hex, uuid.uuid4().hex
    room.prepare("ben", {"write": str(room.folder / "dan" / ben)}, {"wait": dan}, say("ben's"))
    room.prepare("dan", {"write": str(room.folder / "ben" / dan)}, {"wait": ben}, say("dan's"))
    told = room.tell("ada", call("ask", to=agents("ben", "dan"), content="well?"))

    asked = told.result()
    assert asked["state"] == "terminal"
    assert [(result["target"], result["content"]) for result in asked["results"]] == [
        ("agent:ben", "ben's"),
        ("agent:dan", "dan's"),
    ]


def test_one_that_fails_keeps_the_answers_of_the_others(room):
    room.prepare("ben", say("half"), {"error": {"code": -32000, "message": "no idea"}})
    told = room.tell("ada", call("ask", to=agents("ben", "dan"), content=task(say("well"))))

    failed, well = told.result()["results"]
    assert (told.result()["state"], failed["status"], well["status"]) == ("terminal", "failed", "completed")
    assert failed["errorCode"] and "content" not in failed
    assert well["content"] == "well"


def test_a_cancelled_answer_is_told_as_cancelled(room):
    told = room.tell("ada", call("ask", to=agents("ben"), content=task(say("I "), {"wait": ""})))
    turn = room.turn_for(question(room, told)["eventId"])
    room.until_turn(turn, "running")
    room.command(f"/api/turns/{turn}/cancel")

    assert told.result()["results"][0]["status"] == "cancelled"


def test_an_interrupted_answer_is_told_as_failed(room):
    told = room.tell("ada", call("ask", to=agents("ben"), content=task(say("I "), {"wait": ""})))
    turn = room.turn_for(question(room, told)["eventId"])
    room.until_turn(turn, "running")
    for lane in room.processes("groupx_lane", "ben"):
        lane.kill()

    [result] = told.result()["results"]
    assert (result["status"], result["errorCode"]) == ("failed", "TURN_INTERRUPTED")


def test_a_busy_agent_is_not_waited_for(room):
    with room.busy("ben") as busy:
        told = room.tell("ada", call("ask", to=agents("ben"), content=task(say("later")), timeoutMs=60_000))

        asked = told.result()
        [result] = asked["results"]
        assert (asked["state"], result["status"]) == ("pending", "pending")
        assert (result["queuePosition"], result["activeTurnId"]) == (1, busy.turn_id)
        assert "collect" in result["note"]
        assert room.get(f"/api/turns/{result['turnId']}")["status"] == "queued"
    assert room.until_turn(result["turnId"])["status"] == "completed"


def test_when_the_time_is_over_the_question_stays_asked(room):
    gate = uuid.uuid4().hex
    slow = task(say("I "), {"wait": gate}, say("answer"))
    told = room.tell("ada", call("ask", to=agents("ben"), content=slow, timeoutMs=200))

    [result] = told.result()["results"]
    assert (told.result()["state"], result["status"]) == ("pending", "pending")
    room.open_gate("ben", gate)
    assert room.until_turn(result["turnId"])["status"] == "completed"


def test_when_the_time_is_over_the_question_is_cancelled_where_that_was_wanted(room):
    slow = task(say("I "), {"wait": ""})
    told = room.tell("ada", call("ask", to=agents("ben"), content=slow, timeoutMs=200, cancelOnTimeout=True))

    [result] = told.result()["results"]
    assert result["status"] in ("pending", "cancelled")
    assert room.until_turn(result["turnId"])["status"] == "cancelled"


def test_who_cancels_an_asking_turn_cancels_what_it_asked_and_not_what_it_sent(room):
    gate = uuid.uuid4().hex
    told = room.tell(
        "ada",
        say("I "),
        call("send", to=agents("dan"), content=task(say("I "), {"wait": gate}, say("go on"))),
        call("ask", to=agents("ben"), content=task(say("I "), {"wait": ""})),
    )
    sent = room.until_noted("ada", "called", told.nonce)["result"]["turns"][0]["turnId"]
    asked = wait_until(lambda: _asked_turn(room, told, sent), timeout_seconds=20, what="the asked turn")
    room.until_turn(asked, "running")
    room.until_turn(told.turn_id, "running")
    status, _ = room.command(f"/api/turns/{told.turn_id}/cancel")
    assert status == 202

    assert told.until()["status"] == "cancelled"
    assert room.until_turn(asked)["status"] == "cancelled"
    room.open_gate("dan", gate)
    assert room.until_turn(sent)["status"] == "completed"


def _asked_turn(room: TalkingRoom, told: Told, sent: str) -> str | None:
    queued = [event["body"]["turnId"] for event in room.of_root(told.root, "turn.queued")]
    return next((turn for turn in queued if turn not in (told.turn_id, sent)), None)


@pytest.mark.parametrize("era", ["old", "new"])
def test_an_agent_that_hangs_up_leaves_its_question_asked(room, era):
    gate, hang_up = uuid.uuid4().hex, uuid.uuid4().hex
    slow = task(say("I "), {"wait": gate}, say("answer"))
    told = room.tell(
        "ada",
        {"start_call": the_call("ask", era=era, to=agents("ben"), content=slow)},
        {"wait": hang_up},
        {"hang_up": None},
        {"finish_call": 0},
    )
    asking = question(room, told)
    turn = room.turn_for(asking["eventId"])
    room.until_turn(turn, "running")
    room.open_gate("ada", hang_up)
    assert told.calls()[0]["failed"]
    assert room.get(f"/api/turns/{turn}")["status"] == "running"
    room.open_gate("ben", gate)

    assert room.until_turn(turn)["status"] == "completed"


@pytest.mark.parametrize("era", ["old", "new"])
def test_an_agent_that_hangs_up_takes_its_question_back_where_it_wanted_that(room, era):
    hang_up = uuid.uuid4().hex
    slow = task(say("I "), {"wait": ""})
    told = room.tell(
        "ada",
        {"start_call": the_call("ask", era=era, to=agents("ben"), content=slow, cancelOnTimeout=True)},
        {"wait": hang_up},
        {"hang_up": None},
    )
    turn = room.turn_for(question(room, told)["eventId"])
    room.until_turn(turn, "running")
    room.open_gate("ada", hang_up)

    assert room.until_turn(turn)["status"] == "cancelled"
    told.until()


def test_a_question_asked_again_after_the_server_died_in_mid_wait_is_one_question(room):
    gate, again = uuid.uuid4().hex, uuid.uuid4().hex
    slow = task(say("I "), {"wait": gate}, say("once"))
    command = uuid.uuid4().hex
    ask = the_call("ask", to=agents("ben"), content=slow, clientCommandId=command)
    told = room.tell("ada", {"call": ask}, {"wait": again}, {"call": ask})
    turn = room.turn_for(question(room, told)["eventId"])
    room.until_turn(turn, "running")
    room.kill_server()
    assert room.until_noted("ada", "called", told.nonce)["failed"]
    room.open_gate("ada", again)
    room.open_gate("ben", gate)

    [result] = told.calls()[1]["result"]["results"]
    assert (result["turnId"], result["content"]) == (turn, "I once")
    assert len(room.prompts("ben", slow["do"]["n"])) == 1


@pytest.mark.parametrize("timeout_ms", [60_001, 0, -1, "long"])
def test_a_time_that_no_client_would_wait_is_refused(room, timeout_ms):
    told = room.tell("ada", call("ask", to=agents("ben"), content="x", timeoutMs=timeout_ms))

    assert told.codes() == ["INVALID_ENVELOPE"]
    assert len(room.of_root(told.root, "turn.queued")) == 1


def test_whoever_waits_long_hears_for_whom(room):
    gate = uuid.uuid4().hex
    slow = task(say("I "), {"wait": gate}, say("answer"))
    told = room.tell("ada", call("ask", progress=True, to=agents("ben"), content=slow))
    heard = room.until_noted("ada", "progress", told.nonce)
    room.open_gate("ben", gate)

    assert "ben" in heard["message"]
    assert told.result()["state"] == "terminal"
