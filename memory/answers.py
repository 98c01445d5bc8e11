"""What clients are told of memory, identity and of what a search has found (docs/protocol.md). Pure."""

from typing import Literal, NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER

from .vocabulary import AgentMemoryType, IdentityKind, MemoryKind, MemoryScope, RecordSource, RecordStatus


@with_config(ANSWER)
class ScopeShown(TypedDict):
    type: MemoryScope
    id: str


@with_config(ANSWER)
class RecordShown(TypedDict):
    authorActorId: str
    """Who has written it."""
    content: str
    sourceKind: RecordSource
    status: RecordStatus
    seq: int
    """Of the event that told the room of it."""
    createdAt: str
    sourceEventId: NotRequired[str]
    """What it was learnt from."""
    supersedes: NotRequired[str]
    """The version before this one."""
    retractedAt: NotRequired[str]


class Memory(RecordShown):
    memoryId: str
    scope: ScopeShown
    agentMemoryType: NotRequired[AgentMemoryType]
    day: NotRequired[str]
    """Of dated memory: which day of its agent, as 2026-11-30."""
    kind: MemoryKind
    subjectActorId: NotRequired[str]
    """Whom it is about."""


class MemoryVersion(Memory):
    supersededBy: NotRequired[str]
    """The version after this one."""


class Identity(RecordShown):
    identityId: str
    kind: IdentityKind
    subjectActorId: str
    """Who it says something about."""


@with_config(ANSWER)
class MemoryPage(TypedDict):
    items: list[Memory]
    """Newest first; with words to look for, best first."""
    nextCursor: NotRequired[int]
    """The next page's `cursor`, with the same words and filters."""


@with_config(ANSWER)
class IdentityPage(TypedDict):
    items: list[Identity]
    """As those of memory."""
    nextCursor: NotRequired[int]


@with_config(ANSWER)
class Kept(TypedDict):
    status: Literal[RecordStatus.ACTIVE]
    eventId: str
    """The event that tells the room of it …"""
    seq: int
    """… and its place in the log."""
    createdAt: str
    supersedes: NotRequired[str]


class MemoryKept(Kept):
    memoryId: str


class IdentityKept(Kept):
    identityId: str


@with_config(ANSWER)
class Retracted(TypedDict):
    status: Literal[RecordStatus.RETRACTED]
    eventId: str
    seq: int
    retractedAt: str


class MemoryRetracted(Retracted):
    memoryId: str


class IdentityRetracted(Retracted):
    identityId: str


@with_config(ANSWER)
class Hit(TypedDict):
    kind: Literal["message", "memory", "identity"]
    seq: int
    """Where to go to: the message, or the event that told the room of the record."""
    authorActorId: str
    occurredAt: str
    excerpt: str
    """Around the first word that was found, on one line."""
    eventId: NotRequired[str]
    """Of a message."""
    correlationId: NotRequired[str]
    memoryId: NotRequired[str]
    identityId: NotRequired[str]


@with_config(ANSWER)
class SearchPage(TypedDict):
    items: list[Hit]
    """Newest first."""
    nextCursor: NotRequired[int]
