"""Reading a room's log: forwards whole, or backwards from its end as far as needed.

Nothing is indexed. A line that is no message is skipped: a crash may have cut it short, another program may have
written it.
"""

from collections.abc import Iterator
from itertools import chain, islice
from os import SEEK_END
from pathlib import Path
from typing import BinaryIO

from rooms.bus.message import Message, read_line

BLOCK_BYTES = 65_536


def messages(log: Path) -> Iterator[Message]:
    """All, in the order of the file; none when there is no file."""
    return (message for message in messages_and_gaps(log) if message is not None)


def messages_and_gaps(log: Path) -> Iterator[Message | None]:
    """The same, with None for each line that was skipped. Empty lines are nothing."""
    try:
        file = log.open("rb")
    except FileNotFoundError:
        return
    with file:
        for line in file:
            if line.strip():
                yield read_line(line)


def newer_than(log: Path, seq: int) -> list[Message]:
    """Messages with a greater seq, by seq. Reads the end of the file only: until a block has nothing newer."""
    found: list[list[Message]] = []
    for block in _blocks_backwards(log):
        newer = [message for message in block if message.seq > seq]
        if block and not newer:
            break
        found.append(newer)
    return sorted(chain.from_iterable(reversed(found)), key=_seq)


def last(log: Path, count: int, *, before_seq: int | None = None) -> list[Message]:
    """The last so many (of those with a smaller seq), in the order of the file."""
    found: list[Message] = []
    for block in _blocks_backwards(log):
        if len(found) >= count:
            break
        found = [message for message in block if before_seq is None or message.seq < before_seq] + found
    return found[-count:] if count else []


def last_seq(log: Path) -> int:
    """The greatest among the last messages: another program may have mixed up a few. 0 when there is none."""
    return max(
        (message.seq for block in islice(filter(None, _blocks_backwards(log)), 1) for message in block), default=0
    )


def _seq(message: Message) -> int:
    return message.seq


def _blocks_backwards(log: Path) -> Iterator[list[Message]]:
    """The messages of block after block, the last block first, each in the order of the file."""
    try:
        file = log.open("rb")
    except FileNotFoundError:
        return
    with file:
        for lines in _lines_backwards(file):
            yield [message for line in lines if line.strip() and (message := read_line(line))]


def _lines_backwards(file: BinaryIO) -> Iterator[list[bytes]]:
    """Whole lines. The block grows while it lies within one line, so that a long line is not copied too often."""
    at, size, rest = file.seek(0, SEEK_END), BLOCK_BYTES, b""
    while at:
        size = min(size, at)
        at -= size
        file.seek(at)
        lines = (file.read(size) + rest).split(b"\n")
        rest = lines.pop(0) if at else b""
        if lines:
            size = BLOCK_BYTES
            yield lines
        else:
            size *= 2
