"""What the room is told of an observer, out of its watch turn. Pure."""

from typing import Any

from rooms.bodies import Body
from rooms.envelope import ActorRef
from rooms.new_event import NewEvent
from rooms.vocabulary import SourceKind
from turns.member import Member


def supervision_event(body: Body, member: Member, *, actor: ActorRef | None = None, **more: Any) -> NewEvent:
    """By the observer itself, unless another actor tells of it."""
    turn = member.turn
    return NewEvent(
        body=body,
        actor=actor or member.caller.actor,
        source_kind=SourceKind.SUPERVISION,
        correlation_id=turn.correlation_id,
        root_correlation_id=turn.root_correlation_id,
        causation_id=turn.turn_id,
        **more,
    )
