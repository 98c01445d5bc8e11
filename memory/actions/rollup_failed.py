"""The writing of a day failed: it is counted, and after a few tries the day is left alone for a while."""

from datetime import date, timedelta

from groupx.kernel.clock import Clock
from groupx.kernel.text import clip
from memory.models import RollupState
from memory.rollup_due import pause_after
from rooms.transactions import durable

REASON_CHARS = 300


@durable
def rollup_failed(
    actor_id: str, day: date, reason: str, *, retry_after_seconds: float | None = None, clock: Clock
) -> int:
    """What waits goes on waiting; gives the failures in a row. `reason` is for the admin, in words;
    `retry_after_seconds` is how long the model's service wants to be left alone."""
    state, _ = RollupState.objects.get_or_create(actor_id=actor_id, day=day)
    state.failures += 1
    pause = max(pause_after(state.failures), timedelta(seconds=retry_after_seconds or 0))
    state.next_attempt_at = clock.now() + pause if pause else None
    state.last_error = clip(reason, REASON_CHARS)
    state.save()
    return state.failures
