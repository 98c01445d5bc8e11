"""The private folder `.groupx/` (docs/operations.md, "Files"). Our contract."""

import json
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from groupx import run_files
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_files import LaneLock, RecordedChild, RecordedCli, RunLock


@pytest.fixture
def run_dir(tmp_path: Path) -> Path:
    folder = tmp_path / ".groupx" / "run"
    run_files.make_private_folder(folder)
    return folder


@pytest.fixture
def open_umask() -> Iterator[None]:
    before = os.umask(0)
    yield
    os.umask(before)


def mode(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.usefixtures("open_umask")
def test_folders_and_files_are_private_whatever_the_umask(tmp_path: Path):
    folder = tmp_path / ".groupx"
    run_files.make_private_folder(folder)
    run_files.write_private(folder / "file", "text")
    run_files.make_private_file(folder / "empty")
    assert [mode(folder), mode(folder / "file"), mode(folder / "empty")] == [0o700, 0o600, 0o600]


def test_a_folder_and_a_file_that_others_could_read_become_private(tmp_path: Path):
    folder, file = tmp_path / ".groupx", tmp_path / ".groupx" / "groupx.db"
    folder.mkdir(mode=0o755)
    file.write_text("rows")
    file.chmod(0o644)

    run_files.make_private_folder(folder)
    run_files.make_private_file(file)

    assert (mode(folder), mode(file), file.read_text()) == (0o700, 0o600, "rows")


def test_a_file_is_replaced_whole_and_nothing_else_is_left(run_dir: Path):
    run_files.write_private(run_dir / "config.json", "one")
    run_files.write_private(run_dir / "config.json", "two")
    assert [(path.name, path.read_text()) for path in run_dir.iterdir()] == [("config.json", "two")]


def test_the_secret_key_is_made_once_and_the_secret_for_every_run(tmp_path: Path, run_dir: Path):
    state_dir = run_dir.parent
    run_files.ensure_secret_key(state_dir)
    key = (state_dir / "secret_key").read_text()
    run_files.ensure_secret_key(state_dir)
    assert key == (state_dir / "secret_key").read_text() and len(key) >= 50

    run_files.new_secret(run_dir)
    first = run_files.read_secret(run_dir)
    run_files.new_secret(run_dir)
    assert len(first) >= 32 and run_files.read_secret(run_dir) != first


def test_a_secret_in_the_environment_stands_for_the_file(run_dir: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GROUPX_LANE_SECRET", "from far away")
    assert run_files.read_secret(run_dir) == "from far away"

    monkeypatch.setenv("GROUPX_LANE_SECRET", "")
    with pytest.raises(FileNotFoundError):
        run_files.read_secret(run_dir)


def test_a_recorded_process_is_found_again_until_it_is_forgotten(run_dir: Path):
    run_files.record_child(run_dir, "serve", 10, 1.5)
    run_files.record_cli(run_dir, "code-x.1", 20, 2.25)
    assert run_files.recorded_children(run_dir) == [RecordedChild(name="serve", pid=10, started_at=1.5)]
    assert run_files.recorded_clis(run_dir) == [RecordedCli(agent_id="code-x.1", pid=20, started_at=2.25)]
    assert run_files.recorded_clis(run_dir, "code-x.1") == run_files.recorded_clis(run_dir)

    run_files.forget_child(run_dir, "serve")
    run_files.forget_cli(run_dir, "code-x.1")
    run_files.forget_cli(run_dir, "code-x.1")
    assert not run_files.recorded_children(run_dir) and not run_files.recorded_clis(run_dir)
    assert not run_files.recorded_clis(run_dir, "code-x.1")


def test_a_lane_has_a_record_for_each_use_of_a_cli(run_dir: Path):
    run_files.record_cli(run_dir, "codex", 20, 2.25)
    run_files.record_cli(run_dir, "codex", 21, 3.25, run_files.CliUse.SHORT_SESSION)
    run_files.record_cli(run_dir, "kimi", 22, 4.25, run_files.CliUse.SHORT_SESSION)

    assert [(cli.pid, cli.use) for cli in run_files.recorded_clis(run_dir, "codex")] == [
        (20, run_files.CliUse.TURNS),
        (21, run_files.CliUse.SHORT_SESSION),
    ]
    assert len(run_files.process_records(run_dir)) == 3
    run_files.forget_cli(run_dir, "codex", run_files.CliUse.SHORT_SESSION)
    assert [cli.pid for cli in run_files.recorded_clis(run_dir)] == [20, 22]


@pytest.mark.parametrize(
    "damage", ["", "{", "[]", '{"pid": 3}', '{"pid": "x", "startedAt": 1}', '{"pid": null, "startedAt": 1}']
)
def test_a_damaged_record_names_no_process(run_dir: Path, damage: str):
    (run_dir / "child-serve.json").write_text(damage)
    assert run_files.recorded_children(run_dir) == []


def test_a_record_of_another_boot_names_no_process(run_dir: Path):
    run_files.record_child(run_dir, "serve", 10, 1.5)
    run_files.record_cli(run_dir, "codex", 20, 2.25)
    for name in ("child-serve.json", "cli-codex.json"):
        record = json.loads((run_dir / name).read_text())
        (run_dir / name).write_text(json.dumps({**record, "bootId": "00000000-0000-0000-0000-000000000000"}))
    assert run_files.recorded_children(run_dir) == []
    assert run_files.recorded_clis(run_dir) == []


def test_a_lock_has_one_holder_and_is_free_after_release(run_dir: Path):
    first, second = LaneLock(run_dir, "codex"), LaneLock(run_dir, "codex")
    assert first.acquire() and first.is_ours
    assert not second.acquire() and not second.is_ours
    assert LaneLock(run_dir, "grok").acquire()

    first.release()

    assert second.acquire()
    second.release()


def test_a_second_lane_of_an_agent_is_refused_by_name(run_dir: Path):
    with LaneLock(run_dir, "codex"), pytest.raises(GroupXError, match="codex") as refused, LaneLock(run_dir, "codex"):
        pass
    assert refused.value.code is ErrorCode.RUNTIME_LOCKED


def test_a_lock_is_free_the_moment_its_holder_is_killed(run_dir: Path):
    holder = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys, pathlib; from groupx.run_files import RunLock;"
            "lock = RunLock(pathlib.Path(sys.argv[1])); print(lock.acquire(), flush=True); sys.stdin.read()",
            str(run_dir),
        ],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"True\n"
        assert run_files.is_locked(run_dir / "lock")
        assert not RunLock(run_dir).acquire()
        holder.kill()
        holder.wait(5)
        lock = RunLock(run_dir)
        assert lock.acquire()
        lock.release()
    assert not run_files.is_locked(run_dir / "lock")


def test_a_child_process_does_not_inherit_the_lock(run_dir: Path):
    lock = RunLock(run_dir)
    assert lock.acquire()
    with subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE) as child:
        lock.release()
        again = RunLock(run_dir)
        assert again.acquire()
        again.release()
        child.kill()


def test_asking_for_a_lock_that_never_was_makes_no_file(tmp_path: Path):
    assert not run_files.is_locked(tmp_path / "lock")
    assert not (tmp_path / "lock").exists()
