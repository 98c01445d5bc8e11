"""What can be mended is, each broken for real first (docs/operations.md, "The doctor"). Our contract."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from adapters.process_identity import start_of
from groupx import backups, database, run_files
from groupx.doctor.examine import examine
from groupx.doctor.files import check_files
from groupx.doctor.findings import Level, Part, Repair
from groupx.doctor.processes import check_processes
from groupx.doctor.repairs import STEPS, mend, possible
from groupx.doctor.store import check_store
from groupx.kernel.config import GroupXConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from memory.queries.records import search_memory
from memory.requests import MemoryQuery
from tests import given
from tests.fakes.clock import FakeClock
from tests.groupx.kept_rooms import (
    NO_TRIGGER,
    database_of,
    execute,
    found,
    keep_room,
    looked,
    manage,
    rows,
    write_first_version,
)

KILLED_WRITER = """
import os, signal, sqlite3, sys
database = sqlite3.connect(sys.argv[1], isolation_level=None)
database.execute("PRAGMA journal_mode=WAL")
database.execute("UPDATE rooms_room SET title = 'in the WAL'")
os.kill(os.getpid(), signal.SIGKILL)
"""


def mended(folder: Path, clock: FakeClock) -> list[Repair]:
    """Everything that the database check offers, done."""
    report = examine(looked(folder), {Part.DATABASE: check_store})
    mend(report.repairs, looked(folder).run, lambda said: None, clock=clock)
    return report.repairs


MENDED = {
    "LAST_SEQ_WRONG": (Repair.LAST_SEQ, ["UPDATE rooms_room SET last_seq = 3"]),
    "ATTEMPTS_OPEN": (
        Repair.ATTEMPTS,
        ["UPDATE turns_turnattempt SET dispatch_phase = 'native_started', delivery_certainty = 'delivered'"],
    ),
    "SESSIONS_LEFT": (Repair.TURNS, ["UPDATE rooms_sessionbinding SET closed_at = NULL"]),
    "TURNS_LEFT": (
        Repair.TURNS,
        ["UPDATE turns_turn SET status = 'dispatching' WHERE status = 'queued'"],
    ),
    "TURNS_WITHOUT_AGENT": (Repair.TURNS, ["UPDATE rooms_actor SET enabled = 0 WHERE actor_id = 'agent:builder'"]),
    "SAFEGUARDS_MISSING": (
        Repair.SAFEGUARDS,
        [
            NO_TRIGGER,
            "DROP INDEX one_running_turn_per_agent",
            "DROP INDEX event_by_type",
            "DROP INDEX open_turns_of_lane",
            "DROP TRIGGER memory_is_never_edited",
            "DROP TRIGGER identity_is_never_edited",
            "DROP TRIGGER memory_record_text_grows",
            "DROP TRIGGER memory_identity_text_grows",
            "DROP TRIGGER summary_is_never_edited",
            "DROP INDEX one_active_summary_per_room",
            "DROP TABLE memory_transcript_trigrams",
        ],
    ),
}


def test_what_was_kept_while_the_search_had_lost_its_triggers_is_found_again(room_folder: Path, clock: FakeClock):
    path = database_of(room_folder)
    execute(path, "DROP TRIGGER memory_record_text_grows")
    with database.using(path):
        given.remembered("a needle", clock=clock)
    assert mended(room_folder, clock) == [Repair.SAFEGUARDS]
    with database.using(path):
        assert [memory["content"] for memory in search_memory(MemoryQuery(q="needle"))["items"]] == ["a needle"]


@pytest.mark.parametrize("code", MENDED)
def test_what_can_be_mended_is_and_events_stay(room_folder: Path, clock: FakeClock, code: str):
    repair, damage = MENDED[code]
    execute(database_of(room_folder), *damage)
    assert code in found(room_folder)
    before = rows(database_of(room_folder), "SELECT * FROM rooms_event ORDER BY seq")

    assert repair in mended(room_folder, clock)

    assert found(room_folder) == {"STORE_INTACT": Level.OK, "INVARIANTS": Level.OK}
    assert rows(database_of(room_folder), "SELECT * FROM rooms_event ORDER BY seq")[: len(before)] == before
    backup = backups.last_backup(looked(room_folder).run)
    assert backup is not None and rows(backup.path, "SELECT * FROM rooms_event ORDER BY seq") == before


def test_an_older_database_is_brought_up_to_date(room_folder: Path, clock: FakeClock):
    write_first_version(database_of(room_folder))
    assert found(room_folder)["MIGRATIONS_PENDING"] is Level.WARNING
    assert mended(room_folder, clock) == [Repair.MIGRATIONS]
    assert found(room_folder) == {"STORE_INTACT": Level.OK, "INVARIANTS": Level.OK}
    assert rows(database_of(room_folder), "SELECT event_id FROM rooms_event") == [("evt_old",)]


def test_two_running_turns_are_settled_before_their_safeguard_is_made(
    live_room: GroupXConfig, clock: FakeClock, tmp_path: Path
):
    given.running_turn("builder", clock=clock)
    given.queued_turn("builder", clock=clock)
    path = keep_room(tmp_path)
    execute(path, "DROP INDEX one_running_turn_per_agent", "UPDATE turns_turn SET status = 'running'")
    assert {"TWO_RUNNING", "SAFEGUARDS_MISSING"} <= set(found(tmp_path))
    mended(tmp_path, clock)
    assert found(tmp_path) == {"STORE_INTACT": Level.OK, "INVARIANTS": Level.OK}
    assert rows(path, "SELECT DISTINCT status FROM turns_turn") == [("interrupted",)]


def test_a_safeguard_that_lies_in_the_table_is_made_again_with_all_that_hangs_on_it(
    room_folder: Path, clock: FakeClock
):
    path = database_of(room_folder)
    [(sql,)] = rows(path, "SELECT sql FROM sqlite_master WHERE name = 'rooms_event'")
    without = sql.replace(', CONSTRAINT "one_event_per_seq" UNIQUE ("room_id", "seq")', "")
    assert without != sql
    execute(
        path,
        "PRAGMA legacy_alter_table=ON",
        without.replace('"rooms_event"', '"other"', 1),
        "INSERT INTO other SELECT * FROM rooms_event",
        "DROP TABLE rooms_event",
        "ALTER TABLE other RENAME TO rooms_event",
    )
    missing = [finding for finding in check_store(looked(room_folder)) if finding.code == "SAFEGUARDS_MISSING"]
    assert {"one_event_per_seq", "events_are_append_only", "event_by_type"} <= set(missing[0].details["missing"])
    mended(room_folder, clock)
    assert found(room_folder) == {"STORE_INTACT": Level.OK, "INVARIANTS": Level.OK}


def test_a_large_wal_is_taken_over(room_folder: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch):
    """As a room that was killed leaves it: a child writes, and is gone without closing."""
    path = database_of(room_folder)
    subprocess.run([sys.executable, "-c", KILLED_WRITER, str(path)], timeout=30, check=False)
    wal = path.with_name("groupx.db-wal")
    assert wal.stat().st_size > 0
    monkeypatch.setattr("groupx.doctor.store.LARGE_WAL_BYTES", 1)
    assert found(room_folder)["WAL_LARGE"] is Level.WARNING
    assert Repair.WAL in mended(room_folder, clock)
    assert not wal.exists() or wal.stat().st_size == 0
    assert rows(path, "SELECT title FROM rooms_room") == [("in the WAL",)]


# ---------------------------------------------------------------- outside of the database
def test_modes_are_made_private_also_while_the_room_runs(room_folder: Path, clock: FakeClock):
    database_of(room_folder).chmod(0o644)
    (room_folder / ".groupx").chmod(0o755)
    mend([Repair.MODES], looked(room_folder).run, lambda said: None, clock=clock)
    assert "FILE_MODES" not in [finding.code for finding in check_files(looked(room_folder))]
    assert backups.last_backup(looked(room_folder).run) is None, "the database was not touched"
    assert not STEPS[Repair.MODES].needs_quiet


@pytest.mark.parametrize("use", run_files.CliUse)
def test_what_is_left_over_is_ended_and_its_records_go(
    room_folder: Path, clock: FakeClock, sleeper: subprocess.Popen[bytes], use: run_files.CliUse
):
    run = looked(room_folder).run
    run_files.make_private_folder(run.run_dir)
    run_files.record_cli(run.run_dir, "mine", sleeper.pid, start_of(sleeper.pid), use)
    (run.run_dir / "child-serve.json").write_text("{")
    mend([Repair.PROCESSES], run, lambda said: None, clock=clock)
    assert sleeper.wait(10) != 0 and run_files.process_records(run.run_dir) == []
    codes = [finding.code for finding in check_processes(looked(room_folder))]
    assert not {"ORPHANS", "STALE_RUN_FILES"} & set(codes)


# ---------------------------------------------------------------- caution
def test_while_the_room_runs_only_what_disturbs_nobody_is_offered(room_folder: Path, clock: FakeClock):
    execute(database_of(room_folder), "UPDATE rooms_room SET last_seq = 3")
    database_of(room_folder).chmod(0o644)
    run = looked(room_folder).run
    run_files.make_private_folder(run.run_dir)
    lock = run_files.RunLock(run.run_dir)
    assert lock.acquire()
    try:
        report = examine(looked(room_folder))
        assert possible(report, is_running=True) == ([Repair.MODES], [Repair.LAST_SEQ])
        with pytest.raises(GroupXError) as refused:
            mend([Repair.LAST_SEQ], run, lambda said: None, clock=clock)
        assert refused.value.code is ErrorCode.RUNTIME_LOCKED
    finally:
        lock.release()


def test_without_a_backup_nothing_is_mended(room_folder: Path, clock: FakeClock):
    path = database_of(room_folder)
    path.write_bytes(path.read_bytes()[: 10 * 4096])
    with pytest.raises(GroupXError, match="Without a backup"):
        mend([Repair.LAST_SEQ], looked(room_folder).run, lambda said: None, clock=clock)


def test_the_command_shows_asks_backs_up_and_mends(room_folder: Path):
    execute(database_of(room_folder), "UPDATE rooms_room SET last_seq = 3")
    refused = manage("groupx_doctor", "--repair", folder=room_folder, stdin="n\n")
    assert refused.returncode == 1 and "1. Set the room's count" in refused.stdout
    assert "Nothing was changed." in refused.stdout and rows(
        database_of(room_folder), "SELECT last_seq FROM rooms_room"
    ) == [(3,)]

    done = manage("groupx_doctor", "--repair", "--yes", folder=room_folder)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert "Backed up to" in done.stdout and "Done: Set the room's count" in done.stdout

    nothing = manage("groupx_doctor", "--repair", folder=room_folder)
    assert nothing.returncode == 0 and "nothing here" in nothing.stdout
    assert json.loads(manage("groupx_doctor", "--json", folder=room_folder).stdout)["ok"] is True
