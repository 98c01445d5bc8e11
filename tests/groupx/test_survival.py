"""One real room through its worst day: agents, server and parent die in mid-turn (docs/turns.md, docs/operations.md).

The tests share a room and run in their order; each leaves it working.
"""

import shutil
from collections.abc import Iterator

import pytest

from tests.running_room import RunningRoom, StreamReader, do, kill_one, scripted
from tests.waiting import wait_until

PARENT_DEATH_SECONDS = 15


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("survival")
    ghost = scripted("ghost", folder) | {"command": "/nowhere/no-such-program"}
    agents = {"builder": scripted("builder", folder), "reviewer": scripted("reviewer", folder), "ghost": ghost}
    room = RunningRoom(folder, agents)
    try:
        room.start()
        for name in ("builder", "reviewer"):
            room.until_agent(name, "ready")
        yield room
    finally:
        room.stop()


def held(room: RunningRoom, name: str, nonce: str) -> str:
    """A turn that has said its first words and waits for the file `go-<nonce>` in the agent's folder."""
    steps = [{"text": "first words "}, {"wait": f"go-{nonce}"}, {"text": "last words"}]
    turn_id = room.turn(room.send(name, content=do(n=nonce, steps=steps)))
    room.until_turn(turn_id, "running")
    return turn_id


def release(room: RunningRoom, name: str, nonce: str) -> None:
    (room.folder / name / f"go-{nonce}").write_text("")


def answer_to(room: RunningRoom, turn_id: str) -> str:
    return next(
        e["body"]["content"]
        for e in room.events()
        if e["type"] == "message.created" and e["body"].get("turnId") == turn_id
    )


def test_a_missing_program_is_an_error_on_its_own_card_and_stops_nobody(room):
    ghost = room.until_agent("ghost", "failed")

    assert ghost["lastError"]["code"] == "COMMAND_NOT_FOUND"
    assert "/nowhere/no-such-program" in ghost["lastError"]["message"]
    turn_id = room.turn(room.send("builder", content=do(n="m1", steps=[{"text": "I work"}])))
    assert room.until_turn(turn_id)["status"] == "completed"


def test_an_agent_that_crashes_in_mid_turn_ends_that_turn_only(room):
    other = held(room, "reviewer", "other")
    steps = [{"text": "half a sen"}, {"stderr": 40}, {"exit": 7}]

    crashed = room.until_turn(room.turn(room.send("builder", content=do(n="c1", steps=steps))))
    release(room, "reviewer", "other")

    assert (crashed["status"], crashed["errorCode"], crashed["partialText"]) == (
        "failed",
        "NATIVE_EXITED",
        "half a sen",
    )
    assert "7" in crashed["message"]
    assert room.until_turn(other)["status"] == "completed"
    card = next(a for a in room.get("/api/agents")["items"] if a["actorId"] == "agent:builder")
    assert card["lastError"]["exitCode"] == 7 and card["lastError"]["output"]
    again = room.until_turn(room.turn(room.send("builder", content=do(n="c2", steps=[{"text": "back"}]))))
    assert again["status"] == "completed"


def test_the_server_may_die_in_mid_turn_and_the_turn_completes_before_the_reader(room):
    reader = StreamReader(room)
    turn_id = held(room, "builder", "s1")
    wait_until(lambda: reader.transient, timeout_seconds=20, what="live text")
    for server in room.processes("groupx_serve"):
        kill_one(server)
    release(room, "builder", "s1")

    assert room.until_turn(turn_id)["status"] == "completed"
    assert answer_to(room, turn_id) == "first words last words"
    assert len(room.prompts("builder", "s1")) == 1
    end = room.get("/api/bootstrap")["cursor"]
    reader.until(end)
    assert reader.seqs[:end] == list(range(1, end + 1))
    reader.close()


def test_a_lane_that_dies_leaves_no_agent_behind_and_comes_back_with_the_truth(room):
    turn_id = held(room, "builder", "l1")
    [lane] = room.processes("groupx_lane", "builder")
    agent = next(p for p in lane.children() if any("agent_cli.py" in part for part in p.cmdline()))
    kill_one(lane)

    shown = room.until_turn(turn_id)
    assert (shown["status"], shown["errorCode"]) == ("interrupted", "TURN_INTERRUPTED")
    wait_until(lambda: not agent.is_running(), timeout_seconds=15, what="the dead lane's agent has ended")
    again = room.until_turn(room.turn(room.send("builder", content=do(n="l2", steps=[{"text": "back"}]))))
    assert again["status"] == "completed"
    assert len(room.prompts("builder", "l1")) == 1


def test_a_wiped_run_folder_is_made_again_for_the_next_server(room):
    shutil.rmtree(room.folder / ".groupx" / "run")
    for server in room.processes("groupx_serve"):
        kill_one(server)

    turn_id = room.turn(room.send("builder", content=do(n="w1", steps=[{"text": "still here"}])))
    assert room.until_turn(turn_id)["status"] == "completed"


def test_a_killed_parent_takes_all_with_it_and_the_next_start_tells_the_truth(room):
    running = held(room, "builder", "p1")
    waiting = room.turn(room.send("builder", content=do(n="p2", steps=[{"text": "I waited"}])))
    assert room.process is not None
    room.process.kill()
    room.process.wait(5)
    wait_until(lambda: not room.processes(), timeout_seconds=PARENT_DEATH_SECONDS, what="no process is left")

    room.start()

    interrupted = room.until_turn(running)
    assert interrupted["status"] == "interrupted"
    assert room.until_turn(waiting)["status"] == "completed"
    assert answer_to(room, waiting) == "I waited"
    assert [len(room.prompts("builder", nonce)) for nonce in ("p1", "p2")] == [1, 1]
