"""When a lane may try again to start an agent that failed to, and when a short life counts as a failed start. Pure."""

from dataclasses import dataclass

SOONEST_SECONDS, LATEST_SECONDS = 5.0, 600.0
"""For a new message not sooner than the first; for a queue that only waits with back-off up to the second."""
SHORT_LIFE_SECONDS, SHORT_LIVES = 60.0, 3


@dataclass
class StartPatience:
    """Times are seconds of the monotonic clock."""

    _failed_at: float | None = None
    _failures: int = 0
    _short_lives: int = 0

    def failed(self, now: float) -> None:
        self._failed_at, self._failures, self._short_lives = now, self._failures + 1, 0

    def opened(self) -> None:
        self._failed_at = None

    def worked(self) -> None:
        """A turn completed: the agent is sound."""
        self._failures = self._short_lives = 0

    def reset(self) -> None:
        self._failed_at, self._failures, self._short_lives = None, 0, 0

    def may_try(self, now: float, *, woken: bool, has_waiting: bool) -> bool:
        """`woken`: a new message came; `has_waiting`: the queue is not empty."""
        if self._failed_at is None:
            return True
        passed = now - self._failed_at
        back_off = min(SOONEST_SECONDS * 2**self._failures, LATEST_SECONDS)
        return (woken and passed >= SOONEST_SECONDS) or (has_waiting and passed >= back_off)

    def is_hopeless_after(self, lived_seconds: float) -> bool:
        """Count a session that ended by itself; True when so many in a row lived so short that starting it again
        at once would only go round in circles."""
        self._short_lives = self._short_lives + 1 if lived_seconds < SHORT_LIFE_SECONDS else 1
        return self._short_lives >= SHORT_LIVES
