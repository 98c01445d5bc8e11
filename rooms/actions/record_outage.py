"""The database could not be written for a while: written down as soon as it can."""

from groupx.kernel.clock import Clock
from groupx.kernel.ids import new_correlation_id
from rooms.actions.append_event import append_events
from rooms.bodies import SystemFailure
from rooms.caller import SYSTEM
from rooms.new_event import NewEvent
from rooms.transactions import durable
from rooms.vocabulary import SourceKind


@durable
def record_outage(failure: SystemFailure, *, clock: Clock) -> None:
    correlation_id = new_correlation_id()
    append_events(
        [
            NewEvent(
                body=failure,
                actor=SYSTEM,
                source_kind=SourceKind.SYSTEM,
                correlation_id=correlation_id,
                root_correlation_id=correlation_id,
            )
        ],
        clock=clock,
    )
