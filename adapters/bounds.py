"""Values of an agent cut to what a room can keep. Pure."""

import math
from collections.abc import Mapping, Sequence

from groupx.kernel.text import storable

MAX_CHARS = 65_536
"""Per field of a tool's details: enough to read, small enough for every browser."""
MAX_ITEMS = 500
MAX_DEPTH = 12


class Bounded:
    """Copies JSON values within one budget of characters; `truncated` tells whether something was left out.

    Numbers that JSON has no word for (1e999 is read as infinity) are left out.
    """

    def __init__(self, max_chars: int = MAX_CHARS) -> None:
        self._chars_left = max_chars
        self._items_left = MAX_ITEMS
        self.truncated = False

    def text(self, value: str) -> str:
        if len(value) > self._chars_left:
            value, self.truncated = value[: self._chars_left], True
        self._chars_left -= len(value)
        return storable(value)

    def value(self, value: object, depth: int = 0) -> object:
        match value:
            case str():
                return self.text(value)
            case None | bool():
                return value
            case float() if math.isfinite(value):
                return value
            case int():
                return value if abs(value) < 2**53 else self.text(str(value))
            case Mapping() if depth < MAX_DEPTH:
                return {
                    self.text(str(key)): self.value(inner, depth + 1)
                    for key, inner in value.items()
                    if self._has_room()
                }
            case Sequence() if depth < MAX_DEPTH:
                return [self.value(inner, depth + 1) for inner in value if self._has_room()]
            case _:
                self.truncated = True
                return None

    def _has_room(self) -> bool:
        self._items_left -= 1
        if self._items_left < 0 or self._chars_left <= 0:
            self.truncated = True
            return False
        return True
