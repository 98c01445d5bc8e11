"""The time, in the two forms that the bus's files use."""

import time
from typing import TypeGuard

MAX_MS = 253_402_300_799_999
"""The end of the year 9999: later ones are not written with four digits."""


def now_ms() -> int:
    """Milliseconds since the epoch."""
    return time.time_ns() // 1_000_000


def iso(ms: int) -> str:
    """The same instant as ISO 8601 UTC with milliseconds and `Z`."""
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(ms // 1000))}.{ms % 1000:03}Z"


def is_instant(value: object) -> TypeGuard[int]:
    """Whether it can be milliseconds since the epoch: anybody can write into the bus's files."""
    return type(value) is int and 0 <= value <= MAX_MS
