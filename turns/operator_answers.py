"""What the assistant is told by the operator's tools of turns and agents (docs/mcp.md). Pure."""

from typing import Literal, NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER
from turns.answers import CancelAccepted
from turns.member_answers import AskedResult, SentTurn
from turns.state import LaneStatus, SupervisionMode, TurnStatus


@with_config(ANSWER)
class OperatorSent(TypedDict):
    messageEventId: str
    correlationId: str
    turns: list[SentTurn]
    """None for a message that wakes nobody."""
    watchTurns: NotRequired[list[SentTurn]]
    """Of its observers, where it has some."""


@with_config(ANSWER)
class Dispatched(TypedDict):
    dispatchEventId: str
    """What supervision_status calls taskEventId."""
    correlationId: str
    turns: list[SentTurn]
    watchTurns: NotRequired[list[SentTurn]]


@with_config(ANSWER)
class DispatchAsked(TypedDict):
    dispatchEventId: str
    correlationId: str
    state: Literal["terminal", "pending"]
    """Pending: some results are still to come."""
    results: list[AskedResult]


@with_config(ANSWER)
class TurnsCancelled(TypedDict):
    turns: list[CancelAccepted]
    """Those that were open; at most 200 with one call."""
    hasMore: bool


@with_config(ANSWER)
class RosterAgent(TypedDict):
    actorId: str
    displayName: str
    driver: str
    status: LaneStatus
    statusText: str
    """What it is doing or why it cannot, in words; may be empty."""
    queueLength: int
    """Open turns, the running one too."""
    activeTurnId: NotRequired[str]
    identity: NotRequired[str]
    cwd: str


@with_config(ANSWER)
class Roster(TypedDict):
    agents: list[RosterAgent]


@with_config(ANSWER)
class WatchedTurn(TypedDict):
    turnId: str
    target: str
    status: TurnStatus
    steers: int
    """How often it was steered."""
    wasInterrupted: bool
    """A steer has ended it."""


@with_config(ANSWER)
class SupervisionTold(TypedDict):
    pairEventId: str
    taskEventId: str
    mode: SupervisionMode
    createdAt: str
    isOver: bool
    """All of its turns have ended."""
    workers: list[WatchedTurn]
    observers: list[WatchedTurn]


@with_config(ANSWER)
class Supervisions(TypedDict):
    items: list[SupervisionTold]
    """Newest first."""
