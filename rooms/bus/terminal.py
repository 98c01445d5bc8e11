"""What a command prints: for people plain and aligned, coloured only on a terminal; with --json for programs.

What others wrote is shown so that a terminal obeys none of it and no line of it can pass for the head of a message.
"""

import json
import sys
import time
import unicodedata
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from rooms.bus.environment import NO_COLOR, variable
from rooms.bus.folder import Room, printable
from rooms.bus.message import Message

INDENT = "    "
BOLD, DIM, RED = "1", "2", "31"


class Output:
    def __init__(self, *, is_json: bool) -> None:
        self.is_json = is_json
        for stream in (sys.stdout, sys.stderr):
            with suppress(AttributeError):  # not a terminal's or file's: somebody else's choice
                stream.reconfigure(encoding="utf-8", errors="replace")  # type: ignore[union-attr]
        self._has_colours = sys.stdout.isatty() and variable(NO_COLOR) is None

    def text(self, line: str = "") -> None:
        sys.stdout.write(line + "\n")

    def record(self, record: Mapping[str, Any]) -> None:
        """One line of JSON."""
        self.text(json.dumps(record, ensure_ascii=False))

    def message(self, message: Message, room: Room) -> None:
        """With --json the line as it was written, fields and all."""
        if self.is_json:
            self.text(message.line)
            return
        body = visible(message.text).split("\n")
        self.text(f"{self._head(message)}: {body[0]}")
        for line in body[1:]:
            self.text(INDENT + line if line else "")
        for file in message.files:
            self.text(self.paint(f"{INDENT}file: {printable(str(room.path / file))}", DIM))
        if message.tags:
            self.text(self.paint(f"{INDENT}tags: {printable(', '.join(message.tags))}", DIM))

    def table(self, rows: Sequence[Sequence[str]]) -> None:
        """Columns under each other."""
        widths = [max(map(_width, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (cell + " " * (width - _width(cell)) for cell, width in zip(row, widths, strict=True))
            self.text("  ".join(cells).rstrip())

    def note(self, text: str) -> None:
        """For people, beside what was asked for."""
        self.flush()
        sys.stderr.write(f"aig: {printable(text)}\n")

    def flush(self) -> None:
        sys.stdout.flush()

    def paint(self, text: str, colour: str) -> str:
        return f"\x1b[{colour}m{text}\x1b[0m" if self._has_colours else text

    def _head(self, message: Message) -> str:
        to = ", ".join(message.to) or "all"
        names = f"{self.paint(printable(message.sender), BOLD)} → {printable(to)}"
        kind = "" if message.kind in ("chat", "") else f" ({printable(message.kind)})"
        colour = RED if message.kind == "dispatch-error" else DIM
        return (
            f"{self.paint(f'[{message.seq}] {_clock(message)}', DIM)} {names}{self.paint(kind, colour) if kind else ''}"
        )


def local_time(ms: int) -> str:
    """Day and time of this machine's zone."""
    return _at("%Y-%m-%d %H:%M:%S", ms) or "–"


def _clock(message: Message) -> str:
    """Of this machine's zone; what has a time in words alone shows that, which is UTC."""
    told = _at("%H:%M", message.ts) if message.ts is not None else printable(message.time[11:16])
    return told or "--:--"


def _at(format: str, ms: int) -> str | None:
    try:
        return time.strftime(format, time.localtime(ms / 1000))
    except (ValueError, OverflowError, OSError):
        return None


def visible(text: str) -> str:
    """Somebody's text as a terminal may have it: it obeys none of it."""
    return "".join(
        char if char.isprintable() or char in "\n\t" else "\N{REPLACEMENT CHARACTER}"
        for char in text.replace("\r\n", "\n").removesuffix("\n")
    )


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
