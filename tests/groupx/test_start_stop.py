"""A whole room from outside: real processes, scripted agents (docs/architecture.md, "Processes").

Our contract. Few and slow; what can be decided without a process is specified in test_lifecycle.py, what happens
when parts of a room die in test_survival.py.
"""

import http.client
import json
import signal
import socket
import sqlite3
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.running_room import RunningRoom, do, free_port, scripted
from tests.waiting import wait_until

START_SECONDS = 30.0
CLOSE_SECONDS = 15.0


@pytest.fixture
def room(tmp_path: Path) -> Iterator[RunningRoom]:
    """Not started yet; nothing of it is left afterwards."""
    agents = {name: scripted(name, tmp_path) for name in ("builder", "reviewer")}
    room = RunningRoom(tmp_path, agents, timeouts={"closeMs": 1000})
    yield room
    room.kill()


def with_lanes(room: RunningRoom) -> None:
    for name in ("builder", "reviewer"):
        room.until_agent(name, "ready")


def test_two_starts_at_once_are_one_room_and_two_successes(room: RunningRoom):
    starts = [room.spawn("groupx_start", "--no-open") for _ in range(2)]

    wait_until(
        lambda: any(p.poll() is not None for p in starts), timeout_seconds=START_SECONDS, what="the second's end"
    )
    second = next(process for process in starts if process.poll() is not None)
    first = next(process for process in starts if process is not second)
    assert second.returncode == 0
    assert f"GroupX is already running: {room.url}/" in room.log()

    assert room.get("/api/health")["status"] == "ok"
    first.send_signal(signal.SIGTERM)
    assert first.wait(CLOSE_SECONDS) == 0
    assert not room.processes()


def test_sigterm_leaves_no_process_and_files_that_only_we_may_read(room: RunningRoom):
    parent = room.start().process
    with_lanes(room)
    assert parent is not None and len(room.processes("agent_cli.py")) == 2

    parent.send_signal(signal.SIGTERM)

    assert parent.wait(CLOSE_SECONDS) == 0
    assert not room.processes()
    for path in (room.folder / ".groupx").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_stop_in_mid_turn_ends_in_time_whatever_the_agent_does_and_the_turn_says_so(tmp_path: Path):
    """An agent that hears neither the cancel nor the end of its input, nor SIGTERM."""
    deaf = {"FAKE_AGENT": json.dumps({"ignore_eof": True, "ignore_term": True})}
    room = RunningRoom(tmp_path, {"builder": scripted("builder", tmp_path)}, env=deaf)
    try:
        room.start().until_agent("builder", "ready")
        steps = [{"ignore_cancel": True}, {"text": "half a sen"}, {"wait": ""}]
        turn_id = room.turn(room.send("builder", content=do(n="deaf", steps=steps)))
        room.until_turn(turn_id, "running")

        began = time.monotonic()
        assert room.spawn("groupx_stop").wait(CLOSE_SECONDS + 5) == 0
        assert room.process is not None and room.process.wait(1) == 0
        assert time.monotonic() - began < CLOSE_SECONDS
        assert not room.processes()

        room.start()
        shown = room.get(f"/api/turns/{turn_id}")
        assert (shown["status"], shown["errorCode"]) == ("interrupted", "TURN_INTERRUPTED")
        assert "GroupX was stopped" in shown["message"] and shown["partialText"] == "half a sen"
    finally:
        room.kill()


def test_a_request_sent_while_the_server_is_dead_is_answered(room: RunningRoom):
    room.start()
    [serve] = room.processes("groupx_serve")
    serve.kill()
    serve.wait(5)

    assert room.get("/api/health")["status"] == "ok"
    assert [process.pid for process in room.processes("groupx_serve")] != [serve.pid]


def test_a_restart_keeps_the_port_open_and_takes_the_new_configuration(room: RunningRoom):
    parent = room.start().process
    with_lanes(room)
    before = room.get("/api/health")
    room.config["agents"]["builder"]["name"] = "Renamed"
    room.write()
    status, _ = room.request("POST", "/api/runtime/restart", {"runtimeScopeKey": before["runtimeScopeKey"]})
    assert status == 202

    def renewed() -> bool:
        try:
            return room.get("/api/health")["runtimeKey"] != before["runtimeKey"]
        except (ConnectionResetError, http.client.HTTPException):  # a connection that the old server still had
            return False

    wait_until(renewed, timeout_seconds=START_SECONDS, what="the new run")
    assert parent is not None and parent.poll() is None
    assert room.spawn("groupx_stop").wait(CLOSE_SECONDS) == 0 and parent.wait(5) == 0
    assert not room.processes()


def test_a_port_of_somebody_else_is_refused_and_left_alone(room: RunningRoom):
    with socket.create_server(("127.0.0.1", room.port)) as foreign:
        assert room.spawn("groupx_start", "--no-open").wait(START_SECONDS) == 1
        assert str(room.port) in room.log()
        socket.create_connection(foreign.getsockname(), 1).close()
    assert not room.processes()
    assert not (room.folder / ".groupx" / "groupx.db").exists()


def test_a_room_on_another_port_than_its_file_is_found_whoever_has_that_one(room: RunningRoom):
    there = str(free_port())
    with socket.create_server(("127.0.0.1", room.port)):
        parent = room.spawn("groupx_start", "--no-open", "--port", there)
        wait_until(lambda: "GroupX is running" in room.log(), timeout_seconds=START_SECONDS, what="the room")

        assert room.spawn("groupx_start", "--no-open").wait(START_SECONDS) == 1
        assert f"This room already runs at http://127.0.0.1:{there}/" in room.log()
        taken = room.spawn("groupx_restart", "--no-open", "--port", str(room.port))
        assert taken.wait(START_SECONDS) == 1 and parent.poll() is None
        assert room.spawn("groupx_signin").wait(START_SECONDS) == 0

        restarted = room.spawn("groupx_restart", "--no-open")
        assert parent.wait(CLOSE_SECONDS + START_SECONDS) == 0
        started = f"GroupX is running: http://127.0.0.1:{there}/"
        wait_until(lambda: room.log().count(started) == 2, timeout_seconds=START_SECONDS, what="the room, there again")
        assert room.spawn("groupx_stop").wait(CLOSE_SECONDS + 5) == 0 and restarted.wait(5) == 0
    assert not room.processes()


def test_a_second_start_shows_the_room_that_runs(tmp_path: Path):
    shown, browser = tmp_path / "shown", tmp_path / "browser"
    browser.write_text(f'#!/bin/sh\necho "$1" > {shown}\n')
    browser.chmod(0o700)
    room = RunningRoom(tmp_path, {}, env={"DISPLAY": ":0", "BROWSER": f"{browser} %s"})
    try:
        room.start()
        assert not shown.exists()
        assert room.spawn("groupx_start").wait(START_SECONDS) == 0
        wait_until(lambda: shown.exists() and shown.read_text(), timeout_seconds=START_SECONDS, what="the browser")
        assert shown.read_text() == f"{room.url}/\n"
    finally:
        room.stop()


def test_a_database_of_a_newer_version_is_refused_with_a_sentence(room: RunningRoom):
    room.start().stop()
    with sqlite3.connect(room.folder / ".groupx" / "groupx.db") as database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('rooms', '9999_future', '2030-01-01')"
        )
    database.close()

    assert room.spawn("groupx_start", "--no-open").wait(START_SECONDS) == 1

    said = room.log()
    assert "newer version" in said and "rooms.9999_future" in said and "Traceback" not in said
    assert not room.processes()
