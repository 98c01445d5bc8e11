"""The one writer of a room's log: takes the seq, appends, remembers, all under the room's lock."""

import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from rooms.bus.attachments import copied, discard, settle
from rooms.bus.clock import now_ms
from rooms.bus.errors import BusError
from rooms.bus.folder import Room
from rooms.bus.json_text import whole
from rooms.bus.lock import Lock
from rooms.bus.message import MAX_SEQ, Draft, Message, line_of, message_id, read_line
from rooms.bus.state import next_seq, write_next_seq

NEW_LINE = b"\n"


def append(room: Room, draft: Draft, files: Sequence[Path] = ()) -> Message:
    """Write the draft into the room's log, with copies of the files; it is on the disk when this returns.

    Raises:
        UsageError: one of the files is none; nothing was sent.
        BusError: the room stayed locked, or the lock was lost. Nothing was sent.
        OSError: the disk is full or refuses; nothing was sent.
    """
    copies = copied(room, files)
    try:
        with Lock(room.lock) as lock:
            seq, ts = _free_seq(room), now_ms()
            id = message_id(seq, ts)
            lock.confirm()
            copies = settle(room, copies, id)
            names = [f"files/{copy.name}" for copy in copies]
            line = line_of(_sendable(draft), seq=seq, id=id, ts=ts, room=room.name, files=names)
            _write_line(room.log, line.encode())
            with suppress(OSError):  # the message is sent; the log tells the next seq as well
                write_next_seq(room, seq + 1)
    except (BusError, OSError):
        discard(copies)
        raise
    message = read_line(line.encode())
    assert message is not None
    return message


def _free_seq(room: Room) -> int:
    seq = next_seq(room)
    if seq > MAX_SEQ:
        raise BusError(f"No seq is greater than that of a message in {room.log}: mend or remove that line by hand.")
    return seq


def _write_line(log: Path, line: bytes) -> None:
    """On a line of its own, whatever a crash has left before it; all of it or nothing."""
    is_new = not log.exists()
    file = os.open(log, os.O_RDWR | os.O_APPEND | os.O_CREAT, 0o666)
    try:
        size = os.fstat(file).st_size
        is_on_a_fresh_line = not size or os.pread(file, 1, size - 1) == NEW_LINE
        data = (b"" if is_on_a_fresh_line else NEW_LINE) + line + NEW_LINE
        try:
            while data:
                data = data[os.write(file, data) :]
            os.fsync(file)
        except OSError:
            os.ftruncate(file, size)
            raise
    finally:
        os.close(file)
    if is_new:
        _sync_folder(log.parent)


def _sync_folder(folder: Path) -> None:
    file = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(file)
    finally:
        os.close(file)


def _sendable(draft: Draft) -> Draft:
    """Without halves of characters, which no file can hold: an argument or another program's JSON may bring them."""
    return draft._replace(
        text=_whole(draft.text),
        reply_to=draft.reply_to and _whole(draft.reply_to),
        tags=[_whole(tag) for tag in draft.tags],
    )


def _whole(text: str) -> str:
    try:
        return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace") if not text.isascii() else text
    except UnicodeEncodeError:  # not bytes of an argument: JSON had them
        return whole(text)
