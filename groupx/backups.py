"""Backups of the room's database: made while it runs, checked, kept in `.groupx/backups/`, found again. No Django."""

import os
import re
import sqlite3
import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from groupx import store_files
from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.private_output import staged_beside
from groupx.run_files import make_private_file, make_private_folder
from groupx.terminal_words import gettext as _

STAMP = "%Y%m%d-%H%M%S"
_NAME = re.compile(r"groupx-(\d{8}-\d{6})(?:-(\d+))?\.db")


@dataclass(frozen=True, kw_only=True)
class BackupFile:
    """One backup that lies in the room's folder."""

    path: Path
    made_at: datetime
    size_bytes: int


@dataclass(frozen=True, kw_only=True)
class MadeBackup:
    path: Path
    size_bytes: int
    events: int
    took_seconds: float


def backup_folder(run: RunConfig) -> Path:
    return run.state_dir / "backups"


def last_backup(run: RunConfig) -> BackupFile | None:
    """The newest backup in the room's own folder; one written elsewhere is not known here."""
    return next(iter(known_backups(backup_folder(run))), None)


def known_backups(folder: Path) -> list[BackupFile]:
    """Backups by their names, the newest first; other files are none of our business."""
    found: list[tuple[tuple[str, int], BackupFile]] = []
    for path in folder.glob("groupx-*.db") if folder.is_dir() else ():
        if named := _NAME.fullmatch(path.name):
            try:
                made_at = datetime.strptime(named[1], STAMP).astimezone()
                size_bytes = path.stat().st_size
            except (ValueError, OSError):
                continue
            order = named[1], int(named[2] or 1)
            found.append((order, BackupFile(path=path, made_at=made_at, size_bytes=size_bytes)))
    return [backup for _order, backup in sorted(found, key=lambda pair: pair[0], reverse=True)]


def new_name(folder: Path, clock: Clock) -> Path:
    """A free name for a backup of now, by the clock on the wall here."""
    stamp = clock.now().astimezone().strftime(STAMP)
    path, number = folder / f"groupx-{stamp}.db", 1
    while os.path.lexists(path):
        number += 1
        path = folder / f"groupx-{stamp}-{number}.db"
    return path


def make_backup(
    run: RunConfig, output: Path | None, *, clock: Clock, on_progress: Callable[[float], None] = lambda done: None
) -> MadeBackup:
    """Copy the room's database, running or not, check the copy, and give it its name: whole or not at all, 0600.

    `output` is a new file, or a folder in which it gets a name with the time; None is the room's own folder.

    Raises:
        GroupXError: NOT_FOUND without a database, STORE_INVALID when it is damaged or none of ours, FILE_REFUSED
            when the name is taken or the file cannot be written.
    """
    began = clock.monotonic()
    store_files.require_ours(run.database_path)
    try:
        if output is None:
            make_private_folder(backup_folder(run))
            output = backup_folder(run)
        path = new_name(output, clock) if output.is_dir() else output
        with staged_beside(path) as staged:
            make_private_file(staged)
            store_files.copy(run.database_path, staged, on_progress, store_files.sharing)
            store_files.require_intact(staged, called=run.database_path)
            held = store_files.contents(staged)
            sync(staged)
        sync(path.parent)
    except sqlite3.Error as error:
        raise GroupXError(
            ErrorCode.STORE_INVALID, _("The backup failed: %(reason)s. Nothing was written.") % {"reason": error}
        ) from error
    except OSError as error:
        raise GroupXError(
            ErrorCode.FILE_REFUSED,
            _("The backup cannot be written: %(reason)s.") % {"reason": error.strerror or error},
        ) from error
    took = clock.monotonic() - began
    return MadeBackup(path=path, size_bytes=path.stat().st_size, events=held.events, took_seconds=took)


def remove_older(made: Path, keep: int) -> list[Path]:
    """Delete all but `keep` backups in the folder of the one just made; gives what was deleted.

    That one stays, whatever the clock said when the others got their names, and the newest of them with it.
    """
    others = [backup.path for backup in known_backups(made.parent) if backup.path != made]
    removed = others[keep - 1 :]
    for path in removed:
        path.unlink(missing_ok=True)
    return removed


def sync(path: Path) -> None:
    """So that neither the file's content nor its name is lost with the power."""
    fd = os.open(path, os.O_RDONLY)
    try:
        os.fsync(fd)
    finally:
        os.close(fd)


class Progress:
    """“45 %” on one line of a terminal, for copies that take a moment."""

    FIRST_AFTER_SECONDS = 0.5

    def __init__(self, write: Callable[[str], object]) -> None:
        self._write, self._began, self._shown = write, time.monotonic(), -1

    def __call__(self, done: float) -> None:
        percent = int(done * 100)
        if percent != self._shown and time.monotonic() - self._began > self.FIRST_AFTER_SECONDS:
            self._write(f"\r{percent:3} %")
            self._shown = percent

    def end(self) -> None:
        if self._shown >= 0:
            self._write("\r      \r")
