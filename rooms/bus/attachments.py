"""Copies of files beside the log: made before the lock is taken, named when the message has its id."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from rooms.bus.errors import UsageError
from rooms.bus.folder import Room

CHUNK_BYTES = 1 << 20
MAX_STEM_CHARS, MAX_SUFFIX_CHARS = 40, 12
"""With four bytes a character and the id before them they still are one file name."""


class Copy(NamedTuple):
    path: Path
    name: str


def copied(room: Room, files: Sequence[Path]) -> list[Copy]:
    """
    Raises:
        UsageError: one of them is missing or no file; none was copied.
    """
    for file in files:
        if not file.is_file():
            what = "is not a plain file" if file.exists() else "does not exist"
            raise UsageError(f"{file} {what}; nothing was sent.")
    copies: list[Copy] = []
    try:
        for file in files:
            copies.append(_copied(room, file))
    except OSError:
        discard(copies)
        raise
    return copies


def settle(room: Room, copies: Sequence[Copy], id: str) -> list[Copy]:
    """Under the names that the message with this id gives them, each its own."""
    settled: list[Copy] = []
    for copy in copies:
        stem, suffix = _parts(f"{id}-{copy.name}")
        name, number = stem + suffix, 1
        while any(other.name == name for other in settled):
            number += 1
            name = f"{stem}-{number}{suffix}"
        settled.append(Copy(copy.path.rename(room.files / name), name))
    return settled


def discard(copies: Sequence[Copy]) -> None:
    for copy in copies:
        copy.path.unlink(missing_ok=True)


def safe_name(name: str) -> str:
    stem, suffix = _parts("".join(char if char.isalnum() or char in "._-" else "_" for char in name))
    return f"{stem[:MAX_STEM_CHARS]}{suffix[:MAX_SUFFIX_CHARS]}" or "file"


def _parts(name: str) -> tuple[str, str]:
    """What stands before its last point, and from it on."""
    stem, point, suffix = name.rpartition(".")
    return (stem, point + suffix) if stem else (name, "")


def _copied(room: Room, file: Path) -> Copy:
    room.files.mkdir(exist_ok=True)
    path = room.files / f".{os.getpid()}-{os.urandom(4).hex()}.tmp"
    copy = Copy(path, safe_name(file.name))
    try:
        with file.open("rb") as source, path.open("xb") as target:
            while chunk := source.read(CHUNK_BYTES):
                target.write(chunk)
            target.flush()
            os.fsync(target.fileno())
    except OSError:
        discard([copy])
        raise
    return copy
