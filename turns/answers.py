"""What clients are told of turns, agents and the room (docs/protocol.md, "Turns", "Reading", "Agents"). Pure."""

from typing import Any, Literal, NotRequired, TypedDict

from pydantic import with_config

from adapters.contract import Capability, Evidence
from groupx.kernel.answers import ANSWER
from rooms.answers import Event
from turns.chain import ChainLimit
from turns.member_answers import SentTurn
from turns.state import DeliveryCertainty, DispatchPhase, LaneStatus, PauseKind, SteerAction, Transport, TurnStatus
from turns.usage_answers import UsageOfTurn


# ---------------------------------------------------------------- agents
@with_config(ANSWER)
class Cli(TypedDict):
    name: str
    """As the program calls itself."""
    version: str
    """Empty where it does not tell it."""


@with_config(ANSWER)
class CapabilityKnown(TypedDict):
    evidence: Evidence
    seenAt: str
    """When it came to be known in this way."""


@with_config(ANSWER)
class Agent(TypedDict):
    actorId: str
    displayName: str
    driver: str
    enabled: bool
    status: LaneStatus
    statusText: str
    """What it is doing or why it cannot, in words; may be empty."""
    capabilities: dict[Capability, CapabilityKnown]
    """What this version of its CLI is able to, and how that is known; what is not known is not in it."""
    cli: NotRequired[Cli]
    """Absent until a session has opened."""
    queueLength: int
    """Open turns, the running one too."""
    activeTurnId: NotRequired[str]
    pausedFor: NotRequired[PauseKind]
    """Why its queue waits, while it is paused …"""
    pausedUntil: NotRequired[str]
    """… and when it goes on by itself."""


@with_config(ANSWER)
class AgentError(TypedDict):
    code: str
    message: str
    output: str
    """Its last words, at most 2,000 characters."""
    exitCode: NotRequired[int]
    hint: NotRequired[str]


class AgentInFull(Agent):
    cwd: str
    identity: str
    lastError: NotRequired[AgentError]


@with_config(ANSWER)
class Agents(TypedDict):
    items: list[AgentInFull]
    """In the order of the configuration."""


@with_config(ANSWER)
class RestartAccepted(TypedDict):
    actorId: str
    accepted: bool
    previousInstanceId: NotRequired[str]


@with_config(ANSWER)
class ResumeAccepted(TypedDict):
    actorId: str
    accepted: bool
    """False when it was neither paused nor given up."""
    pausedFor: NotRequired[PauseKind]
    """The pause that is over now."""


@with_config(ANSWER)
class FreshSessionAccepted(TypedDict):
    actorId: str
    accepted: bool


# ---------------------------------------------------------------- the room
@with_config(ANSWER)
class RoomNamed(TypedDict):
    roomId: str
    title: str


@with_config(ANSWER)
class ClientLimits(TypedDict):
    messageCharacters: int
    """Code points of one message."""
    contextCharacters: int
    """Code points of what an agent is given for one turn, at most."""
    queuePerAgent: int
    targets: int
    """Agents that one message may name."""


@with_config(ANSWER)
class ActiveTurn(TypedDict):
    turnId: str
    targetActorId: str
    status: TurnStatus
    sourceEventId: str


@with_config(ANSWER)
class Bootstrap(TypedDict):
    """All of one moment."""

    room: RoomNamed
    epoch: str
    """Changes when the database is replaced; cursors of another epoch mean nothing."""
    cursor: int
    """The newest seq this snapshot contains."""
    transport: Transport
    limits: ClientLimits
    agents: list[Agent]
    activeTurns: list[ActiveTurn]
    """Every turn that has not ended, waiting ones too."""
    recentEvents: list[Event]
    """The newest 200, oldest first."""


# ---------------------------------------------------------------- turns
@with_config(ANSWER)
class QueuedTurn(TypedDict):
    target: str
    turnId: str
    status: Literal[TurnStatus.QUEUED]
    transport: Transport
    queuePosition: NotRequired[int]
    """Open turns ahead of it then, the running one too."""
    activeTurnId: NotRequired[str]
    """The one that its agent was working on."""


@with_config(ANSWER)
class MessageAccepted(TypedDict):
    messageEventId: str
    correlationId: str
    turns: list[QueuedTurn]
    """Of those who are to work on it."""
    watchTurns: NotRequired[list[QueuedTurn]]
    """Of the observers; absent without `supervision`, as the two below."""
    watchEventId: NotRequired[str]
    """supervision.brief: what the watch turns were made for."""
    pairEventId: NotRequired[str]
    """supervision.paired."""


@with_config(ANSWER)
class Steered(TypedDict):
    action: SteerAction
    subjectTurnId: str
    subjectStatus: TurnStatus
    """After it."""
    steerEventId: str
    messageEventId: str
    """The guidance."""
    nextTurn: SentTurn
    """That the guidance has queued for the worker."""
    steers: int
    """Of the subject turn, this one too."""
    steersLeft: int


@with_config(ANSWER)
class Published(TypedDict):
    messageEventId: str
    correlationId: str


@with_config(ANSWER)
class LimitGranted(TypedDict):
    rootCorrelationId: str
    limit: ChainLimit
    maximum: int
    """What it is for this root now."""
    stoppedEventId: str
    """The routing.loop_stopped that this answers."""
    messageEventId: NotRequired[str]
    """The message that waited, sent now. Absent where another limit is in its way (it waits there), where it was
    dropped or a steer, and where the agent has used its clientCommandId for something else."""


@with_config(ANSWER)
class CancelAccepted(TypedDict):
    turnId: str
    accepted: bool
    """False when the turn had ended before."""
    status: TurnStatus


class RetryAccepted(QueuedTurn):
    retryOf: str


@with_config(ANSWER)
class SummaryGiven(TypedDict):
    summaryThroughSeq: NotRequired[int]
    """Up to this seq a summary stood for what was said."""


@with_config(ANSWER)
class Attempt(SummaryGiven):
    """One delivery of the turn."""

    attemptId: str
    turnId: str
    number: int
    dispatchPhase: DispatchPhase
    deliveryCertainty: DeliveryCertainty
    contextAfterSeq: int | None
    """The agent was given the room after this seq …"""
    contextThroughSeq: int
    """… up to this one."""
    packetCharacters: int | None
    """Null while nothing was sent."""
    omissions: dict[str, int]
    cancelSteps: list[dict[str, Any]]
    preparedAt: NotRequired[str]
    invokedAt: NotRequired[str]
    startedAt: NotRequired[str]
    endedAt: NotRequired[str]


@with_config(ANSWER)
class Turn(TypedDict):
    turnId: str
    targetActorId: str
    status: TurnStatus
    transport: Transport
    sourceEventId: str
    correlationId: str
    rootCorrelationId: str
    hopCount: int
    createdAt: str
    usage: UsageOfTurn
    """As the agent told it."""
    attempts: list[Attempt]
    endedAt: NotRequired[str]
    errorCode: NotRequired[str]
    message: NotRequired[str]
    stopReason: NotRequired[str]
    retryOf: NotRequired[str]
    retriedBy: NotRequired[str]
    partialText: NotRequired[str]
    """What it has said while it runs, or had said when it did not end well; cut where it is long."""
    truncated: NotRequired[bool]
    fullLength: NotRequired[int]


@with_config(ANSWER)
class Packet(SummaryGiven):
    turnId: str
    text: str
    omissions: dict[str, int]
    """What was left out for length, by section."""
