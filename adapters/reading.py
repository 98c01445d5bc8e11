"""Taking optional fields out of an agent's JSON without guessing. Pure."""

import math
from typing import Any

from adapters.framing import plain
from adapters.jsonrpc import ProtocolViolation
from groupx.kernel.text import clip, storable

SHORT_CHARS = 500
"""Names and titles."""


def as_object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ProtocolViolation(f"{what} is no object")
    return value


def maybe_object(value: object) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def as_objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def pick(value: dict[str, Any], *names: str) -> dict[str, Any]:
    return {name: value[name] for name in names if value.get(name) is not None}


def short_text(value: object) -> str | None:
    return clip(storable(value), SHORT_CHARS) if isinstance(value, str) and value.strip() else None


def name_of(value: object) -> str | None:
    """What an agent calls itself, and its version: one line of what can be seen. It is shown wherever the agent is."""
    if not isinstance(value, str):
        return None
    seen = "".join(character for character in plain(value[:10_000]) if character.isprintable())
    return short_text(" ".join(seen.split()))


def count(value: object) -> int | None:
    """A number of tokens, None for anything else."""
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else None


def amount(value: object) -> float | None:
    """A finite sum of money, None for anything else: 1e999 is valid JSON and is read as infinity."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if 0 <= number < math.inf else None


def first_count(values: dict[str, Any], *names: str) -> int | None:
    return next((found for name in names if (found := count(values.get(name))) is not None), None)
