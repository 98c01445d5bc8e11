"""What the room is told of memory and identity (docs/memory.md). Pure."""

from pydantic import BaseModel, ConfigDict

from .body import Body
from .vocabulary import EventType


class RecordBody(Body):
    """What the room is told of a record: which, of what kind, about whom. Its text stays with the record."""

    kind: str
    subject_actor_id: str | None = None
    source_event_id: str | None = None
    """What it was learnt from."""


class ScopeTold(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)
    type: str
    id: str


class MemoryBody(RecordBody):
    memory_id: str
    scope: ScopeTold
    agent_memory_type: str | None = None
    """Of an agent's own memory: core or dated."""


class MemoryRemembered(MemoryBody):
    """In the transaction that keeps it; who has written it is the actor."""

    event_type = EventType.MEMORY_REMEMBERED


class MemorySuperseded(MemoryBody):
    """A new version stands for the one that it supersedes."""

    event_type = EventType.MEMORY_SUPERSEDED
    supersedes: str


class MemoryRetracted(MemoryBody):
    event_type = EventType.MEMORY_RETRACTED


class IdentityBody(RecordBody):
    identity_id: str


class IdentityRemembered(IdentityBody):
    event_type = EventType.IDENTITY_REMEMBERED


class IdentitySuperseded(IdentityBody):
    event_type = EventType.IDENTITY_SUPERSEDED
    supersedes: str


class IdentityRetracted(IdentityBody):
    event_type = EventType.IDENTITY_RETRACTED
