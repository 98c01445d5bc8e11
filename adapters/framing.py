"""Bytes of a pipe to JSON objects and back, one per line. Pure: no process, no clock.

Knows what real CLIs put between their frames (banners, escape sequences, BOM, CR, broken UTF-8) and that
only LF ends a line: U+2028 inside a string is text. What an object means is not its business.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

MAX_LINE_BYTES = 16 * 1024 * 1024
"""Either direction. Tool output has no natural bound; this one is ours."""

_ESCAPES = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
# Legal inside JSON, but readers that split text into lines (node's readline among them) end a line here.
_TAKEN_FOR_LINE_ENDS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x85": "\\u0085"}


class LineTooLong(Exception):
    """A line passed the limit; where the next one begins can't be trusted any more."""


class LineSplitter:
    """Collects bytes into lines ended by LF; the LF is not part of the line."""

    def __init__(self, max_bytes: int = MAX_LINE_BYTES) -> None:
        self._max_bytes = max_bytes
        self._parts: list[bytes] = []
        self._size = 0

    def feed(self, data: bytes) -> list[bytes]:
        """The lines that `data` completed.

        Raises:
            LineTooLong: also for a line that has not ended yet.
        """
        *ended, rest = data.split(b"\n")
        if ended:
            ended[0] = b"".join((*self._parts, ended[0]))
            self._parts, self._size = [], 0
        if rest:
            self._parts.append(rest)
            self._size += len(rest)
        if self._size > self._max_bytes or any(len(line) > self._max_bytes for line in ended):
            raise LineTooLong
        return ended

    def tail(self) -> bytes:
        """What stood after the last LF, at the end of the stream."""
        rest, self._parts, self._size = b"".join(self._parts), [], 0
        return rest


@dataclass(frozen=True)
class Line:
    """One line as read: `frame` is None for noise, `repaired` says that bytes were no UTF-8."""

    frame: dict[str, Any] | None
    repaired: bool = False


def read_line(raw: bytes) -> Line:
    """A JSON object, or noise. Invalid UTF-8 becomes U+FFFD, so a damaged string does not cost the frame."""
    repaired = False
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError:
        text, repaired = raw.decode("utf-8", "replace"), True
    value = _parsed(text.removeprefix("\ufeff"))
    if value is None and "\x1b" in text:  # valid JSON has no bare escape: a terminal's colours around a frame
        value = _parsed(plain(text).strip().removeprefix("\ufeff"))
    return Line(value if isinstance(value, dict) else None, repaired)


def write_line(frame: dict[str, Any]) -> bytes:
    """The frame as one line, LF included.

    Raises:
        LineTooLong: nothing of it may be sent then.
    """
    text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
    for char, escaped in _TAKEN_FOR_LINE_ENDS.items():
        text = text.replace(char, escaped)
    line = text.encode("utf-8", "replace") + b"\n"
    if len(line) > MAX_LINE_BYTES:
        raise LineTooLong
    return line


def _parsed(text: str) -> object:
    """None for what is no JSON."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None


def plain(text: str) -> str:
    """Terminal escape sequences removed."""
    return _ESCAPES.sub("", text)
