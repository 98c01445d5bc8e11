"""The channel `groupx`: a member of a bus room that is an agent of a running room (docs/aig.md, "Channels")."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from groupx.demo_room import demo_configuration
from tests.bus.aig import Aig
from tests.bus.waking import Waking
from tests.running_room import RunningRoom


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    """The demo's agents do what words in a message say."""
    folder: Path = tmp_path_factory.mktemp("groupx")
    agents = {"reviewer": demo_configuration()["agents"]["reviewer"]}
    (folder / agents["reviewer"]["cwd"]).mkdir()
    room = RunningRoom(folder, agents)
    try:
        room.start()
        room.until_agent("reviewer", "ready")
        yield room
    finally:
        room.stop()


@pytest.fixture
def aig(waking: Waking, server: RunningRoom) -> Aig:
    waking.member("friend", "groupx", model="reviewer")
    waking.aig.environment["GROUPX_URL"] = server.url
    return waking.aig


def test_the_agent_of_the_room_is_asked_and_its_answer_posted(aig: Aig, server: RunningRoom):
    said = aig.ok("ask", "friend", "Hello from the bus")
    answer = [event["body"] for event in server.events() if event["type"] == "message.created"][1]
    assert said.strip() == answer["content"].strip() != ""
    meta = aig.log()[1]["meta"]
    assert (meta["channel"], meta["model"]) == ("groupx", "reviewer")
    asked = next(event for event in server.events() if event["type"] == "message.created")
    assert asked["to"] == ["agent:reviewer"] and "Hello from the bus" in asked["body"]["content"]


def test_a_turn_that_fails_is_told_with_its_reason(aig: Aig):
    said = aig.refused("ask", "friend", "Please fail", code=4)
    assert "ended as failed: I was asked to fail" in said and aig.log()[-1]["kind"] == "dispatch-error"


def test_a_turn_that_takes_too_long_is_cancelled(aig: Aig, server: RunningRoom):
    server.until_agent("reviewer", "ready")
    aig.refused("ask", "friend", "Be slow", "--timeout", "2", code=4)
    turn = [event for event in server.events() if event["type"] == "turn.queued"][-1]["body"]["turnId"]
    assert server.until_turn(turn)["status"] == "cancelled"


def test_an_agent_that_is_not_there_and_a_room_that_does_not_run_are_told(aig: Aig, waking: Waking):
    waking.member("stranger", "groupx", model="nobody")
    waking.member("nameless", "groupx")
    assert "UNKNOWN_TARGET" in aig.refused("ask", "stranger", "Hello?", code=4)
    assert "no model" in aig.refused("ask", "nameless", "Hello?", code=4)
    said = aig.refused("ask", "friend", "Hello?", code=4, GROUPX_URL="http://127.0.0.1:9")
    assert "does not answer at http://127.0.0.1:9" in said
    assert "must be an address" in aig.refused("ask", "friend", "Hello?", code=4, GROUPX_URL="file:///etc/passwd")
