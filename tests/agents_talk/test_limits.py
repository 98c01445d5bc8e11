"""What agents may start for one message of a person (protocol section 7; docs/turns.md, "Chains and their limits")."""

from typing import Any

import pytest

from tests.agents_talk.talking_room import LIMITS, TalkingRoom, Told, agents, call, say, task


def chain(*names: str) -> dict[str, Any]:
    """A message whose reader sends on to the first of these, who sends on to the next, and so on."""
    if not names:
        return task(say("the end"))
    return task(call("send", to=agents(names[0]), content=chain(*names[1:])), nonce="-".join(names))


def stops(room: TalkingRoom, root: str) -> list[dict[str, Any]]:
    return room.of_root(root, "routing.loop_stopped")


def asks(name: str, count: int) -> list[dict[str, Any]]:
    return [call("ask", to=agents(name), content=task(say("yes"))) for _ in range(count)]


def too_deep(room: TalkingRoom) -> Told:
    """Agents that have called each other as deep as they may, and once more."""
    told = room.tell("ada", call("send", to=agents("ben"), content=chain("dan", "ada", "ben", "dan")))
    room.until_quiet(told.root)
    return told


def test_agents_call_each_other_so_deep_and_no_deeper(room):
    told = too_deep(room)

    turns = [room.get(f"/api/turns/{e['body']['turnId']}") for e in room.of_root(told.root, "turn.queued")]
    assert [turn["hopCount"] for turn in turns] == [0, 1, 2, 3, 4]
    refused = room.noted("ben", "called", "dan")[-1]
    assert refused["result"]["code"] == "HOP_LIMIT_REACHED"
    assert refused["result"]["details"]["limit"] == "hopCount"


def test_the_room_is_told_who_was_stopped_where_by_which_limit(room):
    told = too_deep(room)

    [stop] = stops(room, told.root)
    last = room.of_root(told.root, "turn.queued")[-1]["body"]["turnId"]
    body = stop["body"]
    assert (body["errorCode"], body["limit"], body["maximum"]) == ("HOP_LIMIT_REACHED", "hopCount", LIMITS["hopCount"])
    assert (body["actorId"], body["targets"], body["turnId"]) == ("agent:ben", agents("dan"), last)
    assert body["message"] and body["hint"]
    assert stop["actor"]["actorId"] == "system:groupx"


def test_a_limit_that_is_met_again_and_again_is_told_once(room):
    calls = LIMITS["actorCallsPerRoot"]
    told = room.tell("ada", *asks("ben", calls + 3))

    assert told.codes() == [None] * calls + ["ROOT_TURN_LIMIT_REACHED"] * 3
    assert told.problem()["details"]["limit"] == "actorCallsPerRoot"
    assert len(stops(room, told.root)) == 1
    assert len(room.of_root(told.root, "turn.queued")) == 1 + calls


def test_a_chatty_pair_does_not_use_up_the_turns_of_a_third(room):
    told = room.tell("ada", *asks("ben", 4), *asks("dan", 4), *asks("cleo", 1))

    assert told.codes() == [None] * 7 + ["ROOT_TURN_LIMIT_REACHED", None]
    assert told.calls()[7]["result"]["details"]["limit"] == "rootTurns"
    assert told.calls()[8]["result"]["results"][0]["content"] == "yes"


def test_what_one_message_used_up_is_there_for_the_next(room):
    room.tell("ada", *asks("ben", LIMITS["actorCallsPerRoot"] + 1)).calls()

    assert room.tell("ada", *asks("ben", 1)).codes() == [None]


def test_a_person_is_not_counted(room):
    told = room.tell("ada", *asks("ben", LIMITS["actorCallsPerRoot"] + 1))
    told.calls()

    again = room.send("ben", content="and I?", replyToEventId=told.message_id)
    assert room.until_turn(room.turn(again))["status"] == "completed"


def test_a_full_queue_is_told_and_keeps_a_place_for_a_person(room):
    with room.busy("ben"):
        for _ in range(5):
            room.send("ben", content="waits")
        told = room.tell(
            "ada",
            call("send", to=agents("ben"), content="a"),
            call("send", to=agents("ben"), content="b"),
            call("send", to=agents("ben"), content="c"),
        )
        assert told.codes() == [None, "QUEUE_CAPACITY_REACHED", "QUEUE_CAPACITY_REACHED"]
        [stop] = stops(room, told.root)
        assert (stop["body"]["limit"], stop["body"]["targets"]) == ("queuePerAgent", agents("ben"))
        last = room.send("ben", content="a person")
        assert room.command("/api/messages", to=agents("ben"), content="too many")[0] == 429
    assert room.until_turn(room.turn(last))["status"] == "completed"


# ---------------------------------------------------------------- let them go on
def grant(room: TalkingRoom, root: str, limit: str, command: str | None = None) -> tuple[int, dict[str, Any]]:
    return room.command("/api/limits/grant", command, rootCorrelationId=root, limit=limit)


def test_who_lets_them_go_on_sends_what_was_stopped_as_the_agent_wanted_it(room):
    told = too_deep(room)
    status, granted = grant(room, told.root, "hopCount")

    assert status == 202
    assert granted["maximum"] == 2 * LIMITS["hopCount"]
    room.until_quiet(told.root)
    message = room.event(granted["messageEventId"])
    assert (message["actor"]["actorId"], message["to"]) == ("agent:ben", agents("dan"))
    assert room.answer_of(room.turn_for(message["eventId"])) == "the end"
    [released] = room.of_root(told.root, "routing.loop_released")
    assert released["actor"]["actorId"] == "user:web"
    assert released["body"]["stoppedEventId"] == stops(room, told.root)[0]["eventId"]


def test_to_let_them_go_on_twice_is_one_command(room):
    told = too_deep(room)
    first = grant(room, told.root, "hopCount", "grant-1")
    second = grant(room, told.root, "hopCount", "grant-1")
    third = grant(room, told.root, "hopCount", "grant-2")

    assert first == second
    assert (third[0], third[1]["error"]["code"]) == (409, "STORE_CONFLICT")
    room.until_quiet(told.root)


@pytest.mark.parametrize(
    ("root", "limit", "status", "code"),
    [
        ("corr_nothing", "hopCount", 404, "NOT_FOUND"),
        (None, "hopCount", 409, "STORE_CONFLICT"),
        (None, "queuePerAgent", 400, "INVALID_ENVELOPE"),
    ],
    ids=["unknown root", "nobody was stopped", "no limit of a chain"],
)
def test_a_grant_for_nothing_is_refused(room, root, limit, status, code):
    told = room.tell("ada", say("alone"))
    told.until()
    answer = grant(room, root or told.root, limit)

    assert (answer[0], answer[1]["error"]["code"]) == (status, code)
