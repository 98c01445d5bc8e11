"""`groupx_restore` (docs/operations.md, "Backup and restore"). Our contract."""

import shlex
import signal
import sqlite3
from contextlib import closing
from pathlib import Path
from urllib.request import urlopen

import pytest

from adapters.process_identity import start_of
from groupx import backups, run_files
from groupx.kernel.config import GroupXConfig, RunConfig
from groupx.kernel.config_file import load_config
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.restore import Restored, restore
from groupx.run_config import allowed_drivers
from tests import given
from tests.fakes.clock import FakeClock
from tests.groupx.kept_rooms import execute, keep_room, killed_at, manage, rows, write_first_version
from tests.running_room import do, running_room
from tests.waiting import wait_until

TITLE = "SELECT title FROM rooms_room"
MARKED = "UPDATE rooms_room SET title = 'after the backup'"


@pytest.fixture
def run(live_room: GroupXConfig, clock: FakeClock, tmp_path: Path) -> RunConfig:
    given.running_turn("builder", clock=clock)
    keep_room(tmp_path)
    return load_config(tmp_path / "groupx.json", allowed_drivers())


@pytest.fixture
def backup(run: RunConfig, clock: FakeClock) -> Path:
    """A backup; the room's own database has changed since."""
    path = backups.make_backup(run, None, clock=clock).path
    execute(run.database_path, MARKED)
    return path


def restored(
    backup: Path, run: RunConfig, clock: FakeClock, to: Path | None = None, replaces: bool = False
) -> Restored:
    return restore(backup, run, to=to, replaces=replaces, clock=clock)


def refused(backup: Path, run: RunConfig, clock: FakeClock, **more) -> GroupXError:
    before = {path: path.read_bytes() for path in run.state_dir.rglob("*.db")}
    with pytest.raises(GroupXError) as error:
        restored(backup, run, clock, **more)
    assert {path: path.read_bytes() for path in run.state_dir.rglob("*.db")} == before, "nothing was changed"
    assert not list(run.state_dir.rglob(".*")), "nothing is left"
    return error.value


def test_beside_a_database_that_is_there_a_new_file_is_made(run: RunConfig, backup: Path, clock: FakeClock):
    result = restored(backup, run, clock)
    assert result.path.name.startswith("groupx-restored-") and not result.is_in_use and result.moved_aside is None
    assert rows(run.database_path, TITLE) == [("after the backup",)]
    assert rows(result.path, TITLE) == [("main room",)]
    assert result.path.stat().st_mode & 0o777 == 0o600


def test_where_there_is_none_it_is_the_rooms_own(run: RunConfig, backup: Path, clock: FakeClock):
    run.database_path.unlink()
    result = restored(backup, run, clock)
    assert (result.path, result.is_in_use) == (run.database_path, True)


def test_replace_keeps_the_former_database_aside(run: RunConfig, backup: Path, clock: FakeClock):
    with closing(sqlite3.connect(run.database_path)) as crashed:
        crashed.execute("PRAGMA journal_mode=WAL")
    result = restored(backup, run, clock, replaces=True)
    assert result.is_in_use and rows(run.database_path, TITLE) == [("main room",)]
    assert result.moved_aside is not None and rows(result.moved_aside, TITLE) == [("after the backup",)]


def test_replace_works_on_a_database_that_cannot_be_read(run: RunConfig, backup: Path, clock: FakeClock):
    """The very reason for a restore. Its WAL goes with it: SQLite would apply it to the new file."""
    wal = run.database_path.with_name("groupx.db-wal")
    run.database_path.write_bytes(b"broken" * 1000)
    wal.write_bytes(b"stray")
    result = restored(backup, run, clock, replaces=True)
    assert result.moved_aside is not None and result.moved_aside.read_bytes().startswith(b"broken")
    assert not wal.exists() or wal.read_bytes() != b"stray"
    assert rows(run.database_path, TITLE) == [("main room",)]


@pytest.mark.parametrize("former", ["with a WAL", "that cannot be read"])
def test_a_kill_on_the_way_leaves_the_former_database_or_the_new_one(run: RunConfig, backup: Path, former: str):
    """Never none: the next start would take that for a new room and make an empty one."""
    own, wal = run.database_path, run.database_path.with_name("groupx.db-wal")
    if former == "with a WAL":
        with closing(sqlite3.connect(own, isolation_level=None)) as killed:
            killed.execute("PRAGMA journal_mode=WAL")
            killed.execute("UPDATE rooms_room SET title = 'in the WAL'")
            files = {own: own.read_bytes(), wal: wal.read_bytes()}
    else:
        files = {own: b"broken" * 1000, wal: b"stray"}

    def title() -> str:
        return "" if own.read_bytes() == files[own] and former != "with a WAL" else rows(own, TITLE)[0][0]

    seen = []
    while not seen or seen[-1][0]:
        for path in own.parent.glob("*groupx*.db*"):
            path.unlink()
        for path, content in files.items():
            path.write_bytes(content)
        exit_code = killed_at(len(seen) + 1, "groupx_restore", str(backup), "--replace", folder=own.parents[1])
        seen.append((exit_code, title()))

    before = "in the WAL" if former == "with a WAL" else ""
    assert len(seen) > 2 and seen == [*[(-signal.SIGKILL, before)] * (len(seen) - 1), (0, "main room")]
    [aside] = own.parent.glob("groupx-before-restore-*.db")
    assert rows(aside, TITLE) == [(before,)] if before else aside.read_bytes() == files[own]


def test_the_restored_room_is_settled_and_has_a_new_epoch(run: RunConfig, backup: Path, clock: FakeClock):
    result = restored(backup, run, clock)
    assert result.settled_turns == 1 and result.ends_at == clock.now()
    assert rows(result.path, "SELECT epoch FROM rooms_store") != rows(backup, "SELECT epoch FROM rooms_store")
    assert rows(result.path, "SELECT status, error_code FROM turns_turn") == [("interrupted", "ROOM_RESTORED")]
    [(events,)] = rows(result.path, "SELECT count(*) FROM rooms_event")
    [(last_seq,)] = rows(result.path, "SELECT last_seq FROM rooms_room")
    assert events == last_seq == result.events


def test_the_backup_is_only_read(run: RunConfig, backup: Path, clock: FakeClock):
    before = backup.read_bytes()
    backup.chmod(0o400)
    restored(backup, run, clock)
    assert backup.read_bytes() == before and len(list(backup.parent.iterdir())) == 1


def test_a_backup_of_an_older_version_is_brought_up_to_date(run: RunConfig, backup: Path, clock: FakeClock):
    write_first_version(backup)
    result = restored(backup, run, clock)
    assert rows(result.path, "SELECT event_id FROM rooms_event ORDER BY seq LIMIT 1") == [("evt_old",)]
    newest = "SELECT max(name) FROM django_migrations WHERE app = 'rooms'"
    assert rows(result.path, newest) == rows(run.database_path, newest)


def test_a_backup_of_a_newer_version_is_refused(run: RunConfig, backup: Path, clock: FakeClock):
    execute(backup, "INSERT INTO django_migrations (app, name, applied) VALUES ('rooms', '9999_later', '2030-01-01')")
    assert "newer version" in refused(backup, run, clock).message


@pytest.mark.parametrize("damage", ["gone", "empty", "text", "other", "cut", "page"])
def test_what_is_no_intact_backup_is_refused(run: RunConfig, backup: Path, clock: FakeClock, damage: str):
    content = backup.read_bytes()
    match damage:
        case "gone":
            backup.unlink()
        case "empty":
            backup.write_bytes(b"")
        case "text":
            backup.write_bytes(b"no database" * 1000)
        case "other":
            backup.unlink()
            execute(backup, "CREATE TABLE t (x)")
        case "cut":
            backup.write_bytes(content[: len(content) // 2 // 4096 * 4096])
        case "page":
            backup.write_bytes(content[: 5 * 4096] + b"\xff" * 4096 + content[6 * 4096 :])
    expected = ErrorCode.NOT_FOUND if damage == "gone" else ErrorCode.STORE_INVALID
    assert refused(backup, run, clock).code is expected


def test_a_file_that_is_there_is_never_the_target(run: RunConfig, backup: Path, clock: FakeClock, tmp_path: Path):
    mine = tmp_path / "mine.db"
    mine.write_text("mine")
    for taken in (mine, run.database_path):
        assert refused(backup, run, clock, to=taken).code is ErrorCode.FILE_REFUSED
    assert mine.read_text() == "mine"
    (tmp_path / "other.db-wal").touch()
    assert refused(backup, run, clock, to=tmp_path / "other.db").code is ErrorCode.FILE_REFUSED


def test_a_room_that_runs_keeps_its_database(run: RunConfig, backup: Path, clock: FakeClock):
    run_files.make_private_folder(run.run_dir)
    lock = run_files.RunLock(run.run_dir)
    assert lock.acquire()
    try:
        error = refused(backup, run, clock, replaces=True)
        assert error.code is ErrorCode.RUNTIME_LOCKED and "groupx stop" in error.message
        assert restored(backup, run, clock).path != run.database_path, "a new file disturbs nobody"
    finally:
        lock.release()


def test_so_does_one_whose_parent_was_killed(run: RunConfig, backup: Path, clock: FakeClock, sleeper):
    run_files.make_private_folder(run.run_dir)
    run_files.record_child(run.run_dir, "serve", sleeper.pid, start_of(sleeper.pid))
    assert refused(backup, run, clock, replaces=True).code is ErrorCode.RUNTIME_LOCKED


def test_and_one_that_another_program_has_open(run: RunConfig, backup: Path, clock: FakeClock):
    with closing(sqlite3.connect(run.database_path)) as other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("SELECT count(*) FROM rooms_event").fetchone()
        assert refused(backup, run, clock, replaces=True).code is ErrorCode.RUNTIME_LOCKED


def test_the_command_says_what_was_done_and_what_to_do(run: RunConfig, backup: Path, tmp_path: Path):
    beside = manage("groupx_restore", str(backup), folder=tmp_path)
    assert (beside.returncode, beside.stderr) == (0, "")
    assert "1 turn that was open" in beside.stdout and "storage.path" in beside.stdout and "--replace" in beside.stdout

    replaced = manage("groupx_restore", str(backup), "--replace", folder=tmp_path)
    assert replaced.returncode == 0 and "The former database is now" in replaced.stdout
    assert replaced.stdout.splitlines()[-1].strip() == "Start the room with: groupx start"

    (elsewhere := tmp_path / "else where").mkdir()
    config = str(tmp_path / "groupx.json")
    copied = manage("groupx_backup", "--config", config, folder=elsewhere).stdout
    again = shlex.split(next(line for line in copied.splitlines() if "Restore it with: " in line).split(": ")[1])
    assert again[:2] == ["groupx", "restore"] and again[3:] == ["--config", config]
    there = manage("groupx_restore", *again[2:], "--replace", folder=elsewhere).stdout
    assert there.splitlines()[-1].strip() == f"Start the room with: groupx start --config {config}"

    both = manage("groupx_restore", str(backup), "--replace", "--to", "x.db", folder=tmp_path)
    assert both.returncode == 2 and len(both.stderr.splitlines()) == 1


def test_a_room_goes_on_from_its_backup_and_no_prompt_is_sent_twice(tmp_path: Path):
    """The whole way: backed up in mid-turn, stopped, replaced, started. One turn waited and ran after the backup."""
    with running_room(tmp_path, "builder") as room:
        held = room.turn(room.send("builder", content=do(n="held", steps=[{"wait": "go"}, {"text": "done"}])))
        waiting = room.turn(room.send("builder", content=do(n="waiting", steps=[{"text": "done"}])))
        room.until_turn(held, "running", "dispatching")
        wait_until(lambda: room.prompts("builder", "held"), timeout_seconds=30, what="a prompt")
        made = manage("groupx_backup", "--output", "copy.db", folder=tmp_path)
        assert made.returncode == 0, made.stderr
        (tmp_path / "builder" / "go").touch()
        room.until_turn(waiting, "completed")
        before = room.get("/api/bootstrap")
        room.stop()

        assert manage("groupx_restore", "copy.db", "--replace", folder=tmp_path).returncode == 0
        room.start()
        room.until_agent("builder", "ready")

        assert {room.get(f"/api/turns/{turn}")["status"] for turn in (held, waiting)} == {"interrupted", "cancelled"}
        assert [len(room.prompts("builder", nonce)) for nonce in ("held", "waiting")] == [1, 1]
        assert room.get("/api/bootstrap")["epoch"] != before["epoch"]
        with urlopen(
            f"{room.url}/api/events?afterSeq={before['cursor']}&epoch={before['epoch']}", timeout=10
        ) as stream:
            assert b'{"type":"stream.resync"}' in stream.read()
        started = [event for event in room.events() if event["type"] == "session.started"]
        assert started[-1]["body"]["contextLost"] is True
        status, again = room.command(f"/api/turns/{waiting}/retry")
        assert status == 202 and room.until_turn(again["turnId"])["status"] == "completed"
