"""`groupx_export` without a running room (docs/operations.md, "Commands"). Our contract."""

import json
from pathlib import Path

import pytest

from groupx.kernel.config import GroupXConfig
from tests import given
from tests.fakes.clock import FakeClock
from tests.groupx.kept_rooms import execute, keep_room, manage, manage_on_a_read_only_disk


@pytest.fixture
def folder(live_room: GroupXConfig, clock: FakeClock, tmp_path: Path) -> Path:
    given.completed_turn("builder", clock=clock, text="ünïcode \x1b[31m")
    keep_room(tmp_path)
    return tmp_path


def test_standard_output_has_the_transcript_and_nothing_else(folder: Path):
    result = manage("groupx_export", folder=folder, LC_ALL="C", PYTHONUTF8="0")
    assert (result.returncode, result.stderr) == (0, "")
    seqs = [json.loads(line)["seq"] for line in result.stdout.splitlines()]
    assert seqs == list(range(1, len(seqs) + 1)) and "ünïcode" in result.stdout


def test_a_read_only_disk_is_read(folder: Path):
    """A room that ended in order is there as one file; nothing can be written beside it."""
    execute(folder / ".groupx" / "groupx.db", "PRAGMA journal_mode=WAL")
    result = manage_on_a_read_only_disk("groupx_export", folder=folder)
    assert (result.returncode, result.stderr) == (0, "") and "ünïcode" in result.stdout
    assert [path.name for path in (folder / ".groupx").iterdir()] == ["groupx.db"]


def test_a_file_is_private_new_and_said(folder: Path):
    result = manage("groupx_export", "--format", "md", "--after-seq", "1", "--output", "room.md", folder=folder)
    assert result.returncode == 0 and "Exported events 2 to" in result.stdout and "room.md" in result.stdout
    path = folder / "room.md"
    assert path.stat().st_mode & 0o777 == 0o600 and path.read_text().startswith("# main room")

    again = manage("groupx_export", "--output", "room.md", folder=folder)
    assert again.returncode == 1 and "exists already" in again.stderr and again.stdout == ""
    assert path.read_text().startswith("# main room")
    assert sorted(found.name for found in folder.iterdir()) == [".groupx", "groupx.json", "room.md"]


@pytest.mark.parametrize(
    ("options", "exit_code", "said"),
    [
        (["--format", "xml"], 2, "“format”: "),
        (["--after-seq", "x"], 2, "“afterSeq”: must be"),
        (["--output", "no/such/folder.md"], 1, "does not exist"),
    ],
)
def test_what_does_not_fit_is_one_sentence(folder: Path, options: list[str], exit_code: int, said: str):
    result = manage("groupx_export", *options, folder=folder)
    assert result.returncode == exit_code and said in result.stderr and len(result.stderr.splitlines()) == 1


def test_without_a_database_it_says_so_and_makes_none(tmp_path: Path):
    (tmp_path / "groupx.json").write_text('{"agents": {}}')
    result = manage("groupx_export", folder=tmp_path)
    assert result.returncode == 1 and "There is no database" in result.stderr
    assert [path.name for path in tmp_path.iterdir()] == ["groupx.json"]


def test_a_database_of_an_older_version_is_left_alone(folder: Path):
    execute(folder / ".groupx" / "groupx.db", "DELETE FROM django_migrations WHERE app = 'rooms' AND name > '0002'")
    (elsewhere := folder / "elsewhere").mkdir()
    result = manage("groupx_export", "--config", "../groupx.json", folder=elsewhere)
    assert result.returncode == 1 and "older version" in result.stderr
    assert f"“groupx start --config {folder}/groupx.json” brings it up to date" in result.stderr
