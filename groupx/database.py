"""The database made ready before anybody is served: its private file, its migrations, the room, the run.

The first server process of a run does this, under the lock that its parent holds; no lane lives yet.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psutil
from django.core.management import call_command
from django.db import DatabaseError, connection
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.utils.translation import gettext as _

from adapters.process_identity import boot_id
from assistant.actions.settle_assistant import expect_brain
from groupx import run_files, store_files
from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.run_config import as_typed_here
from rooms.actions.seed_room import close_store, open_store, seed_room
from rooms.transactions import UNAVAILABLE, StoreError
from turns.actions.lane_status import expect_lanes
from turns.actions.settle_removed_agents import settle_removed_agents

log = get_logger()


def make_ready(run: RunConfig, *, clock: Clock) -> None:
    """Everything between an empty folder and a database that a run can work on.

    Raises:
        GroupXError: START_FAILED when a newer GroupX or another program has written the database, when it cannot be
            written, and for a file that is none.
    """
    began = clock.monotonic()
    try:
        run_files.make_private_folder(run.state_dir)
        make_database_file(run.database_path)
        _refuse_foreign(run.database_path)
        migrated = migrate()
        seed_room(run.config, clock=clock)
        open_store(_this_boot())
        settled = settle_removed_agents(clock=clock)
        expect_lanes(clock=clock)
        expect_brain(is_enabled=run.config.has_assistant, clock=clock)
    except (*UNAVAILABLE, OSError) as error:
        raise GroupXError(
            ErrorCode.START_FAILED,
            _("The database %(path)s cannot be used: %(reason)s. Another program may hold it, or the disk is full.")
            % {"path": run.database_path, "reason": error},
        ) from error
    except DatabaseError as error:
        if type(error) is not DatabaseError:  # a fault of ours
            raise
        raise GroupXError(
            ErrorCode.START_FAILED,
            _("%(path)s cannot be read (%(reason)s). “%(command)s” says more.")
            % {"path": run.database_path, "reason": error, "command": as_typed_here(run, "doctor")},
        ) from error
    connection.close()
    took_ms = round((clock.monotonic() - began) * 1000)
    log.info("database_ready", migrated=migrated, settled_turns=settled, took_ms=took_ms)


def reopen() -> None:
    """The run goes on, with another server or after the database could not be written: what was written before may
    say that it has ended in order."""
    open_store(_this_boot())
    connection.close()


def close_cleanly() -> None:
    """Write down that the run ended in order. A database that refuses only costs readers a new epoch."""
    try:
        close_store()
    except StoreError:
        log.exception("store_not_closed")
    connection.close()


def make_database_file(path: Path) -> None:
    """The file and, by it, SQLite's files beside it are private from their first byte."""
    path.parent.mkdir(parents=True, exist_ok=True)
    run_files.make_private_file(path)


@contextmanager
def using(path: Path) -> Iterator[None]:
    """This thread works on another database file meanwhile; what it has written is in the file itself afterwards."""
    with _connected_to(NAME=str(path)):
        yield
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")


@contextmanager
def at_least_reading(path: Path) -> Iterator[None]:
    """This thread reads the database at `path`, its own, also where nobody can write: on a read-only disk."""
    if store_files.is_writable(path):
        yield
        return
    options = {name: value for name, value in connection.settings_dict["OPTIONS"].items() if name != "init_command"}
    with _connected_to(NAME=store_files.reading_uri(path), OPTIONS=options):
        yield


@contextmanager
def _connected_to(**settings: Any) -> Iterator[None]:
    former = {name: connection.settings_dict[name] for name in settings}
    connection.close()
    connection.settings_dict.update(settings)
    try:
        yield
    finally:
        connection.close()
        connection.settings_dict.update(former)


def require_current(run: RunConfig) -> None:
    """For a command that only reads: the room has a database and this version can read it.

    Raises:
        GroupXError: NOT_FOUND without a database, STORE_INVALID for one that is older than this version or damaged,
            START_FAILED for one that a newer version has written.
    """
    path = run.database_path
    if not path.is_file() or not path.stat().st_size:
        raise GroupXError(ErrorCode.NOT_FOUND, _("There is no database %(path)s yet.") % {"path": path})
    try:
        executor = known_migrations()
    except StoreError as error:
        raise GroupXError(
            ErrorCode.STORE_INVALID,
            _("%(path)s cannot be read (%(reason)s). “%(command)s” says more.")
            % {"path": path, "reason": error, "command": as_typed_here(run, "doctor")},
        ) from error
    if executor.migration_plan(executor.loader.graph.leaf_nodes()):
        raise GroupXError(
            ErrorCode.STORE_INVALID,
            _("%(path)s was written by an older version of GroupX. “%(command)s” brings it up to date.")
            % {"path": path, "command": as_typed_here(run, "start")},
        )


def _refuse_foreign(path: Path) -> None:
    """Leave alone what another program keeps. A first start that was killed has left tables of ours only.

    Raises:
        GroupXError: START_FAILED.
    """
    tables = connection.introspection
    present = set(tables.table_names()) - {MigrationRecorder.Migration._meta.db_table}
    if not present & store_files.OUR_TABLES and not present <= set(tables.django_table_names()):
        raise GroupXError(ErrorCode.START_FAILED, _("%(path)s is no database of GroupX.") % {"path": path})


def migrate() -> bool:
    """Bring the schema up to date if it is not; True when something was done.

    Raises:
        GroupXError: START_FAILED for migrations that this version does not know.
    """
    executor = known_migrations()
    if not executor.migration_plan(executor.loader.graph.leaf_nodes()):
        return False
    call_command("migrate", interactive=False, verbosity=0)
    return True


def known_migrations() -> MigrationExecutor:
    """What is applied and what is not.

    Raises:
        GroupXError: START_FAILED for migrations that this version does not know.
    """
    executor = MigrationExecutor(connection)
    loader = executor.loader
    unknown = sorted(
        f"{app}.{name}"
        for app, name in loader.applied_migrations
        if app in loader.migrated_apps and (app, name) not in loader.disk_migrations
    )
    if unknown:
        raise GroupXError(
            ErrorCode.START_FAILED,
            f"The database was written by a newer version of GroupX ({unknown[0]}). Install that version to use it.",
        )
    return executor


def _this_boot() -> str:
    """Stays the same until the machine boots again."""
    return boot_id() or str(int(psutil.boot_time()))
