"""The scripted agent of these tests is a real MCP client: the official SDK over HTTP, as its session was told to."""

import pytest

from tests.agents_talk.talking_room import NAMES, call


@pytest.mark.parametrize("era", ["old", "new"])
@pytest.mark.parametrize("name", NAMES)
def test_an_agent_of_any_kind_calls_the_rooms_tools_in_mid_turn_by_either_protocol(room, name, era):
    told = room.tell(name, {"text": "before "}, call("no_such_tool", era=era), {"text": "after"})

    [called] = told.calls()
    assert called["isError"] is True, called
    assert "no_such_tool" in called["text"]
    assert [e["body"]["content"] for e in room.of_root(told.root, "message.created")][1:] == ["before after"]


def test_its_client_lives_on_over_turns_and_a_new_server(room):
    first = room.tell("ada", call("no_such_tool")).calls()
    for server in room.processes("groupx_serve"):
        server.kill()
    second = room.tell("ada", call("no_such_tool")).calls()

    assert [called["text"] for called in first] == [called["text"] for called in second]
