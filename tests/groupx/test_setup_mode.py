"""A start without a configuration file, from outside (docs/architecture.md, "Processes"). Our contract."""

import http.client
import json
import shlex
import signal
import socket
import sqlite3
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import psutil
import pytest

from tests.running_room import RunningRoom, free_port, scripted
from tests.waiting import wait_until

START_SECONDS = 40.0
CLOSE_SECONDS = 15.0


class FreshFolder(RunningRoom):
    """A room that has no configuration file yet; its agent is a scripted CLI that is installed."""

    def __init__(self, folder: Path) -> None:
        agent = scripted("builder", folder, "codex")
        super().__init__(folder, {"builder": agent})
        self.config_path = folder / "groupx.json"
        self.config_path.unlink()
        command = shlex.join([agent["command"]["executable"], *agent["command"]["prefixArgs"]])
        self.program_path = folder / "codex"
        self.program_path.write_text(f'#!/bin/sh\nexec {command} "$@"\n')
        self.program_path.chmod(0o700)

    def set_up(self) -> "FreshFolder":
        """Start it, as far as the setup."""
        self.process = self.spawn("groupx_start", "--no-open", "--port", str(self.port))
        wait_until(self._is_up, timeout_seconds=START_SECONDS, what="the setup")
        return self

    def _is_up(self) -> bool:
        assert self.process is not None and self.process.poll() is None, self.log()[-3000:]
        return self.said("GroupX needs to be set up") and self.health().get("status") == "setup"

    def said(self, sentence: str) -> bool:
        return sentence in self.log()

    def health(self) -> dict[str, Any]:
        with suppress(OSError, http.client.HTTPException):
            return self.get("/api/health")
        return {}

    def draft(self, port: int | None = None, **changed: Any) -> dict[str, Any]:
        agent = {
            "id": "builder",
            "driver": "codex",
            "name": "Builder",
            "identity": "",
            "command": str(self.program_path),
            "cwd": str(self.folder / "builder"),
            "enabled": True,
        }
        return {
            "serverPort": port or self.port,
            "storagePath": ".groupx/groupx.db",
            "agents": [agent],
            **changed,
        }

    def save(self, **changed: Any) -> dict[str, Any]:
        status, answer = self.request("POST", "/api/setup", {"config": self.draft(**changed)})
        assert status == 200, answer
        return answer

    def until_launch(self, status: str) -> dict[str, Any]:
        def look() -> dict[str, Any] | None:
            with suppress(OSError, http.client.HTTPException, ValueError):
                code, told = self.request("GET", "/api/setup/launch")
                return told if code == 200 and told["status"] == status else None
            return None

        return wait_until(look, timeout_seconds=START_SECONDS, what=f"a launch that is {status}")


@pytest.fixture
def fresh(tmp_path: Path) -> Iterator[FreshFolder]:
    folder = FreshFolder(tmp_path)
    yield folder
    folder.kill()


def test_the_setup_becomes_the_room_in_place(fresh: FreshFolder):
    fresh.set_up()
    before = fresh.health()
    assert fresh.request("GET", "/api/setup/launch") == (200, {"status": "waiting"})
    assert not (fresh.folder / ".groupx" / "groupx.db").exists()

    assert fresh.save()["restartRequired"] is False

    assert fresh.until_launch("ready")["origin"] == fresh.url
    wait_until(lambda: fresh.said(f"GroupX is running: {fresh.url}/"), timeout_seconds=START_SECONDS, what="the room")
    assert fresh.health()["runtimeScopeKey"] == before["runtimeScopeKey"]
    assert not fresh.processes("groupx_serve", "--setup")
    turn_id = fresh.turn(fresh.send("builder", content="hello"))
    assert fresh.until_turn(turn_id)["status"] == "completed"
    assert fresh.process is not None and fresh.process.poll() is None
    fresh.stop()


def test_before_there_is_a_room_only_the_setup_answers(fresh: FreshFolder):
    fresh.set_up()

    for method, path in (
        ("GET", "/api/bootstrap"),
        ("POST", "/api/messages"),
        ("GET", "/api/history"),
        ("POST", "/mcp"),
    ):
        status, answer = fresh.request(method, path, {} if method == "POST" else None)
        assert (status, answer["error"]["code"]) == (503, "SESSION_NOT_AVAILABLE"), path
    for path in ("/", "/bus/", "/admin/"):
        connection = http.client.HTTPConnection("127.0.0.1", fresh.port, timeout=10)
        connection.request("GET", path)
        answer = connection.getresponse()
        assert (answer.status, answer.headers["Location"]) == (302, "/setup"), path
        connection.close()
    fresh.stop()
    assert not (fresh.folder / ".groupx" / "groupx.db").exists()


def test_a_new_port_has_the_room_and_the_old_one_says_where_it_is(fresh: FreshFolder):
    fresh.set_up()
    there = free_port()
    fresh.save(port=there)

    origin = fresh.until_launch("ready")["origin"]

    assert origin == f"http://127.0.0.1:{there}"
    assert fresh.health()["status"] == "setup"
    fresh.port = there
    assert fresh.health()["status"] == "ok"
    assert fresh.spawn("groupx_stop").wait(CLOSE_SECONDS + 5) == 0
    fresh.has_ended(CLOSE_SECONDS)


def test_a_room_that_cannot_start_is_told_to_the_page_and_can_be_saved_again(fresh: FreshFolder):
    newer = fresh.folder / "newer.db"
    row = "INSERT INTO django_migrations (app, name, applied) VALUES ('rooms', '9999_future', '2030-01-01')"
    with sqlite3.connect(newer) as database:
        database.execute("CREATE TABLE django_migrations (id INTEGER PRIMARY KEY, app TEXT, name TEXT, applied TEXT)")
        database.execute(row)
    database.close()
    fresh.set_up()
    fresh.save(storagePath=str(newer))
    assert "newer version" in fresh.until_launch("failed")["message"]

    with socket.create_server(("127.0.0.1", 0)) as foreign:
        taken = foreign.getsockname()[1]
        fresh.save(port=taken)
        assert str(taken) in fresh.until_launch("failed")["message"]

    fresh.save()
    fresh.until_launch("ready")
    wait_until(lambda: fresh.health().get("status") == "ok", timeout_seconds=START_SECONDS, what="the room")
    fresh.stop()


def test_two_starts_at_once_without_a_file_are_one_setup_and_two_successes(fresh: FreshFolder):
    starts = [fresh.spawn("groupx_start", "--no-open", "--port", str(fresh.port)) for _ in range(2)]
    wait_until(
        lambda: any(p.poll() is not None for p in starts), timeout_seconds=START_SECONDS, what="the second's end"
    )
    second = next(process for process in starts if process.poll() is not None)
    first = next(process for process in starts if process is not second)
    assert second.returncode == 0, fresh.log()
    wait_until(
        lambda: fresh.log().count(f"GroupX needs to be set up: {fresh.url}/setup") == 2,
        timeout_seconds=START_SECONDS,
        what="both say where",
    )
    first.send_signal(signal.SIGTERM)
    assert first.wait(CLOSE_SECONDS) == 0
    assert not fresh.processes()


def test_stop_and_restart_work_before_there_is_a_file(fresh: FreshFolder):
    parent = fresh.set_up().process
    [serve] = fresh.processes("groupx_serve")
    key = fresh.health()["runtimeScopeKey"]

    assert fresh.request("POST", "/api/runtime/restart", {"runtimeScopeKey": key})[0] == 202
    wait_until(lambda: not serve.is_running(), timeout_seconds=START_SECONDS, what="the end of the old server")
    wait_until(lambda: fresh.health().get("status") == "setup", timeout_seconds=START_SECONDS, what="the setup again")
    assert parent is not None and parent.poll() is None

    assert fresh.spawn("groupx_stop").wait(CLOSE_SECONDS + 5) == 0
    assert fresh.said("GroupX has stopped.")
    fresh.has_ended(CLOSE_SECONDS)


def test_a_killed_parent_takes_the_setup_with_it(fresh: FreshFolder):
    fresh.set_up()
    assert fresh.process is not None
    fresh.process.kill()
    fresh.has_ended(CLOSE_SECONDS)

    fresh.set_up().stop()


def test_a_killed_server_of_the_setup_comes_back(fresh: FreshFolder):
    fresh.set_up()
    [serve] = fresh.processes("groupx_serve")
    serve.kill()
    psutil.wait_procs([serve], timeout=5)
    assert fresh.get("/api/health")["status"] == "setup"
    fresh.save()
    fresh.until_launch("ready")
    fresh.stop()


def test_a_file_that_was_written_by_hand_meanwhile_is_taken_by_a_restart(fresh: FreshFolder):
    fresh.set_up()
    fresh.config["agents"] = {}
    fresh.config_path.write_text(json.dumps(fresh.config))
    key = fresh.health()["runtimeScopeKey"]
    assert fresh.request("POST", "/api/runtime/restart", {"runtimeScopeKey": key})[0] == 202
    wait_until(lambda: fresh.health().get("status") == "ok", timeout_seconds=START_SECONDS, what="the room")
    fresh.stop()
