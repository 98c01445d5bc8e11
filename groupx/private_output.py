"""New files that a person asked for: private, whole or not there at all, and never in place of another one."""

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from glob import escape
from pathlib import Path
from typing import BinaryIO

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_files import make_private_file
from groupx.terminal_words import gettext as _


@contextmanager
def new_private_file(path: Path) -> Iterator[BinaryIO]:
    """A file that appears under its name, 0600, when the block ends without an error.

    Raises:
        GroupXError: FILE_REFUSED when something has this name, or the file cannot be made.
    """
    with staged_beside(path) as staged:
        make_private_file(staged)
        with staged.open("wb") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())


@contextmanager
def staged_beside(path: Path) -> Iterator[Path]:
    """A name beside `path` for what is being made; takes the name `path` at the end of the block, or is removed.

    Raises:
        GroupXError: FILE_REFUSED when something has that name already, before the block or after it.
    """
    refuse_existing(path)
    with working_name(path) as staged:
        yield staged
        put_in_place(staged, path)


@contextmanager
def working_name(path: Path) -> Iterator[Path]:
    """A hidden name beside `path`; what has it at the end of the block, also with more after it, is removed.

    Raises:
        GroupXError: FILE_REFUSED without the folder.
    """
    if not path.parent.is_dir():
        raise GroupXError(ErrorCode.FILE_REFUSED, _("The folder %(folder)s does not exist.") % {"folder": path.parent})
    staged = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        yield staged
    finally:
        for left in path.parent.glob(f"{escape(staged.name)}*"):
            left.unlink(missing_ok=True)


def put_in_place(staged: Path, path: Path) -> None:
    """Give the file its final name in one step that replaces nothing.

    Raises:
        GroupXError: FILE_REFUSED when something has the name.
    """
    try:
        os.link(staged, path)  # unlike rename it refuses a name that is taken
    except FileExistsError:
        raise _exists(path) from None
    except OSError:  # a file system without hard links
        refuse_existing(path)
        staged.rename(path)
        return
    staged.unlink()


def refuse_existing(*paths: Path) -> None:
    """
    Raises:
        GroupXError: FILE_REFUSED for the first that exists.
    """
    for path in paths:
        if os.path.lexists(path):
            raise _exists(path)


def _exists(path: Path) -> GroupXError:
    return GroupXError(
        ErrorCode.FILE_REFUSED, _("%(path)s exists already and is not overwritten. Name another file.") % {"path": path}
    )
