"""The database: readable, intact, of this version, with its safeguards; then what it says (invariants.py).

Everything is read, nothing is written, and a query that takes too long is given up.
"""

import sqlite3
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import assistant
import memory
import rooms
import turns
from groupx import store_files
from groupx.doctor.findings import Finding, Findings, Part, Repair
from groupx.doctor.invariants import check_invariants, check_lanes
from groupx.doctor.situation import Situation
from groupx.kernel.clock import SystemClock, on_the_wall
from groupx.terminal_words import gettext as _

QUERY_SECONDS = 3.0
FULL_SECONDS = 600.0
CHECKED_BYTES = 64_000_000
"""A larger file is read through with --full only."""
LARGE_WAL_BYTES = 64_000_000
STEPS_BETWEEN_LOOKS = 10_000
CLOCK_TOLERANCE = timedelta(minutes=5)
APPS = (rooms, turns, memory, assistant)
SCHEMA = "SELECT sql FROM sqlite_master WHERE sql IS NOT NULL"
SAFEGUARDS = frozenset(
    {
        "active_identity_of_subject",
        "active_memory_of_scope",
        "attempt_by_time",
        "attempts_are_numbered",
        "binding_latest_of_actor",
        "event_by_correlation",
        "event_by_time",
        "event_by_type",
        "events_are_append_only",
        "identity_is_never_edited",
        "job_by_fingerprint",
        "job_with_answer_by_time",
        "job_with_use_by_time",
        "memory_identity_text_grows",
        "memory_is_never_edited",
        "memory_record_text_grows",
        "memory_transcript_trigrams",
        "one_active_rollup_per_agent_and_day",
        "one_question_and_one_answer_per_command",
        "one_running_assistant_question",
        "open_assistant_questions",
        "one_active_summary_per_room",
        "one_cursor_per_session",
        "one_event_per_idempotency_key",
        "one_event_per_seq",
        "one_evidence_per_capability",
        "one_open_attempt_per_turn",
        "one_receipt_per_binding_and_command",
        "one_retry_per_turn",
        "one_rollup_state_per_agent_and_day",
        "one_row_per_cli_version",
        "one_running_turn_per_agent",
        "one_stop_per_limit_and_grant",
        "one_successor_per_identityrecord",
        "one_successor_per_memoryrecord",
        "one_successor_per_summary",
        "one_taken_job_per_agent",
        "one_turn_per_message_and_target",
        "open_jobs_of_agent",
        "open_turns_of_lane",
        "partial_text_is_in_order",
        "pending_rollup_sources",
        "summary_by_reach",
        "summary_is_never_edited",
        "turn_by_time",
        "turns_of_root",
        "usage_by_time",
        "usage_of_agent_by_time",
    }
)
"""Triggers, unique constraints and indexes by which the database keeps the invariants and answers at once."""


def check_store(situation: Situation) -> list[Finding]:
    found = Findings(Part.DATABASE)
    path = situation.run.database_path
    if not path.exists() or not path.stat().st_size:
        found.note(
            "NO_DATABASE",
            _("There is no database %(path)s yet.") % {"path": path},
            _("“%(command)s” makes it.") % {"command": situation.command("start")},
        )
        return found.all
    try:
        with store_files.reading(path) as database, _in_time(database, situation):
            if not store_files.tables(database) >= store_files.OUR_TABLES:
                found.problem(
                    "STORE_FOREIGN",
                    _("%(path)s is no database of GroupX.") % {"path": path},
                    _("Set storage.path to another file."),
                )
                return found.all
            _check_size(path, situation, found)
            if _check_integrity(database, path, situation, found) and _check_migrations(database, found):
                _check_safeguards(database, found)
                _check_time(database, found)
                check_invariants(database, situation, found)
                check_lanes(database, situation, found)
    except sqlite3.Error as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_INTERRUPT:
            found.note(
                "STORE_LARGE",
                _("Looking through the database took longer than %(seconds)d s and was given up.")
                % {"seconds": _seconds(situation)},
                _("“%(command)s” takes its time.") % {"command": situation.command("doctor", "--full")},
            )
        else:
            found.problem(
                "STORE_DAMAGED",
                _("%(path)s cannot be read: %(reason)s.") % {"path": path, "reason": error},
                _restore(situation),
            )
    return found.all


def _restore(situation: Situation) -> str:
    return _("Restore a backup with “%(command)s”; the damaged file is kept.") % {
        "command": situation.command("restore", "BACKUP", "--replace")
    }


@contextmanager
def _in_time(database: sqlite3.Connection, situation: Situation) -> Iterator[None]:
    deadline = time.monotonic() + _seconds(situation)
    database.set_progress_handler(lambda: time.monotonic() > deadline, STEPS_BETWEEN_LOOKS)
    try:
        yield
    finally:
        database.set_progress_handler(None, 0)


def _seconds(situation: Situation) -> float:
    return FULL_SECONDS if situation.is_full else QUERY_SECONDS


def _check_size(path: Path, situation: Situation, found: Findings) -> None:
    wal = path.with_name(path.name + "-wal")
    size = wal.stat().st_size if wal.exists() else 0
    if size > LARGE_WAL_BYTES:
        found.warning(
            "WAL_LARGE",
            _("The write-ahead log has grown to %(size)d MB.") % {"size": size // 1_000_000},
            _("A reader that never ends keeps it from being taken over; a restart of the room helps."),
            None if situation.is_running else Repair.WAL,
        )


def _check_integrity(database: sqlite3.Connection, path: Path, situation: Situation, found: Findings) -> bool:
    """Whether what the file says can be believed: in a damaged one nothing further is judged or mended."""
    size = path.stat().st_size
    if size > CHECKED_BYTES and not situation.is_full:
        found.note(
            "NOT_READ_THROUGH",
            _("The database has %(size)d MB and was not read through.") % {"size": size // 1_000_000},
            _("“%(command)s” reads all of it.") % {"command": situation.command("doctor", "--full")},
        )
        return True
    pragma = "integrity_check(5)" if situation.is_full else "quick_check(5)"
    said = [row[0] for row in database.execute(f"PRAGMA {pragma}")]
    if said != ["ok"]:
        found.problem(
            "STORE_DAMAGED",
            _("%(path)s is damaged: %(what)s.") % {"path": path, "what": "; ".join(said)},
            _restore(situation),
        )
        return False
    [events] = database.execute("SELECT count(*) FROM rooms_event").fetchone()
    found.ok(
        "STORE_INTACT",
        _("%(path)s is intact: %(events)s events, %(megabytes).1f MB")
        % {"path": path, "events": f"{events:,}", "megabytes": size / 1_000_000},
    )
    return True


def _check_migrations(database: sqlite3.Connection, found: Findings) -> bool:
    """Whether the tables are those of this version."""
    applied = set(database.execute("SELECT app, name FROM django_migrations"))
    known = {(app.__name__, name) for app in APPS for name in _migrations(Path(app.__path__[0]) / "migrations")}
    ours = {app.__name__ for app in APPS}
    if newer := sorted(f"{app}.{name}" for app, name in applied - known if app in ours):
        found.problem(
            "STORE_NEWER",
            _("A newer version of GroupX has written the database (%(first)s).") % {"first": newer[0]},
            _("Install that version, or restore a backup of this one."),
        )
        return False
    if older := sorted(f"{app}.{name}" for app, name in known - applied):
        found.warning(
            "MIGRATIONS_PENDING",
            _("The database is of an older version of GroupX: %(count)d steps behind.") % {"count": len(older)},
            _("The next start makes them as well."),
            Repair.MIGRATIONS,
            pending=older,
        )
        return False
    return True


def _migrations(folder: Path) -> list[str]:
    return [path.stem for path in folder.glob("[0-9]*.py")]


def missing_safeguards(schema: Iterable[str]) -> set[str]:
    """`schema`: the statements that have made the database, as it keeps them."""
    declared = " ".join(schema)
    return {name for name in SAFEGUARDS if f'"{name}"' not in declared and f" {name} " not in declared}


def _check_safeguards(database: sqlite3.Connection, found: Findings) -> None:
    if missing := sorted(missing_safeguards(sql for (sql,) in database.execute(SCHEMA))):
        found.problem(
            "SAFEGUARDS_MISSING",
            _("The database lacks safeguards of its own: %(names)s.") % {"names": ", ".join(missing)},
            _("Somebody has changed its tables."),
            Repair.SAFEGUARDS,
            missing=missing,
        )


def _check_time(database: sqlite3.Connection, found: Findings) -> None:
    newest = "SELECT max(occurred_at) FROM (SELECT occurred_at FROM rooms_event ORDER BY id DESC LIMIT 50)"
    [last] = database.execute(newest).fetchone()
    if last is None:
        return
    try:
        at = datetime.fromisoformat(last).replace(tzinfo=UTC)
    except ValueError:
        return
    if at > SystemClock().now() + CLOCK_TOLERANCE:
        found.warning(
            "CLOCK_BEHIND",
            _("The newest events are of %(when)s, which is still to come by this machine's clock.")
            % {"when": on_the_wall(at)},
            _("Look at the clock. The order of events does not depend on it."),
        )
