"""What is wrong in a configuration, for the person who wrote it: line, key, value, and what is allowed. Pure.

A value is told where it is a number, a switch or a word of a closed list. What may be long or a secret (texts,
commands, arguments, whatever stands under a key that is not known) is not.
"""

import difflib
import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from pydantic import ValidationError

from .config import GroupXConfig
from .config_text import ConfigText, KeyPath
from .text import clip

TAGS = ("name", "program", "[key]")
"""What pydantic puts into a path that is no key: branches of a union, the key itself."""
NEVER_TOLD = frozenset({"name", "identity", "command", "executable", "prefixArgs", "args", "extraInstructions"})
VALUE_CHARS = 80

type Schema = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class ConfigIssue:
    path: KeyPath
    line: int | None
    sentence: str
    """What is wrong with the key, without it and without a stop."""

    @property
    def key(self) -> str:
        return ".".join(map(str, self.path))

    def __str__(self) -> str:
        line = [] if self.line is None else [f"line {self.line}"]
        return ": ".join([*line, self.key or "the file", self.sentence])


def issues_of(error: ValidationError, text: ConfigText, drivers: frozenset[str]) -> list[ConfigIssue]:
    """One per key, in the order of the file."""
    found: dict[KeyPath, ConfigIssue] = {}
    for one in error.errors(include_url=False, include_context=False):
        path = _path(one["loc"], text.raw)
        sentence = _sentence(path, one["type"], one["msg"].removeprefix("Value error, "), text.raw, drivers)
        found.setdefault(path, ConfigIssue(path=path, line=text.line_of(path), sentence=sentence))
    return sorted(found.values(), key=lambda issue: issue.line or 0)


def driver_issue(path: KeyPath, driver: str, drivers: frozenset[str], text: ConfigText) -> ConfigIssue:
    sentence = _must_be(_one_of(drivers), _told(driver))
    return ConfigIssue(path=path, line=text.line_of(path), sentence=sentence)


def _one_of(words: Iterable[str]) -> str:
    return f"one of {', '.join(sorted(words))}"


def _path(location: tuple[int | str, ...], raw: Any) -> KeyPath:
    """Where in the file: `location` without what pydantic has put between."""
    path: list[str | int] = []
    node = raw
    for part in location:
        if isinstance(node, dict) and part in node:
            node = node[str(part)]
        elif isinstance(node, list) and isinstance(part, int) and part < len(node):
            node = node[part]
        elif part in TAGS:
            continue
        else:
            node = None
        path.append(part)
    return tuple(path)


# ---------------------------------------------------------------- sentences
def _sentence(path: KeyPath, kind: str, message: str, raw: Any, drivers: frozenset[str]) -> str:
    """Begins with words of its own: a template that began with a value would swallow what stands before it in a list
    (groupx/kernel/sentences.py)."""
    if kind == "extra_forbidden":
        return _unknown(path)
    allowed = _one_of(drivers) if path[-1:] == ("driver",) else _allowed(_schema_at(path))
    if kind == "missing":
        return f"is missing, it must be {allowed}"
    value = _value_at(path, raw)
    told = _told(value) if _may_be_told(path, value) else None
    if kind != "value_error":
        return _must_be(allowed, told)
    return f"is refused: {message}" if told is None else f"cannot be {told}: {message}"


def _must_be(allowed: str, told: str | None) -> str:
    return f"must be {allowed}" if told is None else f"must be {allowed} (it is {told})"


def _unknown(path: KeyPath) -> str:
    """What it could have been meant for is named; its value never."""
    known = sorted(_schema_at(path[:-1]).get("properties", {}))
    near = difflib.get_close_matches(str(path[-1]), known, n=1)
    known_here = ", ".join(known)
    if near:
        return f"is not known, perhaps {near[0]} is meant (known here: {known_here})"
    return f"is not known (known here: {known_here})"


def _value_at(path: KeyPath, raw: Any) -> Any:
    for part in path:
        raw = raw[part]
    return raw


def _may_be_told(path: KeyPath, value: Any) -> bool:
    return not isinstance(value, dict | list) and not NEVER_TOLD & {str(part) for part in path}


def _told(value: Any) -> str:
    return clip(json.dumps(value, ensure_ascii=False), VALUE_CHARS)


# ---------------------------------------------------------------- what is allowed
@cache
def _schema() -> Schema:
    return GroupXConfig.model_json_schema(by_alias=True)


def _schema_at(path: KeyPath) -> Schema:
    """Of a key of the file; nothing where none is known."""
    node = _schema()
    for part in path:
        node = _resolved(node)
        if isinstance(part, int):
            node = node.get("items", {})
        else:
            node = node.get("properties", {}).get(part) or node.get("additionalProperties") or {}
        if not isinstance(node, Mapping):
            return {}
    return _resolved(node)


def _resolved(node: Schema) -> Schema:
    """What a reference leads to, or of a choice the object among it, else the first that is not null."""
    while True:
        if "$ref" in node:
            node = _schema()["$defs"][node["$ref"].rpartition("/")[2]]
        elif choices := [one for one in _choices(node) if one.get("type") != "null"]:
            objects = [one for one in choices if "$ref" in one]
            if len(choices) > 1:
                return {**_resolved(objects[0]), "choices": choices}
            node = choices[0]
        else:
            return node


def _choices(node: Schema) -> Iterator[Schema]:
    yield from node.get("anyOf", node.get("oneOf", ()))


def _allowed(schema: Schema) -> str:
    if "choices" in schema:
        return "a name or path of a program, or an object with executable and prefixArgs"
    if "const" in schema:
        return _told(schema["const"])
    if "enum" in schema:
        return _one_of(map(_told, schema["enum"]))
    least, most = schema.get("minimum"), schema.get("maximum")
    match schema.get("type"):
        case "integer" if most is not None:
            return f"a whole number from {least} to {most}"
        case "number" if most is not None:
            return f"a number from {least} to {most}"
        case "string" if "maxLength" in schema:
            return f"a text of {schema.get('minLength', 0)} to {schema['maxLength']} characters"
        case "string":
            return "a text that is not empty" if schema.get("minLength") else "a text"
        case "boolean":
            return "true or false"
        case "array" if "maxItems" in schema:
            return f"a list of at most {schema['maxItems']}"
        case "array":
            return "a list"
        case "object":
            return "an object"
    return "something else"
