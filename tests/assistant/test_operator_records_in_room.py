"""The assistant of a real room, with a scripted CLI as its brain, keeps and changes things by its tools over HTTP; the
room's agents are given what it kept and nothing of what was said (docs/mcp.md, "Operator")."""

import json
import uuid
from collections.abc import Iterator

import pytest

from tests.agents_talk.talking_room import TalkingRoom, say
from tests.running_room import do, scripted

NAME = "ada"


@pytest.fixture
def room(tmp_path) -> Iterator[TalkingRoom]:
    agents = {name: scripted(name, tmp_path) for name in ("builder", "reviewer")}
    brain = {key: scripted(NAME, tmp_path)[key] for key in ("driver", "command", "cwd")}
    room = TalkingRoom(tmp_path, agents, assistant={"enabled": True, "name": "Ada", "brain": brain})
    try:
        yield room.start()
        room.stop()
    finally:
        room.kill()


def called(room: TalkingRoom, *calls: tuple[str, dict]) -> list[dict]:
    """What the assistant got for these calls, all within one answer to the person."""
    nonce = uuid.uuid4().hex
    steps = [{"call": {"tool": tool, "arguments": arguments, "era": "new"}} for tool, arguments in calls]
    question = do("a secret of ours", n=nonce, steps=[*steps, say("done")])
    status, answer = room.command("/api/assistant/messages", content=question)
    assert (status, answer["reply"]["content"]) == (200, "done"), answer
    rows = sorted(room.noted(NAME, "called", nonce), key=lambda row: int(row["index"]))
    assert [row["isError"] for row in rows] == [False] * len(calls), rows
    return [row["result"] for row in rows]


def test_it_keeps_what_agents_are_given_and_edits_the_configuration(room):
    config = room.get("/api/setup")["config"]
    config["agents"][0]["name"] = "Grace"
    kept, core, read, saved = called(
        room,
        ("memory_remember", {"kind": "decision", "content": "we cut releases on Mondays", "clientCommandId": "1"}),
        (
            "agent_core_remember",
            {"subjectActorId": "agent:builder", "kind": "note", "content": "small steps", "clientCommandId": "2"},
        ),
        ("setup_read", {}),
        ("setup_save", {"config": config, "clientCommandId": "3"}),
    )

    shown = {item["memoryId"]: item for item in room.get("/api/memory")["items"]}
    assert {shown[answer["memoryId"]]["authorActorId"] for answer in (kept, core)} == {"user:assistant"}
    assert [agent["id"] for agent in read["config"]["agents"]] == saved["agents"] == ["builder", "reviewer"]
    assert saved["restartRequired"] and "groupx restart" in saved["hint"]
    assert json.loads((room.folder / "groupx.json").read_text())["agents"]["builder"]["name"] == "Grace"

    packets = {}
    for name in ("builder", "reviewer"):
        turn_id = room.turn(room.send(name, content="hello"))
        room.until_turn(turn_id, "completed")
        packets[name] = json.dumps(room.get(f"/api/turns/{turn_id}/packet"))
        assert "we cut releases on Mondays" in packets[name] and "a secret of ours" not in packets[name]
    assert ("small steps" in packets["builder"], "small steps" in packets["reviewer"]) == (True, False)
    assert "a secret of ours" not in json.dumps(room.events())
