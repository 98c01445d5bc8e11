"""What the room is told of a turn that begins to wait. Pure."""

from rooms.bodies import TurnQueued
from rooms.caller import SYSTEM
from rooms.new_event import NewEvent
from rooms.vocabulary import SourceKind


def turn_queued(
    turn_id: str, target: str, *, correlation_id: str, root_correlation_id: str, causation_id: str
) -> NewEvent:
    """`causation_id` is the message that the turn answers, or for a retry the turn that is tried again. Its seq is the
    turn's place in its lane."""
    return NewEvent(
        body=TurnQueued(turn_id=turn_id, target_actor_id=target),
        actor=SYSTEM,
        source_kind=SourceKind.SYSTEM,
        correlation_id=correlation_id,
        root_correlation_id=root_correlation_id,
        causation_id=causation_id,
    )
