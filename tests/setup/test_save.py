"""Writing groupx.json: whole or not at all, one at a time, the former one kept, links and modes as they were."""

import json
import signal
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.setup.save import save
from tests.groupx.kept_rooms import on_a_read_only_disk
from tests.running_room import ROOT

OLD, NEW = {"agents": {"old": 1}}, {"agents": {"new": 1}}


def content(path: Path) -> object:
    return json.loads(path.read_text())


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "groupx.json"
    path.write_text(json.dumps(OLD))
    return path


def names(path: Path) -> set[str]:
    return {entry.name for entry in path.parent.iterdir()}


def test_the_former_file_is_kept_beside_it_and_nothing_else_is_left(path: Path):
    assert save(path, lambda before: NEW) == path.with_name("groupx.json.bak")

    assert content(path) == NEW
    assert content(path.with_name("groupx.json.bak")) == OLD
    assert names(path) == {"groupx.json", "groupx.json.bak"}


def test_a_first_file_has_no_backup(tmp_path: Path):
    assert save(tmp_path / "groupx.json", lambda before: NEW if before is None else OLD) is None
    assert names(tmp_path / "groupx.json") == {"groupx.json"}


def test_saving_the_same_again_keeps_the_backup(path: Path):
    save(path, lambda before: NEW)
    assert save(path, lambda before: json.loads(before or b"")) is None
    assert content(path.with_name("groupx.json.bak")) == OLD


def test_a_refused_change_leaves_everything_as_it_was(path: Path):
    def refuse(before: bytes | None) -> dict:
        raise GroupXError(ErrorCode.FILE_REFUSED, "No.")

    with pytest.raises(GroupXError):
        save(path, refuse)
    assert (names(path), content(path)) == ({"groupx.json"}, OLD)


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o664])
def test_the_mode_is_kept_for_the_file_and_its_backup(path: Path, mode: int):
    path.chmod(mode)
    backup = save(path, lambda before: NEW)
    assert [stat.S_IMODE(each.stat().st_mode) for each in (path, backup)] == [mode, mode]


def test_a_link_stays_a_link_and_the_backup_lies_beside_what_it_leads_to(path: Path, tmp_path: Path):
    home = tmp_path / "dotfiles"
    home.mkdir()
    path.rename(home / "room.json")
    path.symlink_to(home / "room.json")

    assert save(path, lambda before: NEW) == home / "room.json.bak"
    assert path.is_symlink() and content(home / "room.json") == NEW


SAVING = """
import sys
from pathlib import Path
from groupx.kernel.errors import GroupXError
from groupx.setup.save import save

try:
    save(Path(sys.argv[1]), lambda before: {"agents": {"new": 1}})
except GroupXError as error:
    print(error.code.value, error.message)
"""


def test_a_folder_that_cannot_be_written_is_a_sentence(path: Path):
    said = on_a_read_only_disk([sys.executable, "-c", SAVING, str(path)], path.parent).stdout
    assert said.startswith(f"FILE_REFUSED {path} cannot be written: ")
    assert (names(path), content(path)) == ({"groupx.json"}, OLD)


@pytest.mark.parametrize("what", ["a folder", "no folder around it"])
def test_what_is_no_file_is_a_sentence(tmp_path: Path, what: str):
    path = tmp_path / "groupx.json" if what == "a folder" else tmp_path / "nowhere" / "groupx.json"
    if what == "a folder":
        path.mkdir()
    with pytest.raises(GroupXError) as refused:
        save(path, lambda before: NEW)
    assert refused.value.code is ErrorCode.FILE_REFUSED and str(tmp_path) in refused.value.message


def test_two_saves_at_once_come_one_after_the_other(path: Path):
    """The second one sees what the first has written: nothing of it is lost, and the backup is the state before it."""
    first_is_in, may_go_on = threading.Event(), threading.Event()

    def slowly(before: bytes | None) -> dict:
        first_is_in.set()
        assert may_go_on.wait(20)
        return {**json.loads(before or b""), "first": 1}

    first = threading.Thread(target=lambda: save(path, slowly))
    second = threading.Thread(target=lambda: save(path, lambda before: {**json.loads(before or b""), "second": 1}))
    first.start()
    assert first_is_in.wait(20)
    second.start()
    may_go_on.set()
    first.join(20)
    second.join(20)

    assert content(path) == {**OLD, "first": 1, "second": 1}
    assert content(path.with_name("groupx.json.bak")) == {**OLD, "first": 1}
    assert names(path) == {"groupx.json", "groupx.json.bak"}


DYING = """
import os, sys
from pathlib import Path
from groupx.setup import save as saving

number, path = int(sys.argv[1]), Path(sys.argv[2])
steps = 0

def step(event, arguments):
    global steps
    if event in ("open", "os.rename", "os.remove") and str(path.parent) in str(arguments[0]):
        steps += 1
        if steps == number:
            os.kill(os.getpid(), 9)

sys.addaudithook(step)
saving.save(path, lambda before: {"agents": {"new": "x" * 100_000}})
"""


def test_a_save_that_is_killed_at_any_step_leaves_a_whole_file_and_the_next_one_cleans_up(path: Path):
    ends = []
    for number in range(1, 12):
        path.write_text(json.dumps(OLD))
        ended = subprocess.run(
            [sys.executable, "-c", DYING, str(number), str(path)], cwd=ROOT, check=False, timeout=60
        ).returncode
        ends.append(ended)
        assert content(path) in (OLD, {"agents": {"new": "x" * 100_000}})
        backup = path.with_name("groupx.json.bak")
        assert not backup.exists() or content(backup) in (OLD, {"agents": {"new": "x" * 100_000}})
        if ended == 0:
            break
        save(path, lambda before: NEW)
        assert names(path) == {"groupx.json", "groupx.json.bak"}
    assert ends.count(-signal.SIGKILL) >= 4 and ends[-1] == 0


def test_a_person_may_have_the_file_open_in_an_editor(path: Path):
    """Only what a save of ours has left is removed."""
    swap = path.with_name(".groupx.json.swp")
    swap.write_text("vim")
    save(path, lambda before: NEW)
    assert swap.exists()
