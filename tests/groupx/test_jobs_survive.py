"""Jobs in one real room whose lane, parent and agent die in mid-job (docs/jobs.md).

A job is put into the room's database as whoever asks would. The tests share a room and run in their order.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import psutil
import pytest

from groupx import run_files
from groupx.kernel.ids import new_job_id
from tests.running_room import RunningRoom, do, kill_one, scripted
from tests.waiting import wait_until

DEATH_SECONDS = 15
ASKED = """
    INSERT INTO turns_agentjob (job_id, actor_id, kind, status, asked_by, fingerprint, prompt, error_code,
        message, is_temporary, lane_token, created_at, expires_at)
    VALUES (?, 'agent:builder', 'summary', 'waiting', 'test', ?, ?, '', '', 0, '', datetime('now'),
        datetime('now', '+1 day'))
"""


@pytest.fixture(scope="module")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningRoom]:
    folder = tmp_path_factory.mktemp("jobs")
    room = RunningRoom(folder, {"builder": scripted("builder", folder)})
    try:
        room.start()
        room.until_agent("builder", "ready")
        yield room
    finally:
        room.stop()


def in_database(room: RunningRoom, sql: str, *values: object) -> list[Any]:
    with closing(sqlite3.connect(room.folder / ".groupx" / "groupx.db", timeout=20)) as database, database:
        return database.execute(sql, values).fetchall()


def held_job(room: RunningRoom, nonce: str) -> tuple[str, psutil.Process]:
    """A job that its agent is at work on, and that agent's process."""
    job_id = new_job_id()
    in_database(room, ASKED, job_id, job_id, do(n=nonce, steps=[{"text": "half"}, {"wait": f"go-{nonce}"}]))
    wait_until(lambda: room.prompts("builder", nonce), timeout_seconds=30, what="the agent was asked")
    (cli,) = [cli for cli in recorded(room) if cli.use is run_files.CliUse.SHORT_SESSION]
    return job_id, psutil.Process(cli.pid)


def recorded(room: RunningRoom) -> list[run_files.RecordedCli]:
    return run_files.recorded_clis(room.folder / ".groupx" / "run", "builder")


def end_of(room: RunningRoom, job_id: str) -> tuple[Any, ...]:
    sql = "SELECT status, error_code, is_temporary, answer FROM turns_agentjob WHERE job_id = ? AND ended_at NOT NULL"
    wait_until(lambda: in_database(room, sql, job_id), timeout_seconds=30, what="the job has ended")
    found: tuple[Any, ...] = in_database(room, sql, job_id)[0]
    return found


def has_died(process: psutil.Process) -> None:
    wait_until(lambda: not process.is_running(), timeout_seconds=DEATH_SECONDS, what="the short session has ended")


def test_a_job_is_done_beside_a_turn_and_leaves_no_process_and_no_record(room):
    turn_id = room.turn(room.send("builder", content=do(n="t", steps=[{"text": "half"}, {"wait": "go-t"}])))
    room.until_turn(turn_id, "running")
    job_id, process = held_job(room, "j1")
    assert {cli.use for cli in recorded(room)} == set(run_files.CliUse)
    (room.folder / "builder" / "go-j1").touch()

    assert end_of(room, job_id) == ("done", "", 0, "half")
    has_died(process)
    assert [cli.use for cli in recorded(room)] == [run_files.CliUse.TURNS]
    (room.folder / "builder" / "go-t").touch()
    assert room.until_turn(turn_id)["status"] == "completed"


def test_a_short_session_that_is_killed_ends_its_job_only(room):
    job_id, process = held_job(room, "j2")
    kill_one(process)
    assert end_of(room, job_id) == ("failed", "NATIVE_EXITED", 1, None)
    room.until_agent("builder", "ready")


def test_a_lane_that_is_killed_leaves_no_short_session_and_its_job_is_not_asked_again(room):
    job_id, process = held_job(room, "j3")
    (lane,) = room.processes("groupx_lane", "builder")
    kill_one(lane)

    assert end_of(room, job_id) == ("failed", "TURN_INTERRUPTED", 1, None)
    has_died(process)
    room.until_agent("builder", "ready")
    again, next_process = held_job(room, "j4")
    (room.folder / "builder" / "go-j4").touch()
    assert end_of(room, again)[0] == "done"
    has_died(next_process)
    assert len(room.prompts("builder", "j3")) == 1


def test_a_parent_that_is_killed_takes_the_short_session_with_it(room):
    job_id, process = held_job(room, "j5")
    assert room.process is not None
    room.process.kill()
    room.process.wait(5)
    has_died(process)
    wait_until(lambda: not room.processes(), timeout_seconds=DEATH_SECONDS, what="no process is left")
    room.start()
    room.until_agent("builder", "ready")

    status, _, is_temporary, answer = end_of(room, job_id)
    assert (status, is_temporary, answer) == ("failed", 1, None)
    assert len(room.prompts("builder", "j5")) == 1


def test_a_stop_ends_it_at_once(room):
    job_id, process = held_job(room, "j6")
    room.stop()

    assert not process.is_running() and recorded(room) == []
    assert end_of(room, job_id) == ("failed", "RUNTIME_CLOSING", 1, None)
