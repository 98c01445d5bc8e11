"""Writing groupx.json: whole or not at all, one writer at a time, the former file kept as groupx.json.bak.

A process that is killed in the middle leaves the old file or the new one. A symlink stays one: what it leads to is
written.
"""

import fcntl
import json
import os
import secrets
import stat
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from glob import escape
from pathlib import Path
from typing import Any

from groupx.kernel.errors import ErrorCode, GroupXError

NEW_FILE_MODE = 0o666
"""Less what the umask takes."""
BACKUP_SUFFIX = ".bak"
LOCK_SECONDS = 10.0
LOOK_AGAIN_SECONDS = 0.02


def save(path: Path, change: Callable[[bytes | None], dict[str, Any]]) -> Path | None:
    """Replace the file by what `change` makes of its bytes (None: there is no file).

    Gives the path of the backup; None where there was no file, or where nothing has changed. `change` runs while no
    other process saves; whatever it raises leaves everything as it was.

    Raises:
        GroupXError: FILE_REFUSED when the folder or the file cannot be written.
    """
    path = path.resolve()
    try:
        with _only_writer(path.parent):
            _remove_left(path)
            before = _read(path)
            after = (json.dumps(change(before), indent=2, ensure_ascii=False) + "\n").encode()
            if after == before:
                return None
            backup = path.with_name(path.name + BACKUP_SUFFIX) if before is not None else None
            if before is not None and backup is not None:
                _write(backup, before, like=path)
            _write(path, after, like=path)
            return backup
    except OSError as error:
        where = error.filename if isinstance(error.filename, str) and not _is_staged(error.filename, path) else path
        raise GroupXError(ErrorCode.FILE_REFUSED, f"{where} cannot be written: {error.strerror}.") from None


@contextmanager
def _only_writer(folder: Path) -> Iterator[None]:
    """The lock is the folder's: no file is left by it."""
    fd = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        _lock(fd, folder)
        yield
        with suppress(OSError):  # some file systems cannot; the names are in their place all the same
            os.fsync(fd)
    finally:
        os.close(fd)


def _lock(fd: int, folder: Path) -> None:
    deadline = time.monotonic() + LOCK_SECONDS
    while True:
        try:
            fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return
        except BlockingIOError:
            if time.monotonic() > deadline:
                raise GroupXError(
                    ErrorCode.FILE_REFUSED, f"Another process has been writing in {folder} for long. Try again."
                ) from None
            time.sleep(LOOK_AGAIN_SECONDS)


def _read(path: Path) -> bytes | None:
    try:
        return path.read_bytes()
    except FileNotFoundError:
        return None


def _write(path: Path, content: bytes, *, like: Path) -> None:
    """In one step; mode and owner as those of `like`, where there is that file."""
    staged = like.with_name(f"{_staged_name(like)}{secrets.token_hex(4)}")
    fd = os.open(staged, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, NEW_FILE_MODE)
    try:
        with os.fdopen(fd, "wb") as file:
            with suppress(FileNotFoundError):
                found = like.stat()
                with suppress(PermissionError):  # only root may give a file away
                    os.fchown(file.fileno(), found.st_uid, found.st_gid)
                os.fchmod(file.fileno(), stat.S_IMODE(found.st_mode))
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        staged.replace(path)
    finally:
        staged.unlink(missing_ok=True)  # still there only when something failed


def _staged_name(path: Path) -> str:
    return f".{path.name}.saving-"


def _is_staged(name: str, path: Path) -> bool:
    return Path(name).name.startswith(_staged_name(path))


def _remove_left(path: Path) -> None:
    """Of writers that were killed."""
    for left in path.parent.glob(f"{escape(_staged_name(path))}*"):
        left.unlink(missing_ok=True)
