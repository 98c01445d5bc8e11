"""An agent that only calls tools, and says nothing else, is alive (docs/turns.md, "Limits of a running turn")."""

from collections.abc import Iterator

import pytest

from tests.agents_talk.talking_room import TalkingRoom, agents, call, say, task
from tests.running_room import scripted

LIMIT_MS, WAIT_MS = 2_000, 2_500
"""How long an agent may be silent in this room, and a call of it that waits longer."""


@pytest.fixture
def impatient_room(tmp_path) -> Iterator[TalkingRoom]:
    room = TalkingRoom(
        tmp_path,
        {name: scripted(name, tmp_path) for name in ("ada", "ben")},
        timeouts={"firstEventMs": LIMIT_MS, "idleMs": LIMIT_MS},
    )
    try:
        room.start()
        for name in ("ada", "ben"):
            room.until_agent(name, "ready")
        yield room
    finally:
        room.stop()


def tool_of_its_own(status: str) -> dict:
    """While it is open, an agent is waited for without a limit of its own."""
    kind = "tool_call" if status == "in_progress" else "tool_call_update"
    return {"update": {"sessionUpdate": kind, "toolCallId": "own", "title": "work", "kind": "other", "status": status}}


def test_an_agent_that_only_waits_for_others_by_its_tools_lives_longer_than_it_may_be_silent(impatient_room):
    room = impatient_room
    # Its client costs a second to load: not in the turn whose limits are meant.
    room.tell("ada", tool_of_its_own("in_progress"), call("read"), tool_of_its_own("completed")).results()
    slow = task(tool_of_its_own("in_progress"), {"wait": "gate"}, tool_of_its_own("completed"), say("at last"))

    told = room.tell(
        "ada",
        call("ask", to=agents("ben"), content=slow, timeoutMs=WAIT_MS),
        call("collect", messageEventId="$0.messageEventId", timeoutMs=WAIT_MS),
        {"write": str(room.folder / "ben" / "gate")},
        call("collect", messageEventId="$0.messageEventId"),
        say("done"),
    )
    assert told.until("running", "failed")["status"] == "running"

    assert [result["state"] for result in told.results()] == ["pending", "pending", "terminal"]
    assert told.until()["status"] == "completed"
