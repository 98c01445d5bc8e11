"""What keeps a room from starting: a sentence, an exit code, and nothing ended that is not ours. Our contract."""

import http.client
import json
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import psutil
import pytest

from adapters.process_identity import boot_id, start_of
from tests.running_room import RunningRoom, free_port
from tests.waiting import wait_until

START_SECONDS = 30.0
CLOSE_SECONDS = 15.0
WAITS = "import sys; sys.stdin.read()"
LISTENS = (
    "import socket, sys; s = socket.create_server(('127.0.0.1', int(sys.argv[1]))); print(flush=True); sys.stdin.read()"
)


@pytest.fixture
def room(tmp_path: Path) -> Iterator[RunningRoom]:
    room = RunningRoom(tmp_path, {})
    yield room
    room.kill()


@pytest.fixture
def foreign(room: RunningRoom) -> Iterator[subprocess.Popen[bytes]]:
    """A program of somebody else on the room's port."""
    command = [sys.executable, "-c", LISTENS, str(room.port)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdin is not None
        process.stdout.readline()
        yield process
        process.stdin.close()


def test_who_has_the_port_is_named_and_left_alone(room: RunningRoom, foreign: subprocess.Popen[bytes]):
    assert room.spawn("groupx_start", "--no-open").wait(START_SECONDS) == 1
    assert f"Port {room.port} is in use" in room.log() and f"pid {foreign.pid}" in room.log()
    assert room.spawn("groupx_stop").wait(START_SECONDS) == 1
    assert foreign.poll() is None and not room.processes()


def test_records_of_a_former_run_end_only_what_was_ours(room: RunningRoom):
    """A pid that another program has got meanwhile, a damaged record, a snapshot and a secret of nobody."""
    run_dir = room.folder / ".groupx" / "run"
    run_dir.mkdir(parents=True)
    with subprocess.Popen([sys.executable, "-c", WAITS], stdin=subprocess.PIPE) as other:
        began = start_of(other.pid)
        assert began is not None
        for name in ("child-serve", "child-lane-builder", "cli-builder"):
            record = {"pid": other.pid, "startedAt": began - 100, "bootId": boot_id()}
            (run_dir / f"{name}.json").write_text(json.dumps(record))
        (run_dir / "child-broken.json").write_text("{")
        (run_dir / "config.json").write_text("not a snapshot")
        (run_dir / "secret").write_text("old")
        (run_dir / "lock").touch()

        room.start().stop()

        assert other.poll() is None
        assert other.stdin is not None
        other.stdin.close()
    assert "Traceback" not in room.log()


def test_a_folder_that_cannot_be_used_is_named(room: RunningRoom):
    (room.folder / ".groupx").write_text("a file where the folder should be")
    assert room.spawn("groupx_start", "--no-open").wait(START_SECONDS) == 1
    said = room.log()
    assert f"The folder {room.folder / '.groupx'} cannot be used" in said and "Traceback" not in said
    assert not room.processes()


def test_a_room_whose_file_was_broken_since_can_be_stopped_and_not_restarted(room: RunningRoom):
    room.start()
    (room.folder / "groupx.json").write_text("{broken")
    assert room.spawn("groupx_restart").wait(START_SECONDS) == 2
    assert room.processes()
    assert room.spawn("groupx_stop").wait(START_SECONDS) == 0
    assert not room.processes()


def test_a_database_of_another_program_is_named_and_stays(room: RunningRoom):
    shop = room.folder / "shop.db"
    with closing(sqlite3.connect(shop)) as database:
        database.execute("CREATE TABLE django_migrations (app text, name text)")
        database.execute("CREATE TABLE orders (id integer)")
    room.config["storage"] = {"path": "shop.db"}
    room.write()
    assert room.spawn("groupx_start", "--no-open").wait(START_SECONDS) == 1
    said = room.log()
    assert f"{shop} is no database of GroupX." in said and "Traceback" not in said
    with closing(sqlite3.connect(shop)) as database:
        assert {name for (name,) in database.execute("SELECT name FROM sqlite_master")} == {
            "django_migrations",
            "orders",
        }


def test_a_file_that_is_no_database_is_named_and_stays(room: RunningRoom):
    notes = room.folder / "notes.txt"
    notes.write_text("what somebody wrote " * 100)
    room.config["storage"] = {"path": "notes.txt"}
    room.write()
    assert room.spawn("groupx_start", "--no-open").wait(START_SECONDS) == 1
    said = room.log()
    assert f"{notes} cannot be read (file is not a database)" in said and "Traceback" not in said
    assert notes.read_text() == "what somebody wrote " * 100 and not room.processes()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written_is_named(room: RunningRoom):
    room.folder.chmod(0o500)
    try:
        start = room.program("groupx_start")
        ended = subprocess.run([*start, "--no-open"], cwd=room.folder, capture_output=True, text=True, check=False)
    finally:
        room.folder.chmod(0o700)
    assert ended.returncode == 1 and "cannot be used" in ended.stderr and "Traceback" not in ended.stderr


def test_a_restart_to_a_new_port_moves_there_and_to_one_that_is_taken_stays(room: RunningRoom):
    parent = room.start().process
    key, old = room.get("/api/health")["runtimeScopeKey"], room.port
    there = free_port()
    with subprocess.Popen(
        [sys.executable, "-c", LISTENS, str(there)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as other:
        assert other.stdout is not None and other.stdin is not None
        other.stdout.readline()
        room.config["server"] = {"port": there}
        room.write()
        assert room.request("POST", "/api/runtime/restart", {"runtimeScopeKey": key})[0] == 202
        wait_until(lambda: "restart_refused" in room.log(), timeout_seconds=START_SECONDS, what="the refusal")
        assert room.get("/api/health")["status"] == "ok" and other.poll() is None
        other.stdin.close()

    assert room.request("POST", "/api/runtime/restart", {"runtimeScopeKey": key})[0] == 202
    room.port = there

    def moved() -> bool:
        try:
            return room.get("/api/health")["status"] == "ok"
        except (OSError, http.client.HTTPException):
            return False

    wait_until(moved, timeout_seconds=START_SECONDS, what="the room on its new port")
    assert parent is not None and parent.poll() is None
    with pytest.raises(ConnectionRefusedError):
        room.port = old
        room.get("/api/health")
    room.port = there
    assert room.spawn("groupx_stop").wait(CLOSE_SECONDS + 5) == 0
    room.has_ended(CLOSE_SECONDS)
    assert not psutil.pid_exists(parent.pid)
