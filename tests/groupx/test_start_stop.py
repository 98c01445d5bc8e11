"""A whole room from outside: real processes, the demo's scripted agents (docs/architecture.md, "Processes").

Our contract. Few and slow; what can be decided without a process is specified in test_lifecycle.py.
"""

import json
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from groupx.first_start import demo_configuration
from tests.waiting import wait_until

CHECKOUT = Path(__file__).resolve().parents[2]
START_SECONDS = 30.0
CLOSE_SECONDS = 15.0
MARK = "ROOM_UNDER_TEST"
"""In the environment of everything that a room starts; agents inherit no variable of GroupX's own."""


class Room:
    """A folder with a configuration, and the processes that were started in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.port: int = free.getsockname()[1]
        self.configuration = demo_configuration()
        self.configuration["agents"].pop("scribe")
        self.configuration["server"] = {"port": self.port}
        self.configuration["timeouts"] = {"closeMs": 1000}
        self.write()
        for agent_id in self.configuration["agents"]:
            (folder / agent_id).mkdir()
        self.started: list[subprocess.Popen[str]] = []

    @property
    def path(self) -> Path:
        return self.folder / "groupx.json"

    def write(self) -> None:
        self.path.write_text(json.dumps(self.configuration))

    def spawn(self, verb: str = "groupx_start", *options: str) -> subprocess.Popen[str]:
        environment = {name: value for name, value in os.environ.items() if not name.startswith(("GROUPX_", "DJANGO_"))}
        with (self.folder / "stderr").open("a") as stderr:
            process = subprocess.Popen(
                [sys.executable, str(CHECKOUT / "manage.py"), verb, "--config", str(self.path), *options],
                env={**environment, MARK: str(self.folder)},
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=stderr,
                start_new_session=True,
                text=True,
            )
        self.started.append(process)
        return process

    def start(self) -> subprocess.Popen[str]:
        process = self.spawn("groupx_start", "--no-open")
        self.healthy()
        return process

    def get(self, path: str) -> dict[str, Any]:
        with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=START_SECONDS) as answer:
            return json.load(answer)

    def healthy(self) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            assert any(process.poll() is None for process in self.started), (self.folder / "stderr").read_text()
            try:
                return self.get("/api/health")
            except (OSError, urllib.error.HTTPError):
                return None

        health = wait_until(look, timeout_seconds=START_SECONDS, what="health")
        assert health is not None and health["status"] == "ok"
        return health

    def with_lanes(self) -> None:
        def all_ready() -> bool:
            return {agent["status"] for agent in self.get("/api/health")["agents"]} == {"ready"}

        wait_until(all_ready, timeout_seconds=START_SECONDS, what="ready lanes")

    def processes(self) -> list[psutil.Process]:
        """Everything that was started in this room, down to the agents."""
        found = []
        for process in psutil.process_iter():
            try:
                if process.environ().get(MARK) == str(self.folder) and process.status() != "zombie":
                    found.append(process)
            except psutil.Error:
                continue
        return found

    def process_of(self, verb: str) -> psutil.Process:
        return next(process for process in self.processes() if verb in process.cmdline())

    def nothing_left(self, *, timeout_seconds: float = CLOSE_SECONDS) -> None:
        wait_until(lambda: not self.processes(), timeout_seconds=timeout_seconds, what="the end of every process")


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    room = Room(tmp_path)
    yield room
    for process in room.processes():
        process.kill()
    for started in room.started:
        started.wait(5)
        assert started.stdout is not None
        started.stdout.close()


def test_two_starts_at_once_are_one_room_and_two_successes(room: Room):
    starts = [room.spawn("groupx_start", "--no-open") for _ in range(2)]

    wait_until(
        lambda: any(p.poll() is not None for p in starts), timeout_seconds=START_SECONDS, what="the second's end"
    )
    second = next(process for process in starts if process.poll() is not None)
    first = next(process for process in starts if process is not second)
    assert second.returncode == 0 and second.stdout is not None
    assert f"http://127.0.0.1:{room.port}/" in second.stdout.read()

    room.healthy()
    first.send_signal(signal.SIGTERM)
    assert first.wait(CLOSE_SECONDS) == 0
    room.nothing_left(timeout_seconds=1)


def test_sigterm_leaves_no_process_and_files_that_only_we_may_read(room: Room):
    parent = room.start()
    room.with_lanes()
    agents = [process for process in room.processes() if "--persona" in process.cmdline()]
    assert len(agents) == 2

    parent.send_signal(signal.SIGTERM)

    assert parent.wait(CLOSE_SECONDS) == 0
    room.nothing_left(timeout_seconds=1)
    for path in (room.folder / ".groupx").rglob("*"):
        assert path.stat().st_mode & 0o077 == 0, path


def test_a_killed_parent_takes_everything_with_it_and_the_room_starts_again(room: Room):
    parent = room.start()
    room.with_lanes()
    former = room.processes()

    parent.kill()
    again = room.spawn("groupx_start", "--no-open")  # at once: the former run has not ended yet

    def former_run_ended() -> bool:
        return not any(process.is_running() and process.status() != "zombie" for process in former)

    wait_until(former_run_ended, timeout_seconds=CLOSE_SECONDS, what="the end of the former run")
    room.healthy()
    room.with_lanes()
    again.send_signal(signal.SIGTERM)
    assert again.wait(CLOSE_SECONDS) == 0
    room.nothing_left()


def test_a_request_sent_while_the_server_is_dead_is_answered(room: Room):
    room.start()
    serve = room.process_of("groupx_serve")
    serve.kill()
    serve.wait(5)

    assert room.get("/api/health")["status"] == "ok"
    assert room.process_of("groupx_serve").pid != serve.pid


def test_a_restart_keeps_the_port_open_and_takes_the_new_configuration(room: Room):
    parent = room.start()
    room.with_lanes()
    before = room.healthy()
    room.configuration["agents"]["builder"]["name"] = "Renamed"
    room.write()
    request = urllib.request.Request(
        f"http://127.0.0.1:{room.port}/api/runtime/restart",
        data=json.dumps({"runtimeScopeKey": before["runtimeScopeKey"]}).encode(),
        headers={"Content-Type": "application/json"},
    )
    with urllib.request.urlopen(request, timeout=START_SECONDS) as answer:
        assert answer.status == 202

    def renewed() -> bool:
        try:
            return room.get("/api/health")["runtimeKey"] != before["runtimeKey"]
        except OSError:  # closing, or a connection that the old server still had
            return False

    wait_until(renewed, timeout_seconds=START_SECONDS, what="the new run")
    assert parent.poll() is None
    stop = room.spawn("groupx_stop")
    assert stop.wait(CLOSE_SECONDS) == 0 and parent.wait(5) == 0
    room.nothing_left(timeout_seconds=1)


def test_a_port_of_somebody_else_is_refused_and_left_alone(room: Room):
    with socket.create_server(("127.0.0.1", room.port)) as foreign:
        start = room.spawn("groupx_start", "--no-open")
        assert start.wait(START_SECONDS) == 1
        assert str(room.port) in (room.folder / "stderr").read_text()
        socket.create_connection(foreign.getsockname(), 1).close()
    room.nothing_left(timeout_seconds=1)
    assert not (room.folder / ".groupx" / "groupx.db").exists()


def test_a_database_of_a_newer_version_is_refused_with_a_sentence(room: Room):
    first = room.start()
    room.with_lanes()
    first.send_signal(signal.SIGTERM)
    assert first.wait(CLOSE_SECONDS) == 0
    with sqlite3.connect(room.folder / ".groupx" / "groupx.db") as database:
        database.execute(
            "INSERT INTO django_migrations (app, name, applied) VALUES ('rooms', '9999_future', '2030-01-01')"
        )
    database.close()

    start = room.spawn("groupx_start", "--no-open")

    assert start.wait(START_SECONDS) == 1
    said = (room.folder / "stderr").read_text()
    assert "newer version" in said and "rooms.9999_future" in said and "Traceback" not in said
    room.nothing_left(timeout_seconds=1)
