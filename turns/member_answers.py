"""What agents are told by the room's tools (docs/mcp.md). Pure."""

from typing import Any, Literal, NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER
from turns.state import TurnStatus


@with_config(ANSWER)
class SentTurn(TypedDict):
    target: str
    turnId: str
    status: Literal[TurnStatus.QUEUED]
    queuePosition: int
    """Open turns of its agent that come first, the running one too."""
    activeTurnId: NotRequired[str]
    """What its agent works on."""
    note: NotRequired[str]
    """Why its agent takes up nothing now."""


@with_config(ANSWER)
class Sent(TypedDict):
    messageEventId: str
    correlationId: str
    turns: list[SentTurn]
    """Of those who are to work on it."""
    watchTurns: NotRequired[list[SentTurn]]
    """Of its observers, where it has some."""


@with_config(ANSWER)
class ReadEvent(TypedDict):
    seq: int
    eventId: str
    type: str
    actorId: str
    """Who said or did it."""
    occurredAt: str
    correlationId: str
    body: dict[str, Any]
    """Of a message: content. A long text is cut, with truncated and fullLength beside it."""
    to: NotRequired[list[str]]
    """Whom it woke."""
    replyToEventId: NotRequired[str]
    forwardedEventId: NotRequired[str]
    causationId: NotRequired[str]
    """The message or turn that led to it."""


@with_config(ANSWER)
class ReadTurn(TypedDict):
    turnId: str
    target: str
    status: TurnStatus
    sourceEventId: str
    """The message it answers."""
    queuePosition: NotRequired[int]
    """While it is queued: open turns of its agent that come first."""
    errorCode: NotRequired[str]


@with_config(ANSWER)
class RoomRead(TypedDict):
    events: list[ReadEvent]
    """Oldest first."""
    nextAfterSeq: int
    """afterSeq of the next read."""
    hasMore: bool
    """There are later events already."""
    turns: list[ReadTurn]
    """How the turns of the correlation stand, oldest first, the newest 48 of them; without one, of your own."""


@with_config(ANSWER)
class AskedResult(TypedDict):
    target: str
    turnId: str
    status: Literal["completed", "failed", "cancelled", "pending"]
    queuePosition: int
    """Open turns of its agent that come first; 0 once it has begun."""
    activeTurnId: NotRequired[str]
    """While pending: what its agent works on."""
    responseEventId: NotRequired[str]
    """The message that is the answer."""
    content: NotRequired[str]
    """The answer; a long one is cut, with truncated and fullLength beside it."""
    truncated: NotRequired[bool]
    fullLength: NotRequired[int]
    errorCode: NotRequired[str]
    note: NotRequired[str]
    """Why there is no answer, or what to know of it."""


@with_config(ANSWER)
class Asked(TypedDict):
    messageEventId: str
    """What collect is called with."""
    correlationId: str
    state: Literal["terminal", "pending"]
    """Pending: some results are still to come."""
    results: list[AskedResult]
    """One for each agent that was asked."""
