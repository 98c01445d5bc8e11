"""A failure of ours that a person should know enters the log."""

from groupx.kernel.clock import Clock
from groupx.kernel.ids import new_correlation_id
from rooms.actions.append_event import append_events
from rooms.bodies import SystemFailure
from rooms.caller import SYSTEM
from rooms.new_event import NewEvent
from rooms.transactions import durable
from rooms.vocabulary import SourceKind


def append_failure(failure: SystemFailure, *, clock: Clock) -> None:
    """Joins the caller's transaction."""
    correlation_id = new_correlation_id()
    event = NewEvent(
        body=failure,
        actor=SYSTEM,
        source_kind=SourceKind.SYSTEM,
        correlation_id=correlation_id,
        root_correlation_id=correlation_id,
    )
    append_events([event], clock=clock)


record_failure = durable(append_failure)
