"""Messages as they come: somebody else's process writes them, so the log is looked at again and again."""

import time
from collections.abc import Iterator
from pathlib import Path

from rooms.bus import log
from rooms.bus.message import Message

LOOK_AGAIN_SECONDS = 0.1
BEAT_SECONDS = 10.0


def arrivals(path: Path, after_seq: int, *, timeout_seconds: float | None) -> Iterator[list[Message]]:
    """Batches of messages with a greater seq, by seq; each message once.

    Gives something at once and then at least every 10 s, perhaps nothing, so that the caller can show that it lives.
    Ends when the time is over.
    """
    now = time.monotonic()
    deadline = None if timeout_seconds is None else now + timeout_seconds
    beat, looked_at = now, None
    while True:
        signature = _signature(path)
        if signature != looked_at or now >= beat:
            newer = log.newer_than(path, after_seq) if signature != looked_at else []
            looked_at, beat = signature, now + BEAT_SECONDS
            after_seq = newer[-1].seq if newer else after_seq
            yield newer
        now = time.monotonic()
        left = LOOK_AGAIN_SECONDS if deadline is None else min(LOOK_AGAIN_SECONDS, deadline - now)
        if left <= 0:
            return
        time.sleep(left)
        now = time.monotonic()


def _signature(path: Path) -> tuple[int, int] | None:
    try:
        stat = path.stat()
    except FileNotFoundError:
        return None
    return stat.st_ino, stat.st_size
