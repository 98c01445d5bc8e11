"""What the doctor can mend: planned in words first, a backup before the database is touched, one action each.

Events are never deleted or changed. The only part of the doctor that knows Django and writes.
"""

import asyncio
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from django.apps import apps
from django.db import connection
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from groupx import backups, database, run_files
from groupx.doctor.files import too_open
from groupx.doctor.findings import Repair, Report
from groupx.doctor.store import SCHEMA, missing_safeguards
from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.quiet_room import locked
from groupx.run_config import as_typed_here
from groupx.run_files import PRIVATE_FILE, PRIVATE_FOLDER
from groupx.start import end_former_run
from rooms.actions.bind_session import close_former_sessions
from rooms.actions.mend_last_seq import mend_last_seq
from rooms.envelope import ActorRef
from rooms.models import Actor
from rooms.transactions import StoreError
from rooms.vocabulary import ActorKind
from turns.actions.close_stray_attempts import close_stray_attempts
from turns.actions.recover_turns import recover_turns
from turns.actions.settle_removed_agents import settle_removed_agents

_FULL_TEXT = import_module("memory.migrations.0003_full_text")
TRIGGERS: dict[str, str] = {
    "events_are_append_only": import_module("rooms.migrations.0002_events_are_append_only").SQLITE_TRIGGER,
    **import_module("memory.migrations.0002_records_are_never_edited").SQLITE_TRIGGERS,
    **import_module("memory.migrations.0005_summaries_are_never_edited").SQLITE_TRIGGERS,
    **_FULL_TEXT.SQLITE_TRIGGERS,
    "memory_transcript_trigrams": import_module("memory.migrations.0006_short_words").SQLITE_VIEW,
}
"""And the view of the transcript's index."""


@dataclass(frozen=True, kw_only=True)
class Step:
    plan: Promise
    """What is going to be done, as a sentence."""
    apply: Callable[[RunConfig, Clock], None]
    needs_quiet: bool = True
    """Not while the room runs."""
    changes_database: bool = True


# ---------------------------------------------------------------- what each one does
def make_private(run: RunConfig, clock: Clock) -> None:
    for path in list(too_open(run)):
        path.chmod(PRIVATE_FOLDER if path.is_dir() else PRIVATE_FILE)


def end_left_over(run: RunConfig, clock: Clock) -> None:
    asyncio.run(end_former_run(run))
    for path in run_files.process_records(run.run_dir):
        path.unlink(missing_ok=True)


def migrate(run: RunConfig, clock: Clock) -> None:
    database.migrate()


def correct_last_seq(run: RunConfig, clock: Clock) -> None:
    mend_last_seq()


def settle_turns(run: RunConfig, clock: Clock) -> None:
    settle_removed_agents(clock=clock)
    for actor in Actor.objects.filter(kind=ActorKind.AGENT.value):
        agent = ActorRef(actor_id=actor.actor_id, display_name=actor.display_name)
        recover_turns(agent, clock=clock)
        close_former_sessions(agent, clock=clock)


def close_attempts(run: RunConfig, clock: Clock) -> None:
    close_stray_attempts(clock=clock)


def make_safeguards(run: RunConfig, clock: Clock) -> None:
    """Constraints and indexes as the models say; triggers last, since a table that is made anew loses them."""
    for model in apps.get_models():
        for constraint in model._meta.constraints:
            if constraint.name in _missing_safeguards():
                with connection.schema_editor() as editor:
                    editor.add_constraint(model, constraint)
        for index in model._meta.indexes:
            if index.name in _missing_safeguards():
                with connection.schema_editor() as editor:
                    editor.add_index(model, index)
    missing = _missing_safeguards()
    with connection.cursor() as cursor:
        for trigger in TRIGGERS.keys() & missing:
            cursor.execute(TRIGGERS[trigger])
        if _FULL_TEXT.SQLITE_TRIGGERS.keys() & missing:
            for catch_up in _FULL_TEXT.SQLITE_CATCH_UP:
                cursor.execute(catch_up)


def _missing_safeguards() -> set[str]:
    with connection.cursor() as cursor:
        cursor.execute(SCHEMA)
        return missing_safeguards(sql for (sql,) in cursor.fetchall())


def take_over_wal(run: RunConfig, clock: Clock) -> None:
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


STEPS: dict[Repair, Step] = {
    Repair.MODES: Step(
        plan=gettext_lazy("Make files and folders of the room private (0600, 0700)."),
        apply=make_private,
        needs_quiet=False,
        changes_database=False,
    ),
    Repair.PROCESSES: Step(
        plan=gettext_lazy("End what is left of the last run and remove its records."),
        apply=end_left_over,
        changes_database=False,
    ),
    Repair.MIGRATIONS: Step(plan=gettext_lazy("Bring the database up to date with this version."), apply=migrate),
    Repair.LAST_SEQ: Step(
        plan=gettext_lazy("Set the room's count of events to its newest event; open pages load anew."),
        apply=correct_last_seq,
    ),
    Repair.TURNS: Step(
        plan=gettext_lazy("Settle turns and close sessions that the last run left; nothing is sent again."),
        apply=settle_turns,
    ),
    Repair.ATTEMPTS: Step(plan=gettext_lazy("Close attempts of turns that have ended."), apply=close_attempts),
    Repair.SAFEGUARDS: Step(
        plan=gettext_lazy("Make the missing triggers, constraints and indexes again."), apply=make_safeguards
    ),
    Repair.WAL: Step(plan=gettext_lazy("Take the write-ahead log over into the database."), apply=take_over_wal),
}


# ---------------------------------------------------------------- all of them
def possible(report: Report, *, is_running: bool) -> tuple[list[Repair], list[Repair]]:
    """(what can be done now, what has to wait until the room has stopped)."""
    waiting = [repair for repair in report.repairs if is_running and STEPS[repair].needs_quiet]
    return [repair for repair in report.repairs if repair not in waiting], waiting


def mend(repairs: list[Repair], run: RunConfig, say: Callable[[str], object], *, clock: Clock) -> Path | None:
    """Do these, in the order of `Repair`; gives the backup that was made before the database was touched.

    Raises:
        GroupXError: RUNTIME_LOCKED when the room has been started meanwhile; STORE_INVALID when there can be no
            backup, or a step failed: those before it are done.
    """
    steps = [STEPS[repair] for repair in Repair if repair in repairs]
    backup = None
    with ExitStack() as held:
        if any(step.needs_quiet for step in steps):
            held.enter_context(locked(run))
        for step in steps:
            if step.changes_database and backup is None:
                backup = _back_up(run, clock)
                say(_("Backed up to %(path)s") % {"path": backup})
            try:
                if step.changes_database:
                    with database.using(run.database_path):
                        step.apply(run, clock)
                else:
                    step.apply(run, clock)
            except (StoreError, OSError) as error:
                raise GroupXError(
                    ErrorCode.STORE_INVALID,
                    _("“%(step)s” failed: %(reason)s.") % {"step": str(step.plan).rstrip("."), "reason": error},
                ) from error
            say(_("Done: %(step)s") % {"step": step.plan})
    return backup


def _back_up(run: RunConfig, clock: Clock) -> Path:
    try:
        return backups.make_backup(run, None, clock=clock).path
    except GroupXError as error:
        raise GroupXError(
            error.code,
            _("%(reason)s Without a backup nothing is mended; “%(command)s” takes an older one.")
            % {"reason": error.message, "command": as_typed_here(run, "restore", "BACKUP", "--replace")},
        ) from error
