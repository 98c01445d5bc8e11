"""The same command twice is one command (protocol sections 8.1 and 8.2)."""

import uuid
from typing import Any

import pytest

from tests.agents_talk.talking_room import TalkingRoom, agents, call, say, task


def once(tool: str, **arguments: Any) -> list[dict[str, Any]]:
    """The same call twice."""
    step = call(tool, **arguments)
    return [step, step]


@pytest.mark.parametrize("tool", ["send", "ask"])
def test_a_dispatch_sent_twice_is_one_message_and_one_turn_with_the_same_answer(room, tool):
    content = task(say("done"))
    told = room.tell("ada", *once(tool, to=agents("ben"), content=content))

    first, second = told.results()
    assert first["messageEventId"] == second["messageEventId"]
    assert [turn["turnId"] for turn in _turns(first)] == [turn["turnId"] for turn in _turns(second)]
    assert len(room.of_root(told.root, "turn.queued")) == 2
    room.until_turn(_turns(first)[0]["turnId"])
    assert len(room.prompts("ben", content["do"]["n"])) == 1


def _turns(result: dict[str, Any]) -> list[dict[str, Any]]:
    turns: list[dict[str, Any]] = result.get("turns") or result["results"]
    return turns


def test_the_answer_to_the_same_send_is_the_same_byte_for_byte(room):
    with room.busy("ben"):
        told = room.tell("ada", *once("send", to=agents("ben"), content="x"))
        first, second = told.calls()

        assert first["text"] == second["text"]
    room.until_turn(first["result"]["turns"][0]["turnId"])


def test_a_publication_sent_twice_is_said_once(room):
    told = room.tell("ada", *once("publish", content="once"))

    first, second = told.results()
    assert first == second
    assert len(room.of_root(told.root, "message.created")) == 2


@pytest.mark.parametrize(
    ("tool", "first", "second"),
    [
        ("publish", {"content": "a"}, {"content": "b"}),
        ("send", {"to": ["agent:ben"], "content": "a"}, {"to": ["agent:dan"], "content": "a"}),
        ("send", {"to": ["agent:ben"], "content": "a"}, {"to": ["agent:ben"], "content": "b"}),
    ],
    ids=["other words", "another target", "other words to the same"],
)
def test_the_same_id_for_something_else_is_a_conflict(room, tool, first, second):
    command = uuid.uuid4().hex
    told = room.tell("ada", call(tool, clientCommandId=command, **first), call(tool, clientCommandId=command, **second))

    assert told.codes() == [None, "CLIENT_COMMAND_CONFLICT"]
    for turn in told.calls()[0]["result"].get("turns", []):
        room.until_turn(turn["turnId"])


def test_the_same_id_for_another_tool_is_a_conflict(room):
    command = uuid.uuid4().hex
    told = room.tell(
        "ada",
        call("publish", clientCommandId=command, content="a"),
        call("send", clientCommandId=command, content="a", to=agents("ben")),
    )

    assert told.codes() == [None, "CLIENT_COMMAND_CONFLICT"]


def test_the_same_id_of_another_agent_is_another_command(room):
    command = uuid.uuid4().hex
    by_ben = task(call("publish", clientCommandId=command, content="ben's"))
    told = room.tell(
        "ada",
        call("publish", clientCommandId=command, content="ada's"),
        call("send", to=agents("ben"), content=by_ben),
    )

    room.until_turn(told.results()[1]["turns"][0]["turnId"])
    [called] = room.noted("ben", "called", by_ben["do"]["n"])
    assert called["isError"] is False


def test_a_command_is_known_after_the_server_has_died(room: TalkingRoom):
    gate = uuid.uuid4().hex
    step, again = once("send", to=agents("ben"), content=task(say("once")))
    told = room.tell("ada", step, {"wait": gate}, again)
    [turn] = room.until_noted("ada", "called", told.nonce)["result"]["turns"]
    room.until_turn(turn["turnId"])
    room.kill_server()
    room.open_gate("ada", gate)

    first, second = told.results()
    assert first == second
    assert len(room.of_root(told.root, "turn.queued")) == 2


def test_a_known_command_is_answered_while_the_queue_is_full(room):
    step, again = once("send", to=agents("ben"), content="x")
    with room.busy("ben"):
        waiting = [room.turn(room.send("ben", content="y")) for _ in range(5)]
        told = room.tell("ada", step, call("send", to=agents("ben"), content="too many"), again)

        assert told.codes() == [None, "QUEUE_CAPACITY_REACHED", None]
        first, _, second = (called["result"] for called in told.calls())
        assert first == second
    for turn in [*waiting, first["turns"][0]["turnId"]]:
        room.until_turn(turn)


def test_a_target_named_twice_is_refused(room):
    assert room.tell("ada", call("send", to=agents("ben", "ben"), content="x")).codes() == ["INVALID_ENVELOPE"]
