"""The room's private files: who may read them, on which kind of disk, and whether there is room for more."""

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path

import psutil

from groupx import store_files
from groupx.backups import backup_folder, known_backups
from groupx.doctor.findings import Finding, Findings, Part, Repair
from groupx.doctor.situation import Situation
from groupx.kernel.clock import SystemClock, on_the_wall
from groupx.kernel.config import RunConfig
from groupx.run_config import as_typed_here
from groupx.run_files import PRIVATE_FILE, PRIVATE_FOLDER
from groupx.terminal_words import gettext as _

LITTLE_BYTES, TOO_LITTLE_BYTES = 1_000_000_000, 100_000_000
OLD_BACKUP_DAYS = 30
NETWORK_KINDS = ("nfs", "cifs", "smb", "9p", "virtiofs", "fuse.sshfs", "afs", "ceph", "glusterfs", "vboxsf", "prl_fs")
MOST_SHOWN = 5


def check_files(situation: Situation) -> list[Finding]:
    found = Findings(Part.FILES)
    run = situation.run
    if not run.state_dir.is_dir():
        found.note("NO_FOLDER", _("There is no folder %(path)s yet.") % {"path": run.state_dir})
        if run.state_dir.parent.is_dir():  # the first start makes it there
            _check_disk(run.state_dir.parent, found)
        return found.all
    if open_to_others := list(too_open(run)):
        shown = ", ".join(str(path) for path in open_to_others[:MOST_SHOWN])
        found.problem(
            "FILE_MODES",
            _("Other users of this machine may read or write: %(paths)s") % {"paths": shown},
            _("Files of a room are 0600, its folders 0700."),
            Repair.MODES,
            paths=[str(path) for path in open_to_others],
        )
    else:
        found.ok("FILES_PRIVATE", _("%(path)s and the database are private") % {"path": run.state_dir})
    _check_secret(run, found)
    for folder in dict.fromkeys((run.state_dir, run.database_path.parent)):
        if folder.is_dir():
            _check_disk(folder, found)
    _check_backups(run, found)
    return found.all


def too_open(run: RunConfig) -> Iterator[Path]:
    """Files and folders of the room that are not for its owner alone."""
    for path in private_paths(run):
        try:
            mode = stat.S_IMODE(path.lstat().st_mode)
        except OSError:
            continue
        if mode & ~(PRIVATE_FOLDER if path.is_dir() else PRIVATE_FILE):
            yield path


def private_paths(run: RunConfig) -> Iterator[Path]:
    for folder, folders, files in os.walk(run.state_dir):
        yield Path(folder)
        yield from (Path(folder) / name for name in files if not (Path(folder) / name).is_symlink())
        folders[:] = [name for name in folders if not (Path(folder) / name).is_symlink()]
    if not run.database_path.is_relative_to(run.state_dir):
        yield from (path for path in store_files.with_side_files(run.database_path) if path.is_file())


def _check_secret(run: RunConfig, found: Findings) -> None:
    path = run.state_dir / "secret_key"
    if path.is_file() and not path.stat().st_size:
        hint = _("“%(command)s” makes a new one.") % {"command": as_typed_here(run, "start")}
        found.warning("SECRET_EMPTY", _("%(path)s is empty.") % {"path": path}, hint)


def _check_disk(folder: Path, found: Findings) -> None:
    free = shutil.disk_usage(folder).free
    said = _("%(free)s MB are free where %(folder)s is") % {"free": f"{free // 1_000_000:,}", "folder": folder}
    if free < TOO_LITTLE_BYTES:
        found.problem("DISK_FULL", said, _("Make room; a full disk stops the room."))
    elif free < LITTLE_BYTES:
        found.warning("DISK_LOW", said, _("Make room soon; a full disk stops the room."))
    else:
        found.ok("DISK", said)
    if not os.access(folder, os.W_OK):
        found.problem("FOLDER_READ_ONLY", _("%(folder)s cannot be written.") % {"folder": folder})
    kind = kind_of_disk(folder)
    if kind is not None and kind.startswith(NETWORK_KINDS):
        found.warning(
            "NETWORK_DISK",
            _("%(folder)s is on a shared or network file system (%(kind)s).") % {"folder": folder, "kind": kind},
            _("SQLite's WAL can be damaged there. Set storage.path to a local disk."),
        )


def kind_of_disk(folder: Path) -> str | None:
    """As the system names it, `ext4` say; asks the table of mounts, never the disk."""
    mounts = [
        (len(Path(disk.mountpoint).parts), disk.fstype)
        for disk in psutil.disk_partitions(all=True)
        if folder.is_relative_to(disk.mountpoint)
    ]
    return max(mounts, key=lambda mount: mount[0])[1] if mounts else None


def _check_backups(run: RunConfig, found: Findings) -> None:
    backups = known_backups(backup_folder(run))
    if not backups:
        if run.database_path.is_file():
            hint = _("“%(command)s” makes one, also while the room runs.") % {"command": as_typed_here(run, "backup")}
            found.note("NO_BACKUP", _("There is no backup yet."), hint)
        return
    age_days = (SystemClock().now() - backups[0].made_at).days
    said = _("The last backup is of %(when)s") % {"when": on_the_wall(backups[0].made_at)}
    if age_days >= OLD_BACKUP_DAYS:
        hint = _("“%(command)s” makes a new one.") % {"command": as_typed_here(run, "backup")}
        found.note("BACKUP_OLD", said, hint)
    else:
        found.ok("BACKUP", said)
