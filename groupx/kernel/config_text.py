"""The text of a configuration file: strict JSON, with the line of everything in it. Pure."""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

type KeyPath = tuple[str | int, ...]

_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*"|[{}\[\],:]|[^\s{}\[\],:"]+')
_BYTE_ORDER_MARK = "\ufeff"
_TRAILING_COMMA = re.compile(r",\s*[}\]]")
_COMMENT = re.compile(r"\s*(?://|/\*|#)")


class NotJson(Exception):
    """`sentence` says why; `line` from 1 on."""

    def __init__(self, line: int, sentence: str) -> None:
        super().__init__(sentence)
        self.line, self.sentence = line, sentence


@dataclass(frozen=True, kw_only=True)
class ConfigText:
    raw: Any
    lines: Mapping[KeyPath, int] = field(default_factory=dict)
    """Where each key, or entry of a list, stands; those of a value made elsewhere are not known."""

    def line_of(self, path: KeyPath) -> int | None:
        """Of the key itself, or of what it is missing in."""
        while path not in self.lines and path:
            path = path[:-1]
        return self.lines.get(path)


def read_text(text: str) -> ConfigText:
    """
    Raises:
        NotJson: with the line, for what is no JSON, and for a key that stands twice in one object.
    """
    if text.startswith(_BYTE_ORDER_MARK):
        raise NotJson(1, "It begins with a byte order mark. Save it as UTF-8 without one.")
    try:
        raw = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotJson(error.lineno, _why(text, error)) from None
    except RecursionError:
        raise NotJson(1, "It is nested too deeply.") from None
    except ValueError:  # Python reads no number of thousands of digits
        raise NotJson(1, "It has a number that is too long.") from None
    lines: dict[KeyPath, int] = {(): 1}
    for path, line in _keys(text):
        if path in lines:
            raise NotJson(line, f"The key “{path[-1]}” stands twice, first in line {lines[path]}.")
        lines[path] = line
    return ConfigText(raw=raw, lines=lines)


def _why(text: str, error: json.JSONDecodeError) -> str:
    if _COMMENT.match(text, error.pos):
        return "JSON has no comments."
    if _TRAILING_COMMA.match(text, error.pos) or _TRAILING_COMMA.match(text, text.rfind(",", 0, error.pos)):
        return "After the last entry there is no comma."
    if text[error.pos : error.pos + 1] == "'":
        return "JSON has double quotes only."
    return f"{error.msg} (column {error.colno})."


def _keys(text: str) -> Iterator[tuple[KeyPath, int]]:
    """Of valid JSON: the path of every key and entry with its line."""
    inside: list[str | int] = []
    """Of each object or list that is open: where in it we are. A list has a number, an object its key."""
    kinds: list[str] = []
    is_key_next = False
    line, read_to = 1, 0
    for token in _TOKEN.finditer(text):
        line, read_to = line + text.count("\n", read_to, token.start()), token.start()
        word = token.group()
        if word in "]}":
            inside.pop()
            kinds.pop()
            is_key_next = False
        elif word == ",":
            if kinds[-1] == "[":
                inside[-1] = int(inside[-1]) + 1
            else:
                is_key_next = True
        elif word == ":":
            continue
        elif is_key_next:
            inside[-1] = json.loads(word)
            is_key_next = False
            yield tuple(inside), line
        else:
            if kinds and kinds[-1] == "[":
                yield tuple(inside), line
            if word in "[{":
                kinds.append(word)
                inside.append(0 if word == "[" else "")
                is_key_next = word == "{"
