"""What an observer is told by `watch` (docs/mcp.md). Pure."""

from typing import Literal, NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER
from turns.state import DeliveryCertainty, SteerAction, TurnStatus

WatchState = Literal["milestone", "terminal", "subject_cancelled", "waits_for_you", "pending"]
"""waits_for_you: the turn cannot begin before yours has ended. pending: nothing new within the time."""


@with_config(ANSWER)
class Milestone(TypedDict):
    kind: Literal["turn_started", "tool", "message", "steered", "terminal"]
    seq: NotRequired[int]
    """Of its event; absent of what was told live."""
    toolCallId: NotRequired[str]
    name: NotRequired[str]
    """Of the tool."""
    status: NotRequired[str]
    """Of the tool, or the one with which the turn ended."""
    eventId: NotRequired[str]
    """Of a message that is in the room; absent of text that still grows."""
    excerpt: NotRequired[str]
    action: NotRequired[SteerAction]
    reason: NotRequired[str]


@with_config(ANSWER)
class WatchedTool(TypedDict):
    toolCallId: str
    name: str
    status: str


@with_config(ANSWER)
class WatchedMessage(TypedDict):
    eventId: str
    excerpt: str


@with_config(ANSWER)
class Task(TypedDict):
    eventId: str
    excerpt: str


@with_config(ANSWER)
class Snapshot(TypedDict):
    subjectTurnId: str
    agent: str
    status: TurnStatus
    deliveryCertainty: DeliveryCertainty
    task: Task
    """What this turn was given."""
    messages: list[WatchedMessage]
    """What the worker has said in the room in this turn, newest last."""
    textSoFar: str
    """The end of the answer that it is writing."""
    tools: list[WatchedTool]
    """The last ones, newest last."""
    steers: int
    """Of this turn."""
    lastSteerReason: NotRequired[str]
    errorCode: NotRequired[str]


@with_config(ANSWER)
class WorkerNamed(TypedDict):
    turnId: str
    agent: str
    status: TurnStatus


@with_config(ANSWER)
class Watched(TypedDict):
    state: WatchState
    milestones: list[Milestone]
    """What you have not been told yet, oldest first."""
    snapshot: Snapshot
    workers: list[WorkerNamed]
    """All turns that you watch, oldest first."""
    nextAfterSeq: int
    note: NotRequired[str]
