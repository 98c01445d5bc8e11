"""What is to be kept, and what it follows from, before it is a record. Pure."""

from dataclasses import dataclass, field

from groupx.kernel.ids import new_correlation_id

from .vocabulary import AgentMemoryType, MemoryScope


@dataclass(frozen=True, kw_only=True)
class Occasion:
    """Where in the room's history something is written: the conversation, and what led to it. Without one, a
    conversation of its own."""

    correlation_id: str = field(default_factory=new_correlation_id)
    root_correlation_id: str = ""
    causation_id: str | None = None
    source_event_id: str | None = None
    """What something was learnt from, where nobody says otherwise."""

    @property
    def root(self) -> str:
        return self.root_correlation_id or self.correlation_id


@dataclass(frozen=True, kw_only=True)
class MemoryDraft:
    scope_type: MemoryScope
    scope_id: str
    agent_memory_type: AgentMemoryType | None
    kind: str
    subject_id: str | None
    content: str
    source_event_id: str | None
    scope_field: str = "scope.id"
    """Where the request says whose memory it is: what a refusal names."""


@dataclass(frozen=True, kw_only=True)
class IdentityDraft:
    subject_id: str
    kind: str
    content: str
    source_event_id: str | None


@dataclass(frozen=True, kw_only=True)
class Revision:
    """A new version of a record; what is not said stays as it was."""

    content: str
    kind: str | None
    source_event_id: str | None
