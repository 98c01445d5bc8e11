"""Hints that name a command mean this very room, also where its file is not the one of this folder. Our contract."""

import shlex
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from adapters.process_identity import start_of
from groupx import lifecycle, run_files
from groupx.ask_room import running_room
from groupx.kernel.config import RunConfig
from groupx.kernel.config_file import load_config, parse_config
from groupx.kernel.errors import GroupXError
from groupx.lifecycle import Answer, Found
from groupx.quiet_room import quiet
from tests.groupx.kept_rooms import manage
from tests.running_room import free_port


@pytest.fixture(params=["here", "elsewhere"])
def run(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunConfig:
    """A room that has no file yet, as seen from its own folder and from another."""
    folder = tmp_path / "a room"
    folder.mkdir()
    monkeypatch.chdir(folder if request.param == "here" else tmp_path)
    return parse_config({"server": {"port": free_port()}, "agents": {}}, folder / "groupx.json", frozenset())


def as_copied(run: RunConfig, words: str) -> str:
    is_here = run.config_path.parent == Path.cwd()
    return f"groupx {words}" if is_here else f"groupx {words} --config {shlex.quote(str(run.config_path))}"


def refused(act: Callable[[], object]) -> str:
    with pytest.raises(GroupXError) as error:
        act()
    return error.value.message


def test_of_a_file_that_is_missing(run: RunConfig):
    assert f"“{as_copied(run, 'start')}”" in refused(lambda: load_config(run.config_path, frozenset()))


def test_of_a_room_that_does_not_run(run: RunConfig):
    assert refused(lambda: running_room(run)).endswith(f": {as_copied(run, 'start')}")


def test_of_a_room_that_runs_with_another_configuration(run: RunConfig):
    told = lifecycle.who_is_there(Found(answer=Answer.SAME_ROOM), run, None)
    assert f"“{as_copied(run, 'restart')}”" in told


def test_of_a_process_that_was_left(run: RunConfig, sleeper: subprocess.Popen[bytes]):
    run_files.make_private_folder(run.state_dir)
    run_files.make_private_folder(run.run_dir)
    run_files.record_child(run.run_dir, "serve", sleeper.pid, start_of(sleeper.pid))
    assert f"“{as_copied(run, 'doctor --repair')}”" in refused(quiet(run).__enter__)


def test_a_command_says_it_in_the_terminal(tmp_path: Path):
    (folder := tmp_path / "elsewhere").mkdir()
    (folder / "room.json").write_text(f'{{"server": {{"port": {free_port()}}}, "agents": {{}}}}')
    told = manage("groupx_signin", "--config", "elsewhere/room.json", folder=tmp_path)
    assert (told.returncode, told.stdout) == (1, "")
    assert told.stderr == f"This room does not run. Start it with: groupx start --config {folder}/room.json\n"
