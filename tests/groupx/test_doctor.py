"""What the doctor sees of machine, configuration, files, processes and agents (docs/operations.md, "The doctor")."""

import http.server
import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from adapters.acp.profiles import BY_DRIVER
from adapters.driver_names import installable_programs
from adapters.process_identity import start_of
from adapters.program import Program, is_older
from adapters.sign_in import signs_of_sign_in
from groupx import run_files
from groupx.doctor.agents import check_agents
from groupx.doctor.configuration import check_configuration
from groupx.doctor.files import check_files
from groupx.doctor.findings import Finding, Level, Repair
from groupx.doctor.machine import check_machine
from groupx.doctor.processes import check_processes
from groupx.doctor.situation import Situation, look_around
from groupx.kernel.config_file import load_config
from groupx.run_config import allowed_drivers
from groupx.run_files import RunLock
from tests.running_room import free_port


def configured(folder: Path, **more) -> Situation:
    config = {"server": {"port": free_port()}, "agents": {}, **more}
    (folder / "groupx.json").write_text(json.dumps(config))
    return look_around(folder / "groupx.json", is_full=False)


def with_folder(folder: Path, **more) -> Situation:
    situation = configured(folder, **more)
    run_files.make_private_folder(situation.run.state_dir)
    run_files.make_private_folder(situation.run.run_dir)
    return situation


def codes(findings: list[Finding], *levels: Level) -> list[str]:
    return [finding.code for finding in findings if finding.level in (levels or tuple(Level)[1:])]


def a_program(folder: Path, name: str, script: str) -> Path:
    path = folder / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return path


# ---------------------------------------------------------------- configuration and machine
def test_without_a_configuration_it_says_what_a_start_does(tmp_path: Path):
    situation = look_around(tmp_path / "groupx.json", is_full=False)
    assert codes(check_configuration(situation)) == ["NOT_CONFIGURED"]


def test_a_broken_configuration_is_a_problem_that_names_the_key(tmp_path: Path):
    situation = configured(tmp_path, serverr={})
    [problem] = check_configuration(situation)
    assert (problem.level, problem.code) == (Level.PROBLEM, "CONFIG_INVALID") and "serverr" in problem.message
    assert "PORT_IN_USE" not in codes(check_processes(situation)), "no port is known"


def test_an_agents_folder_that_is_not_there_is_named(tmp_path: Path):
    agents = {"mine": {"driver": "acp", "command": "true", "cwd": "gone"}}
    found = check_configuration(configured(tmp_path, agents=agents))
    assert codes(found) == ["AGENT_FOLDER_MISSING"] and "agents.mine.cwd" in found[-1].message


def test_a_python_for_uv_that_is_not_there_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("UV_PYTHON", "/no/such/python")
    assert codes(check_machine(configured(tmp_path))) == ["UV_PYTHON_MISSING"]
    monkeypatch.setenv("UV_PYTHON", sys.executable)
    assert codes(check_machine(configured(tmp_path))) == []


# ---------------------------------------------------------------- files
def test_private_files_are_fine_and_others_are_named(tmp_path: Path):
    situation = with_folder(tmp_path)
    run_files.ensure_secret_key(situation.run.state_dir)
    assert codes(check_files(situation)) == []

    (situation.run.state_dir / "secret_key").chmod(0o640)
    situation.run.run_dir.chmod(0o755)
    found = check_files(situation)
    assert codes(found) == ["FILE_MODES"] and found[0].repair is Repair.MODES
    assert {Path(path).name for path in found[0].details["paths"]} == {"secret_key", "run"}


def test_an_empty_secret_is_told(tmp_path: Path):
    situation = with_folder(tmp_path)
    run_files.make_private_file(situation.run.state_dir / "secret_key")
    assert codes(check_files(situation)) == ["SECRET_EMPTY"]


# ---------------------------------------------------------------- processes
def test_a_free_port_is_fine(tmp_path: Path):
    assert codes(check_processes(with_folder(tmp_path))) == []


def test_a_port_of_somebody_else_is_a_problem_that_names_it(tmp_path: Path, stranger: int):
    found = check_processes(with_folder(tmp_path, server={"port": stranger}))
    assert codes(found) == ["PORT_IN_USE"] and str(stranger) in found[0].message


@pytest.fixture
def stranger() -> Iterator[int]:
    """A server that says something else than GroupX."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.end_headers()
            self.wfile.write(b"hello")

        def log_message(self, *_: object) -> None:
            pass

    with http.server.HTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server.server_port
        server.shutdown()
        thread.join(10)


def test_what_a_dead_run_has_left_is_found(tmp_path: Path, sleeper: subprocess.Popen[bytes]):
    situation = with_folder(tmp_path)
    run_files.record_cli(situation.run.run_dir, "mine", sleeper.pid, start_of(sleeper.pid))
    found = check_processes(situation)
    assert codes(found) == ["ORPHANS"] and found[-1].repair is Repair.PROCESSES
    assert str(sleeper.pid) in found[-1].message


@pytest.mark.parametrize("content", ["{", '{"pid": 1, "startedAt": 1.0, "bootId": "another"}'])
def test_records_of_nothing_are_stale(tmp_path: Path, content: str):
    situation = with_folder(tmp_path)
    (situation.run.run_dir / "child-serve.json").write_text(content)
    assert codes(check_processes(situation)) == ["STALE_RUN_FILES"]


def test_a_room_that_runs_but_does_not_answer_is_a_problem(tmp_path: Path):
    situation = with_folder(tmp_path, agents={"mine": {"driver": "acp", "command": "true"}})
    lock = RunLock(situation.run.run_dir)
    assert lock.acquire()
    try:
        running = look_around(situation.config_path, is_full=False)
        assert running.is_running
        assert codes(check_processes(running)) == ["ROOM_SILENT", "LANE_DOWN"]
    finally:
        lock.release()


def test_a_running_room_with_other_settings_is_told_but_not_another_port(tmp_path: Path):
    situation = with_folder(tmp_path)
    lock = RunLock(situation.run.run_dir)
    assert lock.acquire()
    try:
        snapshot = load_config(situation.config_path, allowed_drivers(), port=4999).model_dump_json(by_alias=True)
        run_files.write_private(run_files.snapshot_path(situation.run.run_dir), snapshot)
        assert codes(check_configuration(look_around(situation.config_path, is_full=False))) == []
        changed = configured(tmp_path, limits={"queuePerAgent": 7})
        assert codes(check_configuration(changed)) == ["CONFIG_CHANGED"]
    finally:
        lock.release()


# ---------------------------------------------------------------- agents
def test_a_command_that_is_not_there_is_a_problem(tmp_path: Path):
    agents = {"a": {"driver": "grok", "command": "/no/such"}, "b": {"driver": "acp", "command": "no-such-agent"}}
    assert codes(check_agents(configured(tmp_path, agents=agents))) == ["COMMAND_NOT_FOUND"] * 2


def test_a_version_and_signs_of_a_sign_in_are_told_and_no_secret(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("XAI_API_KEY", "secret-value")
    grok = a_program(tmp_path, "grok", "echo grok 1.0.50")
    found = check_agents(configured(tmp_path, agents={"g": {"driver": "grok", "command": str(grok)}}))
    assert codes(found) == ["NOT_SEEN_AT_WORK"] and "1.0.50" in found[0].message
    assert "XAI_API_KEY" in found[0].details["signsOfSignIn"]
    assert "secret-value" not in json.dumps([finding.wire() for finding in found])


def test_without_any_sign_there_is_a_hint(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("XAI_API_KEY", raising=False)
    monkeypatch.setenv("GROK_HOME", str(tmp_path))
    grok = a_program(tmp_path, "grok", "echo grok 1.0.2")
    found = check_agents(configured(tmp_path, agents={"g": {"driver": "grok", "command": str(grok)}}))
    assert codes(found) == ["VERSION_OLD", "NO_SIGN_IN_SEEN", "NOT_SEEN_AT_WORK"]
    assert "grok login" in (found[-2].hint or "")
    (tmp_path / "auth.json").touch()
    assert signs_of_sign_in(BY_DRIVER["grok"]) == [str(tmp_path / "auth.json")]


def test_an_old_node_is_a_problem_for_what_needs_a_newer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    a_program(tmp_path, "node", "echo v20.1.0")
    kimi = a_program(tmp_path, "kimi", "echo 2.1.0")
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    found = check_agents(configured(tmp_path, agents={"k": {"driver": "kimi", "command": str(kimi)}}))
    assert "NODE_TOO_OLD" in codes(found, Level.PROBLEM) and "22.19" in json.dumps([f.wire() for f in found])


@pytest.mark.parametrize(
    ("user_id", "sandbox", "is_refused"), [(0, "", True), (0, "1", False), (1_000, "", False)], ids=str
)
def test_who_does_not_work_as_root_is_told_before_it_is_started(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, user_id: int, sandbox: str, is_refused: bool
):
    claude = a_program(tmp_path, "claude", "echo '2.1.332 (Claude Code)'")
    monkeypatch.setattr(os, "geteuid", lambda: user_id)
    monkeypatch.setenv("IS_SANDBOX", sandbox)
    found = check_agents(configured(tmp_path, agents={"c": {"driver": "claude", "command": str(claude)}}))
    assert ("ROOT_REFUSED" in codes(found, Level.PROBLEM)) is is_refused


@pytest.mark.parametrize("program", installable_programs(), ids=lambda program: program.driver)
def test_every_kind_of_cli_says_how_old_it_may_be_and_by_what_a_sign_in_is_seen(program: Program):
    assert program.oldest_version and (program.sign_in_files or program.sign_in_status)


def test_an_agent_of_the_open_driver_is_not_started(tmp_path: Path):
    mine = a_program(tmp_path, "mine", f"touch {tmp_path}/started")
    found = check_agents(configured(tmp_path, agents={"m": {"driver": "acp", "command": str(mine)}}))
    assert codes(found) == ["NOT_SEEN_AT_WORK"] and not (tmp_path / "started").exists()


def test_a_program_that_hangs_is_given_up_and_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("adapters.executables.VERSION_SECONDS", 0.1)
    grok = a_program(tmp_path, "grok", f"echo $$ > {tmp_path}/pid; tail -f /dev/null & tail -f /dev/null")
    found = check_agents(configured(tmp_path, agents={"g": {"driver": "grok", "command": str(grok)}}))
    assert "VERSION_UNKNOWN" in codes(found)
    pid_file = tmp_path / "pid"
    assert not pid_file.exists() or start_of(int(pid_file.read_text() or "0") or 2**22 + 1) is None


@pytest.mark.parametrize(
    ("version", "oldest", "older"),
    [
        ("1.0.41", (1, 0, 41), False),
        ("1.0.40", (1, 0, 41), True),
        ("v22.19.0", (22, 19), False),
        ("2.0.0-rc.1", (1, 9), False),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, oldest: tuple[int, ...], older: bool):
    assert is_older(version, oldest) is older


def test_the_disk_is_looked_at_before_the_first_start_makes_a_folder_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("groupx.doctor.files.TOO_LITTLE_BYTES", 10**18)
    found = {finding.code for finding in check_files(look_around(tmp_path / "groupx.json", is_full=False))}
    assert {"NO_FOLDER", "DISK_FULL"} <= found
    assert not list(tmp_path.iterdir())
