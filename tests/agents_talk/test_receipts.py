"""Receipts tell the truth: who is busy, who waits where, who cannot be reached (docs/mcp.md, "send" and "read")."""

import pytest

from tests.agents_talk.talking_room import DRIVERS, TalkingRoom, agents, call, say, task
from tests.running_room import scripted


def test_a_free_agent_has_nothing_before_it(room):
    sent = room.tell("ada", call("send", to=agents("ben"), content=task(say("at once")))).result()

    [turn] = sent["turns"]
    assert turn["queuePosition"] == 0
    assert "activeTurnId" not in turn and "note" not in turn
    room.until_turn(turn["turnId"])


@pytest.mark.parametrize("tool", ["send", "ask"])
def test_a_busy_agent_is_told_with_what_it_works_on_and_how_many_wait(room, tool):
    with room.busy("ben") as busy:
        told = room.tell("ada", *(call(tool, to=agents("ben"), content="next") for _ in range(2)))

        shown = [(result.get("turns") or result["results"])[0] for result in told.results()]
        assert [turn["queuePosition"] for turn in shown] == [1, 2]
        assert [turn["activeTurnId"] for turn in shown] == [busy.turn_id] * 2
    for turn in shown:
        room.until_turn(turn["turnId"])


def test_what_became_of_it_is_read_later(room):
    told = room.tell(
        "ada",
        call("ask", to=agents("ben"), content=task({"error": {"code": -32000, "message": "no idea"}})),
        call("read", correlationId="$0.correlationId"),
    )

    asked, read = told.results()
    [turn] = [turn for turn in read["turns"] if turn["turnId"] == asked["results"][0]["turnId"]]
    assert (turn["target"], turn["status"]) == ("agent:ben", "failed")
    assert turn["errorCode"] == asked["results"][0]["errorCode"]


@pytest.fixture
def with_a_ghost(tmp_path):
    """A room of its own: one of its agents does not start."""
    agents = {name: scripted(name, tmp_path, DRIVERS[name]) for name in ("ada", "ben")}
    ghost = scripted("ghost", tmp_path) | {"command": "/nowhere/no-such-program"}
    room = TalkingRoom(tmp_path, {**agents, "ghost": ghost})
    try:
        room.start()
        room.until_agent("ghost", "failed")
        yield room
    finally:
        room.stop()


def test_an_agent_that_cannot_be_reached_is_told_at_once_and_what_is_for_it_waits(with_a_ghost):
    room = with_a_ghost
    told = room.tell(
        "ada",
        call("send", to=agents("ghost"), content="are you there?"),
        call("ask", to=agents("ghost", "ben"), content=task(say("I am"))),
    )

    sent, asked = told.results()
    [unheard] = sent["turns"]
    assert "ghost" in unheard["note"].lower() or "start" in unheard["note"]
    assert room.get(f"/api/turns/{unheard['turnId']}")["status"] == "queued"
    ghost, ben = asked["results"]
    assert (asked["state"], ghost["status"]) == ("pending", "pending")
    assert ghost["note"]
    assert room.until_turn(ben["turnId"])["status"] == "completed"
