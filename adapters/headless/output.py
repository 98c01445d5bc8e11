"""Reading what CLIs print: JSON amid banners, counts of tokens, plain text. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

_ANSI = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]"  # colours, cursor
    r"|\x1b[\]PX^_].*?(?:\x07|\x1b\\)"  # titles, links and other strings
    r"|\x1b[ -/]*[0-~]",
    re.DOTALL,
)
_DECODER = json.JSONDecoder()
MAX_NUMBER = 2**53


def json_values(text: str) -> Iterator[Any]:
    """Every JSON object or array that begins at the start of a line: lines of events and printed documents alike.

    Whatever stands between them (banners, warnings, a torn line) is skipped.
    """
    position = 0
    while position < len(text):
        if text[position] in "{[":
            try:
                value, position = _DECODER.raw_decode(text, position)
                yield value
            except (ValueError, RecursionError):
                pass
        end_of_line = text.find("\n", position)
        if end_of_line < 0:
            return
        position = end_of_line + 1


def json_objects(text: str) -> list[dict[str, Any]]:
    """The objects of `json_values`, those of an array one by one."""
    found: list[dict[str, Any]] = []
    for value in json_values(without_ansi(text)):
        found += [item for item in (value if isinstance(value, list) else [value]) if isinstance(item, dict)]
    return found


def within(value: object, *path: str) -> Any:
    """What stands at this path of nested objects, None where there is nothing."""
    for key in path:
        if not isinstance(value, Mapping):
            return None
        value = value.get(key)
    return value


def words(*candidates: object) -> str:
    """The first that is text and not blank."""
    return next((text for text in candidates if isinstance(text, str) and text.strip()), "")


def text_of(content: object) -> str:
    """A message's content, which is a string or a list of parts."""
    if isinstance(content, list):
        return "".join(text for part in content if isinstance(text := within(part, "text"), str))
    return content if isinstance(content, str) else ""


def number(value: object) -> float | None:
    """Only what others can read again: JSON knows no NaN and no infinity."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    return value if -MAX_NUMBER < value < MAX_NUMBER else None


def counted(**counts: object) -> dict[str, int] | None:
    """Those that are numbers; None when the CLI told none."""
    found = {name: int(count) for name, value in counts.items() if (count := number(value)) is not None}
    return found or None


def without_ansi(text: str) -> str:
    return _ANSI.sub("", text)


def plain(text: str) -> str:
    """Text without terminal sequences and without blank lines around it."""
    lines = without_ansi(text).replace("\r\n", "\n").split("\n")
    while lines and not lines[0].strip():
        del lines[0]
    while lines and not lines[-1].strip():
        del lines[-1]
    return "\n".join(lines).rstrip()


def cleaned(text: str) -> str:
    """What can be used of output that was to be JSON and is not: `plain`, without banner lines (`> …`) before it."""
    lines = plain(text).split("\n")
    while lines and (lines[0].startswith(">") or not lines[0].strip()):
        del lines[0]
    return "\n".join(lines)
