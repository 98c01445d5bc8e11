"""Each damage of a database is found (docs/operations.md, "The doctor"). Broken for real."""

from pathlib import Path

import pytest

from groupx.doctor.examine import examine
from groupx.doctor.findings import Level, Part
from groupx.doctor.store import check_store
from tests.groupx.kept_rooms import NO_TRIGGER, database_of, execute, found, looked


def test_a_room_that_ended_in_order_is_well(room_folder: Path):
    for is_full in (False, True):
        assert found(room_folder, is_full=is_full) == {"STORE_INTACT": Level.OK, "INVARIANTS": Level.OK}


def test_looking_leaves_nothing_behind(room_folder: Path):
    before = {path: path.read_bytes() for path in (room_folder / ".groupx").iterdir()}
    examine(looked(room_folder))
    assert {path: path.read_bytes() for path in (room_folder / ".groupx").iterdir()} == before


def test_without_a_database_there_is_nothing_wrong(tmp_path: Path):
    (tmp_path / "groupx.json").write_text('{"agents": {}}')
    assert found(tmp_path) == {"NO_DATABASE": Level.NOTE}


@pytest.mark.parametrize("damage", ["text", "cut", "page"])
def test_a_damaged_file_is_a_problem_and_restore_the_way(room_folder: Path, damage: str):
    path = database_of(room_folder)
    content = path.read_bytes()
    path.write_bytes(
        {
            "text": b"no database" * 1000,
            "cut": content[: len(content) // 2 // 4096 * 4096],
            "page": content[: 5 * 4096] + b"\xff" * 4096 + content[6 * 4096 :],
        }[damage]
    )
    findings = check_store(looked(room_folder))
    problems = [finding for finding in findings if finding.level is Level.PROBLEM]
    assert problems[0].code == "STORE_DAMAGED" and "groupx restore" in (problems[0].hint or "")
    assert [finding.repair for finding in findings if finding.repair] == []


def test_a_file_of_somebody_else_is_foreign(room_folder: Path):
    database_of(room_folder).unlink()
    execute(database_of(room_folder), "CREATE TABLE t (x)")
    assert found(room_folder) == {"STORE_FOREIGN": Level.PROBLEM}


def test_a_newer_database_is_a_problem_that_nothing_here_mends(room_folder: Path):
    execute(
        database_of(room_folder),
        "INSERT INTO django_migrations (app, name, applied) VALUES ('rooms', '9999_x', '2030')",
    )
    assert found(room_folder)["STORE_NEWER"] is Level.PROBLEM


def test_a_query_that_takes_too_long_is_given_up(room_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("groupx.doctor.store.QUERY_SECONDS", -1.0)
    monkeypatch.setattr("groupx.doctor.store.STEPS_BETWEEN_LOOKS", 1)
    assert found(room_folder) == {"STORE_LARGE": Level.NOTE}


def test_a_large_file_is_read_through_on_request_only(room_folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("groupx.doctor.store.CHECKED_BYTES", 1)
    assert "NOT_READ_THROUGH" in found(room_folder) and "STORE_INTACT" in found(room_folder, is_full=True)


def test_events_of_the_future_are_a_sign_of_a_wrong_clock(room_folder: Path):
    execute(database_of(room_folder), NO_TRIGGER, "UPDATE rooms_event SET occurred_at = '2999-01-01 00:00:00'")
    assert found(room_folder)["CLOCK_BEHIND"] is Level.WARNING


ONLY_TOLD = {
    "SEQ_HOLES": ["DELETE FROM rooms_event WHERE seq = 2"],
    "TURN_END_MISSING": [NO_TRIGGER, "UPDATE rooms_event SET idempotency_key = NULL WHERE type = 'turn.completed'"],
    "RECEIPT_WITHOUT_EVENT": [
        "UPDATE rooms_clientcommand SET result = json_set(result, '$.messageEventId', 'evt_gone')"
    ],
}


AT = "'2026-01-01 00:00:00'"
SUMMARY = f"""INSERT INTO memory_summary (summary_id, room_id, writer_id, from_seq, through_seq, content, status,
    created_at) VALUES ('sum_1', 'room:main', 'agent:builder', 1, %d, 'so far', 'active', {AT})"""
FLOOR = "INSERT INTO memory_contextfloor (room_id, reset_through_seq) VALUES ('room:main', %d)"
DATED = f"""INSERT INTO memory_memoryrecord (record_id, room_id, author_id, content, source_kind, status, seq,
    created_at, scope_type, scope_id, agent_memory_type, kind, day) VALUES ('mem_day', 'room:main', 'agent:builder',
    'a day', 'generated_summary', 'active', 1, {AT}, 'agent', 'agent:builder', 'dated', 'summary', '2026-01-01')"""
SOURCE = f"""INSERT INTO memory_rollupsource (actor_id, source_event_id, response_event_id, seq, source_chars,
    response_chars, day, created_at, rolled_at, record_id) SELECT '%s', event_id, event_id, seq, 1, 1, '%s', {AT}, {AT},
    (SELECT id FROM memory_memoryrecord WHERE record_id = 'mem_day') FROM rooms_event WHERE seq = 1"""
ONLY_TOLD |= {
    "SUMMARY_BEYOND_LOG": [SUMMARY % 10_000],
    "RESET_BEYOND_LOG": [FLOOR % 10_000],
    "SUMMARY_BEFORE_RESET": [SUMMARY % 2, FLOOR % 2],
    "SUMMARY_OF_ATTEMPT_MISSING": [SUMMARY % 1, "UPDATE turns_turnattempt SET summary_through_seq = 0"],
    "ROLLUP_MISPLACED": [DATED, SOURCE % ("agent:reviewer", "2026-01-01")],
}


def test_what_summaries_and_dated_memory_say_of_the_log_may_well_be(room_folder: Path):
    well = [SUMMARY % 2, FLOOR % 1, "UPDATE turns_turnattempt SET summary_through_seq = 2", DATED]
    execute(database_of(room_folder), *well, SOURCE % ("agent:builder", "2026-01-01"))
    assert found(room_folder) == {"STORE_INTACT": Level.OK, "INVARIANTS": Level.OK}


def test_dated_memory_of_another_day_is_misplaced_too(room_folder: Path):
    execute(database_of(room_folder), DATED, SOURCE % ("agent:builder", "2026-01-02"))
    assert found(room_folder)["ROLLUP_MISPLACED"] is Level.PROBLEM


def test_jobs_and_a_compaction_that_a_room_left_open_are_noted(room_folder: Path):
    job = f"""INSERT INTO turns_agentjob (job_id, actor_id, kind, status, asked_by, fingerprint, prompt, error_code,
              message, is_temporary, lane_token, created_at, expires_at) VALUES ('job_1', 'agent:builder', 'summary',
              'taken', 'agent:builder', 'f', 'sum up', '', '', 0, 'lane', {AT}, {AT})"""
    lease = f"INSERT INTO memory_compactionlease (room_id, token, expires_at) VALUES ('room:main', 't', {AT})"
    execute(database_of(room_folder), job, lease)
    noted = {code for code, level in found(room_folder).items() if level is Level.NOTE}
    assert noted == {"JOBS_LEFT", "COMPACTION_LEFT"}


@pytest.mark.parametrize("code", ONLY_TOLD)
def test_what_cannot_come_from_us_is_told_and_left(room_folder: Path, code: str):
    execute(database_of(room_folder), "PRAGMA foreign_keys=OFF", *ONLY_TOLD[code])
    assert found(room_folder)[code] is Level.PROBLEM
    report = examine(looked(room_folder), {Part.DATABASE: check_store})
    assert [finding.repair for finding in report.findings if finding.code == code] == [None]
