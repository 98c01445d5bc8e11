"""`groupx_backup` (docs/operations.md, "Backup and restore"). Our contract."""

import os
import sqlite3
import threading
from contextlib import closing
from pathlib import Path

import pytest

from groupx import backups, store_files
from groupx.kernel.config import GroupXConfig, RunConfig
from groupx.kernel.config_file import load_config
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_config import allowed_drivers
from tests import given
from tests.fakes.clock import FakeClock
from tests.groupx.kept_rooms import execute, keep_room, manage, rows


@pytest.fixture
def run(live_room: GroupXConfig, clock: FakeClock, tmp_path: Path) -> RunConfig:
    given.completed_turn("builder", clock=clock)
    keep_room(tmp_path)
    return load_config(tmp_path / "groupx.json", allowed_drivers())


def in_wal_mode(run: RunConfig) -> sqlite3.Connection:
    database = sqlite3.connect(run.database_path, isolation_level=None)
    database.execute("PRAGMA journal_mode=WAL")
    return database


def test_a_backup_is_whole_private_and_one_plain_file(run: RunConfig, clock: FakeClock):
    made = backups.make_backup(run, None, clock=clock)
    assert made.path.parent == run.state_dir / "backups"
    assert made.path.name == f"groupx-{clock.now().astimezone():%Y%m%d-%H%M%S}.db"
    assert made.path.stat().st_mode & 0o777 == 0o600 and made.path.parent.stat().st_mode & 0o777 == 0o700
    events = "SELECT * FROM rooms_event ORDER BY seq"
    assert rows(made.path, events) == rows(run.database_path, events)
    assert (made.events, made.size_bytes) == (len(rows(made.path, events)), made.path.stat().st_size)
    assert [path.name for path in made.path.parent.iterdir()] == [made.path.name]


def test_what_is_in_the_wal_only_is_in_the_backup_and_writers_do_not_wait(run: RunConfig, clock: FakeClock):
    with closing(in_wal_mode(run)) as writer:
        writer.execute("UPDATE rooms_room SET title = 'from the WAL'")
        wrote = threading.Event()

        def write_meanwhile(done: float) -> None:
            if not wrote.is_set():
                writer.execute("UPDATE rooms_room SET title = 'too late'")
                wrote.set()

        made = backups.make_backup(run, None, clock=clock, on_progress=write_meanwhile)
    assert wrote.is_set()
    assert rows(made.path, "SELECT title FROM rooms_room") == [("from the WAL",)]


def test_a_room_that_starts_while_it_is_copied_changes_nothing_of_the_copy(run: RunConfig, clock: FakeClock):
    in_wal_mode(run).close()

    def start_writing(done: float) -> None:
        with closing(in_wal_mode(run)) as writer:
            writer.execute("UPDATE rooms_room SET title = 'too late'")
            writer.execute("PRAGMA wal_checkpoint(PASSIVE)")

    made = backups.make_backup(run, None, clock=clock, on_progress=start_writing)
    assert rows(made.path, "SELECT title FROM rooms_room") == [("main room",)]
    assert rows(run.database_path, "SELECT title FROM rooms_room") == [("too late",)]


def test_a_database_that_cannot_be_written_can_be_backed_up(
    run: RunConfig, clock: FakeClock, tmp_path: Path, monkeypatch
):
    monkeypatch.setattr(os, "access", lambda path, mode: False)
    assert backups.make_backup(run, tmp_path / "copy.db", clock=clock).events > 0


def test_a_second_backup_of_the_same_second_has_another_name(run: RunConfig, clock: FakeClock):
    first, second = (backups.make_backup(run, None, clock=clock).path for _ in range(2))
    assert second.name == f"{first.stem}-2.db"
    assert backups.last_backup(run).path == second


def test_the_last_backup_is_found_by_its_name(run: RunConfig, clock: FakeClock):
    assert backups.last_backup(run) is None
    made = backups.make_backup(run, None, clock=clock)
    (made.path.parent / "groupx-99999999-999999.db").touch()
    (made.path.parent / "groupx-notes.db").touch()
    last = backups.last_backup(run)
    assert (last.path, last.made_at, last.size_bytes) == (made.path, clock.now(), made.size_bytes)


def test_only_the_newest_are_kept_and_strangers_stay(run: RunConfig, clock: FakeClock):
    made = []
    for _ in range(4):
        made.append(backups.make_backup(run, None, clock=clock).path)
        clock.tick(1)
    stranger = made[0].with_name("groupx-mine.db")
    stranger.touch()
    assert set(backups.remove_older(made[-1], 2)) == set(made[:2])
    assert set(made[0].parent.iterdir()) == {*made[2:], stranger}


def test_a_clock_that_was_set_back_does_not_cost_the_backup_just_made(run: RunConfig, clock: FakeClock):
    before = [backups.make_backup(run, None, clock=clock).path]
    clock.tick(1)
    before.append(backups.make_backup(run, None, clock=clock).path)
    clock.tick(-86_400)
    made = backups.make_backup(run, None, clock=clock).path
    assert backups.remove_older(made, 2) == before[:1]
    assert backups.remove_older(made, 1) == before[1:]
    assert made.exists()


def test_nothing_is_overwritten(run: RunConfig, clock: FakeClock, tmp_path: Path):
    taken = tmp_path / "mine.db"
    taken.write_text("mine")
    with pytest.raises(GroupXError, match="exists already") as refused:
        backups.make_backup(run, taken, clock=clock)
    assert refused.value.code is ErrorCode.FILE_REFUSED and taken.read_text() == "mine"


@pytest.mark.parametrize("damage", ["nothing", "text", "other", "cut", "page"])
def test_what_cannot_be_backed_up_is_named_and_leaves_no_file(run: RunConfig, clock: FakeClock, damage: str):
    path = run.database_path
    match damage:
        case "nothing":
            path.unlink()
        case "text":
            path.write_bytes(b"no database" * 1000)
        case "other":
            path.unlink()
            execute(path, "CREATE TABLE t (x)")
        case "cut":
            path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
        case "page":
            content = path.read_bytes()
            path.write_bytes(content[: 5 * 4096] + b"\xff" * 4096 + content[6 * 4096 :])
    with pytest.raises(GroupXError) as refused:
        backups.make_backup(run, None, clock=clock)
    assert str(path) in refused.value.message
    assert refused.value.code is (ErrorCode.NOT_FOUND if damage == "nothing" else ErrorCode.STORE_INVALID)
    assert not list((run.state_dir / "backups").glob("*")) and not list((run.state_dir / "backups").glob(".*"))


def test_reading_an_idle_database_leaves_nothing_beside_it(run: RunConfig):
    in_wal_mode(run).close()
    before = sorted(run.database_path.parent.iterdir())
    assert store_files.contents(run.database_path).events > 0
    assert sorted(run.database_path.parent.iterdir()) == before


def test_the_command_says_where_how_much_and_how_to_restore(run: RunConfig, tmp_path: Path):
    result = manage("groupx_backup", "--keep", "1", folder=tmp_path)
    assert (result.returncode, result.stderr) == (0, "")
    first, second, third = result.stdout.splitlines()
    path = backups.last_backup(run).path
    assert first == f"Backed up to {path}" and "events" in second and third.endswith(f"groupx restore {path}")


@pytest.mark.parametrize("options", [["--keep", "0"], ["--keep", "x"], ["--nonsense"]])
def test_wrong_options_are_2(run: RunConfig, tmp_path: Path, options: list[str]):
    assert manage("groupx_backup", *options, folder=tmp_path).returncode == 2
