"""A database file as SQLite alone sees it: opened for reading only, judged, copied. Knows no Django and no model."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_files import make_private_file
from groupx.terminal_words import gettext as _

SIDE_FILES = ("-wal", "-shm", "-journal")
BUSY_SECONDS = 5.0
STEP_PAGES = 2048
"""Copied between two reports of progress; 8 MiB with SQLite's usual pages."""
FIRST_BYTES = b"SQLite format 3\0"
OUR_TABLES = frozenset({"django_migrations", "rooms_store", "rooms_room", "rooms_event", "turns_turn"})


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a database of ours holds, in short."""

    events: int
    last_event_at: str | None
    """As stored: UTC, `YYYY-MM-DD HH:MM:SS.ffffff`."""


def looks_like_a_database(path: Path) -> bool:
    """Of a file that is there: whether it is SQLite's, or empty as SQLite's is before the first write."""
    try:
        with path.open("rb") as file:
            return file.read(len(FIRST_BYTES)) in (b"", FIRST_BYTES)
    except OSError:
        return False


type Opening = Callable[[Path], AbstractContextManager[sqlite3.Connection]]


@contextmanager
def sharing(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection beside others that may write, or begin to, at any moment; where nobody can write, as `reading`.

    Raises:
        sqlite3.Error: it can't be opened.
    """
    if not is_writable(path):
        with reading(path) as database:
            yield database
        return
    uri = f"file:{quote(str(path.absolute()))}?mode=rw"
    with closing(sqlite3.connect(uri, uri=True, timeout=BUSY_SECONDS, isolation_level=None)) as database:
        yield database


@contextmanager
def reading(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that writes nothing: a file that nobody has open gets no WAL beside it.

    Such a file is taken as one that stays as it is; what somebody begins to write meanwhile may look like damage.

    Raises:
        sqlite3.Error: it can't be opened.
    """
    with closing(sqlite3.connect(reading_uri(path), uri=True, timeout=BUSY_SECONDS, isolation_level=None)) as database:
        yield database


def reading_uri(path: Path) -> str:
    """The address by which SQLite opens the file for `reading`."""
    is_in_use = path.with_name(path.name + "-wal").exists()
    options = "mode=ro" if is_in_use else "mode=ro&immutable=1"
    return f"file:{quote(str(path.absolute()))}?{options}"


def is_writable(path: Path) -> bool:
    """False on a disk that is read-only, or without the right to write: SQLite could not even open its WAL there."""
    return os.access(path, os.W_OK) and os.access(path.parent, os.W_OK)


def require_ours(path: Path) -> None:
    """
    Raises:
        GroupXError: NOT_FOUND when there is no such file, STORE_INVALID when it is no database of GroupX.
    """
    if not path.is_file():
        raise GroupXError(ErrorCode.NOT_FOUND, _("There is no file %(path)s.") % {"path": path})
    try:
        with reading(path) as database:
            is_ours = tables(database) >= OUR_TABLES
    except sqlite3.Error as error:
        raise unusable(path, error) from error
    if not is_ours:
        raise GroupXError(ErrorCode.STORE_INVALID, _("%(path)s is no database of GroupX.") % {"path": path})


def tables(database: sqlite3.Connection) -> set[str]:
    return {name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}


def require_intact(path: Path, *, called: Path | None = None) -> None:
    """Read all of the file and compare its indexes. `called` is the name to tell: a fresh copy has that of its source.

    Raises:
        GroupXError: STORE_INVALID when something does not fit.
    """
    try:
        with reading(path) as database:
            said = [row[0] for row in database.execute("PRAGMA integrity_check(3)")]
    except sqlite3.Error as error:
        raise unusable(called or path, error) from error
    if said != ["ok"]:
        raise GroupXError(
            ErrorCode.STORE_INVALID,
            _("%(path)s is damaged: %(what)s.") % {"path": called or path, "what": "; ".join(said)},
        )


def contents(path: Path) -> Contents:
    """
    Raises:
        sqlite3.Error: it can't be read.
    """
    with reading(path) as database:
        events, last_event_at = database.execute("SELECT count(*), max(occurred_at) FROM rooms_event").fetchone()
    return Contents(events=events, last_event_at=last_event_at)


def copy(
    source: Path, target: Path, on_progress: Callable[[float], None] = lambda done: None, opening: Opening = reading
) -> None:
    """Copy the database of one moment into the empty file `target`, which becomes a plain file without a WAL.

    A room that runs goes on writing: the moment is held by a read transaction, and readers of a WAL block nobody.
    `on_progress` is told the part that is done, 0 to 1.

    Raises:
        sqlite3.Error: reading or writing failed.
    """

    def report(status: int, left: int, pages: int) -> None:
        on_progress(1 - left / max(pages, 1))

    with opening(source) as database, closing(sqlite3.connect(target, isolation_level=None)) as made:
        database.execute("BEGIN")
        database.execute("SELECT count(*) FROM sqlite_master").fetchone()
        made.execute("PRAGMA synchronous=OFF")  # whoever asked syncs the file once it is whole
        database.backup(made, pages=STEP_PAGES, progress=report)
        made.execute("PRAGMA journal_mode=DELETE")


def with_side_files(path: Path) -> list[Path]:
    """The file and what SQLite may keep beside it."""
    return [path, *(path.with_name(path.name + suffix) for suffix in SIDE_FILES)]


def replace(path: Path, staged: Path, aside: Path) -> None:
    """Give the name `path` to the database `staged`; the former one is `aside` from then on, with its side files.

    Its WAL is taken over first, where it can still be read. Whoever is killed on the way leaves a database under the
    name, the former one or the new one: never none, which the next start would take for a new room.

    Raises:
        GroupXError: RUNTIME_LOCKED when some program has the former one open.
        OSError: the disk refused; the former one is in its place.
    """
    with ExitStack() as undo:
        if path.exists():
            _take_over_wal(path)
            undo.callback(aside.unlink, missing_ok=True)
            _name_again(path, aside)
        for side_file, kept in list(zip(with_side_files(path), with_side_files(aside), strict=True))[1:]:
            if side_file.exists():  # it belongs to the former one: SQLite would apply it to the new one
                side_file.rename(kept)
                undo.callback(kept.rename, side_file)
        staged.replace(path)
        undo.pop_all()


def _take_over_wal(path: Path) -> None:
    try:
        with closing(sqlite3.connect(path, timeout=0, isolation_level=None)) as database:
            database.execute("PRAGMA locking_mode=EXCLUSIVE")
            database.execute("BEGIN EXCLUSIVE")
            database.execute("COMMIT")
            database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.OperationalError as error:
        if getattr(error, "sqlite_errorcode", None) == sqlite3.SQLITE_BUSY:
            raise GroupXError(
                ErrorCode.RUNTIME_LOCKED, _("Another program uses %(path)s. End it first.") % {"path": path}
            ) from error
    except sqlite3.Error:
        pass  # damaged: it is kept as it is


def _name_again(path: Path, other: Path) -> None:
    """A second name for the same file; where the file system knows no such thing, a copy."""
    try:
        os.link(path, other)
    except FileExistsError:
        raise
    except OSError:
        make_private_file(other)
        shutil.copyfile(path, other)


def unusable(path: Path, error: sqlite3.Error) -> GroupXError:
    """What SQLite said about a file, as the error a person gets."""
    return GroupXError(
        ErrorCode.STORE_INVALID, _("%(path)s cannot be read: %(reason)s.") % {"path": path, "reason": error}
    )
