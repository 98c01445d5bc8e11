"""The one bounded wait for tests of real processes, which can only be looked at again; all else gates on events."""

import time
from collections.abc import Callable

LOOK_AGAIN_SECONDS = 0.02


def wait_until[T](look: Callable[[], T], *, timeout_seconds: float, what: str) -> T:
    """Call `look` until it gives something true, and give that; fails naming `what` when the time is over."""
    deadline = time.monotonic() + timeout_seconds
    while not (seen := look()):
        assert time.monotonic() < deadline, f"not within {timeout_seconds} s: {what}"
        time.sleep(LOOK_AGAIN_SECONDS)
    return seen
