"""Starting a room empty: its log and cursors are moved aside, seqs go on."""

from contextlib import suppress
from pathlib import Path

from rooms.bus.clock import iso, now_ms
from rooms.bus.folder import Room
from rooms.bus.lock import Lock
from rooms.bus.state import next_seq, write_next_seq


def archive(room: Room) -> Path | None:
    """The folder that has them now; None when there was nothing."""
    with Lock(room.lock) as lock:
        if not room.log.exists() and not room.cursors.exists():
            return None
        write_next_seq(room, next_seq(room))  # first of all: an empty log does not tell it
        lock.confirm()
        folder = _fresh(room.archive / iso(now_ms()).replace(":", ""))
        for part in (room.log, room.cursors):
            with suppress(FileNotFoundError):
                part.rename(folder / part.name)
        return folder


def _fresh(path: Path) -> Path:
    number, folder = 1, path
    while folder.exists():
        number += 1
        folder = path.with_name(f"{path.name}-{number}")
    folder.mkdir(parents=True)
    return folder
