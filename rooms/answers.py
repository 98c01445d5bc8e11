"""What clients are told of the log: envelopes and pages of them (docs/protocol.md, "Envelope"). Pure."""

from typing import Any, Literal, NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER, ErrorAnswer

from .vocabulary import ActorKind, Durability, SourceKind


@with_config(ANSWER)
class EventActor(TypedDict):
    actorId: str
    kind: ActorKind
    displayName: str
    instanceId: NotRequired[str]
    """The run of the agent's process."""


@with_config(ANSWER)
class Provenance(TypedDict):
    sourceKind: SourceKind


@with_config(ANSWER)
class Event(TypedDict):
    """One event. Durable ones have a seq, transient ones null; unknown types may appear."""

    schema: Literal["groupx.event/0.1"]
    eventId: str
    seq: int | None
    """1, 2, 3 … in commit order, without a hole."""
    roomId: str
    type: str
    actor: EventActor
    to: list[str]
    correlationId: str
    rootCorrelationId: str
    occurredAt: str
    """UTC, ISO 8601."""
    durability: Durability
    body: dict[str, Any]
    """Depends on the type."""
    provenance: Provenance
    replyToEventId: NotRequired[str]
    forwardedEventId: NotRequired[str]
    causationId: NotRequired[str]
    """The message, or the turn, that led to it."""


@with_config(ANSWER)
class HistoryPage(TypedDict):
    events: list[Event]
    """Newest first."""
    nextCursor: NotRequired[int]
    """The next page's `beforeSeq`; absent at the log's beginning."""


@with_config(ANSWER)
class Resync(TypedDict):
    """The cursor means nothing in this log: bootstrap again. The last event of its stream."""

    type: Literal["stream.resync"]


type StreamEvent = Event | Resync
type ExportLine = Event | ErrorAnswer
