"""Whether a child of the parent still turns its loop: asked over the control line, answered by whoever is not hung.

A process may live and do nothing for ever: stopped by a signal, caught in a dead lock, in a call that never comes
back. Its port is open, its lock is held, and nobody but its parent can help. What is merely busy answers late and
is left alone, and time in which the parent itself did not run (the machine slept) is nobody's silence.
"""

from collections.abc import Callable

from groupx.kernel.clock import Clock, until_next

PING_SECONDS = 2.0
HUNG_SECONDS = 30.0
"""Silence after which a child counts as hung. The longest that a loop of ours is busy with one thing is far below."""


class Watchdog:
    """One child's. `heard` is called for every word it says."""

    def __init__(self, ping: Callable[[], None], start_seconds: float, clock: Clock) -> None:
        """`start_seconds`: how long it may take to say its first word."""
        self._ping, self._clock = ping, clock
        self._silent_seconds = 0.0
        self._patience_seconds = start_seconds

    def heard(self) -> None:
        self._silent_seconds = 0.0
        self._patience_seconds = HUNG_SECONDS

    async def until_hung(self) -> None:
        """Return once the child has been silent for longer than anything healthy could be."""
        while self._silent_seconds < self._patience_seconds:
            self._ping()
            asked_at = self._clock.monotonic()
            await self._clock.sleep(until_next(PING_SECONDS, self._clock))
            waited_seconds = self._clock.monotonic() - asked_at
            if waited_seconds < 2 * PING_SECONDS:
                self._silent_seconds += waited_seconds
            # else we were away ourselves, and its answer may still lie before us unread
