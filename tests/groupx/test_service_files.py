"""`groupx_service`: files by which a system starts a room (docs/operations.md, "At login"). Our contract."""

import json
import plistlib
import shutil
import subprocess
from pathlib import Path

import pytest

from groupx.service_files import Service, ServiceKind, service_file
from tests.groupx.kept_rooms import COMMAND_SECONDS, manage
from tests.running_room import RunningRoom, scripted

ODD = 'a "room" with 100 % of $HOME \\ and ünïcode'


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / ODD
    folder.mkdir()
    (folder / "groupx.json").write_text(json.dumps({"agents": {}}))
    return folder


def printed(kind: str, folder: Path) -> tuple[str, str]:
    done = manage("groupx_service", "--print", kind, folder=folder)
    assert done.returncode == 0, done.stderr
    return done.stdout, done.stderr


def test_the_launchd_agent_starts_this_room_with_this_program_and_search_path(folder: Path):
    agent = plistlib.loads(printed("launchd", folder)[0].encode())

    config = agent["ProgramArguments"][agent["ProgramArguments"].index("--config") + 1]
    assert (config, agent["WorkingDirectory"]) == (str(folder / "groupx.json"), str(folder))
    assert "groupx_start" in agent["ProgramArguments"] and "--no-open" in agent["ProgramArguments"]
    assert agent["EnvironmentVariables"]["PATH"] and agent["KeepAlive"] == {"SuccessfulExit": False}


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_finds_nothing_wrong_with_the_unit_whatever_the_folder_is_called(folder: Path, tmp_path: Path):
    unit = tmp_path / "groupx-test.service"
    unit.write_text(printed("systemd", folder)[0])

    verified = subprocess.run(
        ["systemd-analyze", "verify", "--user", str(unit)],
        capture_output=True,
        text=True,
        timeout=COMMAND_SECONDS,
    )
    assert str(unit) not in verified.stderr and unit.name not in verified.stderr, verified.stderr


def test_words_reach_the_program_as_they_are():
    """What systemd would read as a variable, a specifier or the end of a word."""
    program = ["/bin/x y", '$A "b" 5 % \\']
    service = Service(
        config_path=Path("/r/groupx.json"), program=program, search_path="/b", log_path=Path("/l"), key="k"
    )
    unit = service_file(service, ServiceKind.SYSTEMD)
    assert 'ExecStart="/bin/x y" "$$A \\"b\\" 5 %% \\\\"' in unit.splitlines()


def test_what_to_do_with_it_stands_beside_the_file_and_not_in_it(folder: Path):
    file, beside = printed("systemd", folder)
    assert file.startswith("[Unit]") and "systemctl --user" not in file
    assert "systemctl --user enable --now groupx-" in beside


def test_the_printed_command_starts_the_room_and_its_end_leaves_nothing(tmp_path: Path):
    room = RunningRoom(tmp_path, {"builder": scripted("builder", tmp_path)})
    agent = plistlib.loads(printed("launchd", tmp_path)[0].encode())
    room.program = lambda verb: agent["ProgramArguments"]  # type: ignore[method-assign]
    try:
        room.start()
        room.until_agent("builder", "ready")
    finally:
        room.stop()


def test_another_system_is_refused_with_those_that_are_known(folder: Path):
    refused = manage("groupx_service", "--print", "openrc", folder=folder)
    assert refused.returncode == 2 and "systemd" in refused.stderr and "launchd" in refused.stderr
