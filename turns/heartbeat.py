"""What readers are told of a running turn's silence: every 15 s that it lasts, and when a call to a tool ends it."""

from collections.abc import Callable

from groupx.kernel.clock import Clock

HEARTBEAT_SECONDS = 15.0


class Heartbeat:
    """One turn's. `tell` is given the seconds of silence."""

    def __init__(self, tell: Callable[[int], None], clock: Clock) -> None:
        self._tell, self._clock = tell, clock
        self._beat_at = clock.monotonic()
        self._is_told_as_quiet = False

    @property
    def next_at(self) -> float:
        """In seconds of the monotonic clock."""
        return self._beat_at + HEARTBEAT_SECONDS

    def beat_if_due(self, silent_since: float, *, is_in_call: bool) -> None:
        """Who waits in a call to one of the room's tools is not silent."""
        now = self._clock.monotonic()
        if now < self.next_at:
            return
        self._beat_at = now
        if not is_in_call:
            self._is_told_as_quiet = True
            self._tell(int(now - silent_since))

    def noticed_event(self) -> None:
        """Readers see it themselves."""
        self._beat_at = self._clock.monotonic()
        self._is_told_as_quiet = False

    def noticed_call(self) -> None:
        """Readers of the live turn see nothing of it."""
        if self._is_told_as_quiet:
            self._tell(0)
        self.noticed_event()
