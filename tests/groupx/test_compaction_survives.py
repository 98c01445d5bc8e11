"""A compaction in a real room whose waiting lane is killed (docs/context.md, "How the room is summed up")."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import closing

import pytest

from tests.running_room import RunningRoom, kill_one, scripted
from tests.waiting import wait_until


@pytest.fixture
def room(tmp_path) -> Iterator[RunningRoom]:
    agents = {name: scripted(name, tmp_path) for name in ("builder", "reviewer")}
    room = RunningRoom(tmp_path, agents, limits={"contextCharacters": 12_000})
    try:
        room.start()
        for name in agents:
            room.until_agent(name, "ready")
        yield room
    finally:
        room.stop()


def said_at_length(room: RunningRoom, messages: int) -> None:
    for number in range(messages):
        room.until_turn(room.turn(room.send("builder", content=f"message {number}: " + "what was said " * 60)))


def test_the_next_lane_goes_on_with_what_was_written_for_the_one_that_was_killed(room):
    said_at_length(room, 24)
    held = {"n": "sum", "steps": [{"text": "all that was said"}, {"wait": "go-sum"}]}
    (room.folder / "builder" / "next-prompt.json").write_text(json.dumps(held))
    turn_id = room.turn(room.send("reviewer", content="and now?"))
    wait_until(lambda: room.prompts("builder", "sum"), timeout_seconds=30, what="builder sums the room up")
    assert room.get(f"/api/turns/{turn_id}")["status"] == "dispatching"

    (lane,) = room.processes("groupx_lane", "reviewer")
    kill_one(lane)
    (room.folder / "builder" / "go-sum").touch()

    assert room.until_turn(turn_id, seconds=90)["status"] == "completed"
    assert "[room_checkpoint_summary]" in room.get(f"/api/turns/{turn_id}/packet")["text"]
    with closing(sqlite3.connect(room.folder / ".groupx" / "groupx.db", timeout=20)) as database:
        asked = [row[0] for row in database.execute("SELECT fingerprint FROM turns_agentjob WHERE kind = 'summary'")]
    assert len(asked) == len(set(asked)) > 1, "no part was given to an agent twice"
