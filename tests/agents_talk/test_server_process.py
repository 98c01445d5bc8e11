"""The process that serves the tools ends when it is told to, whatever was called."""

import uuid

import psutil
import pytest

from tests.agents_talk.talking_room import TalkingRoom, agents, call, say, task
from turns.tools.catalog import TOOLS

EXIT_SECONDS = 10
ARGUMENTS = {
    "send": {"to": agents("ben"), "content": "hello"},
    "publish": {"content": "hello"},
    "ask": {"to": agents("ben"), "content": "hello"},
    "memory_search": {"query": "hello"},
    "memory_remember": {"content": "hello"},
    "core_memory_remember": {"content": "hello"},
    "identity_remember": {"content": "hello"},
}
"""Of tools that need some; what does not fit the others is a call as well."""


def test_after_calls_of_all_tools_the_server_ends_when_it_is_told_to(room):
    """A thread that the SDK starts for a tool, and nobody stops, would hold it."""
    names = [tool.name for tool in TOOLS]
    told = room.tell(
        "ada", *(call(name, era=era, **ARGUMENTS.get(name, {})) for name in names for era in ("old", "new"))
    )
    assert [called["tool"] for called in told.calls()] == [name for name in names for _ in range(2)]

    end_server(room)


@pytest.mark.parametrize("era", ["old", "new"])
def test_a_tool_that_waits_is_answered_when_the_server_ends_and_goes_on_with_the_next_one(room, era):
    gate, again = uuid.uuid4().hex, uuid.uuid4().hex
    slow = task(say("I "), {"wait": gate}, say("answer"))
    told = room.tell(
        "ada",
        call("ask", era=era, to=agents("ben"), content=slow),
        {"wait": again},
        call("collect", era=era, messageEventId="$0.messageEventId"),
    )
    room.until_noted("ben", "prompt", slow["do"]["n"])

    end_server(room)
    room.until_noted("ada", "called", told.nonce)
    room.open_gate("ada", again)
    room.open_gate("ben", gate)

    asked, collected = told.results()
    assert (asked["state"], asked["results"][0]["status"]) == ("pending", "pending")
    assert collected["results"][0]["content"] == "I answer"


def end_server(room: TalkingRoom) -> None:
    """It has to go by itself; its parent starts the next one."""
    [server] = room.processes("groupx_serve")
    server.terminate()
    _, alive = psutil.wait_procs([server], timeout=EXIT_SECONDS)
    assert not alive
    assert "serve_did_not_end" not in room.log()
