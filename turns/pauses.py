"""A lane that leaves its agent alone for a while, because the model's service asked for it."""

from dataclasses import dataclass
from datetime import timedelta

from groupx.kernel.clock import Clock, iso
from turns.settlement import TurnOutcome


@dataclass(frozen=True)
class Pause:
    """`until` in seconds of the monotonic clock; `sentence` is for the card."""

    until: float
    sentence: str


def pause_after(outcome: TurnOutcome, clock: Clock) -> Pause:
    """The delay that a failed turn was given; the queue waits meanwhile, and a restart ends it."""
    assert outcome.retry_after_seconds is not None
    goes_on = iso(clock.now() + timedelta(seconds=outcome.retry_after_seconds))
    return Pause(
        clock.monotonic() + outcome.retry_after_seconds,
        f"{outcome.message[:200]} Paused until {goes_on}; a restart tries at once.",
    )
