"""Attempts that are open although their turns have ended; only a database changed from outside has any."""

from groupx.kernel.clock import Clock
from rooms.transactions import durable
from turns.models import TurnAttempt
from turns.state import TERMINAL, DispatchPhase


@durable
def close_stray_attempts(*, clock: Clock) -> int:
    """Give how many were closed. What is known of their delivery stays known."""
    strays = TurnAttempt.objects.filter(turn__status__in=[status.value for status in TERMINAL]).exclude(
        dispatch_phase=DispatchPhase.TERMINAL.value
    )
    return strays.update(dispatch_phase=DispatchPhase.TERMINAL.value, ended_at=clock.now())
