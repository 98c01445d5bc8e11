"""What the room is told of observers (docs/turns.md, "Supervision"). Pure."""

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from .body import Body
from .vocabulary import EventType


class NamedTurn(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True)
    turn_id: str
    target_actor_id: str


class SupervisionBrief(Body):
    """What the watch turns of a command are made for; after the workers' turn.queued, before the observers'. It is the
    message of those turns and never context of any other."""

    event_type = EventType.SUPERVISION_BRIEF
    content: str
    task_event_id: str
    workers: tuple[NamedTurn, ...]


class SupervisionPaired(Body):
    """Who watches whom; last of what a command with observers writes. `watchers` are the observers' turns."""

    event_type = EventType.SUPERVISION_PAIRED
    mode: str
    task_event_id: str
    watch_event_id: str
    workers: tuple[NamedTurn, ...]
    watchers: tuple[NamedTurn, ...]


class SupervisionObserved(Body):
    """An observer has looked at a worker's turn for the first time."""

    event_type = EventType.SUPERVISION_OBSERVED
    watch_turn_id: str
    subject_turn_id: str
    target_actor_id: str
    """Who is watched."""


class SupervisionSteered(Body):
    """After the guidance, before the turn.queued of the turn that the guidance starts."""

    event_type = EventType.SUPERVISION_STEERED
    watch_turn_id: str
    subject_turn_id: str
    target_actor_id: str
    action: str
    reason: str
    message_event_id: str
    """The guidance."""
    next_turn_id: str
    steers: int
    """Of the subject turn, this one too."""
