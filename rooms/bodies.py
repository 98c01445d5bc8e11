"""One frozen body per event type: what `body` holds on the wire, and when the event may stand where.

A body knows its type; `append_events` and the live hub take bodies and nothing looser.
"""

from collections.abc import Iterator
from typing import Any

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from .body import Body as Body
from .body import CutWhenLong
from .context_bodies import CompactionCompleted as CompactionCompleted
from .context_bodies import CompactionFailed as CompactionFailed
from .context_bodies import CompactionRetrying as CompactionRetrying
from .context_bodies import CompactionStarted as CompactionStarted
from .context_bodies import ContextReset as ContextReset
from .operator_bodies import OperatorDispatch as OperatorDispatch
from .record_bodies import IdentityRemembered as IdentityRemembered
from .record_bodies import IdentityRetracted as IdentityRetracted
from .record_bodies import IdentitySuperseded as IdentitySuperseded
from .record_bodies import MemoryRemembered as MemoryRemembered
from .record_bodies import MemoryRetracted as MemoryRetracted
from .record_bodies import MemorySuperseded as MemorySuperseded
from .record_bodies import RecordBody as RecordBody
from .record_bodies import ScopeTold as ScopeTold
from .setup_bodies import SetupSaved as SetupSaved
from .supervision_bodies import NamedTurn as NamedTurn
from .supervision_bodies import SupervisionBrief as SupervisionBrief
from .supervision_bodies import SupervisionObserved as SupervisionObserved
from .supervision_bodies import SupervisionPaired as SupervisionPaired
from .supervision_bodies import SupervisionSteered as SupervisionSteered
from .vocabulary import EventType


class MessageCreated(CutWhenLong):
    """A message for everybody to see. An answer has the turn it ends, and stands before that turn's terminal."""

    event_type = EventType.MESSAGE_CREATED
    content: str
    turn_id: str | None = None


class UsageTold(BaseModel):
    """What an agent told of one turn; None is unknown. Cached tokens are a part of the input, reasoning tokens one of
    the output."""

    model_config = ConfigDict(extra="forbid", frozen=True, alias_generator=to_camel, validate_by_name=True)
    input_tokens: int | None = Field(default=None, ge=0)
    cached_tokens: int | None = Field(default=None, ge=0)
    output_tokens: int | None = Field(default=None, ge=0)
    reasoning_tokens: int | None = Field(default=None, ge=0)
    total_tokens: int | None = Field(default=None, ge=0)
    cost_usd: float | None = Field(default=None, ge=0)
    context_used: int | None = Field(default=None, ge=0)
    context_size: int | None = Field(default=None, ge=0)


class TurnBody(Body):
    turn_id: str
    target_actor_id: str


class TurnQueued(TurnBody):
    """After the source event (or the turn it retries), in the same transaction."""

    event_type = EventType.TURN_QUEUED


class AttemptBody(TurnBody):
    attempt_id: str


class TurnDispatched(AttemptBody):
    """A lane took the turn; nothing has reached the agent yet."""

    event_type = EventType.TURN_DISPATCHED


class TurnStarted(AttemptBody):
    """The agent has the prompt."""

    event_type = EventType.TURN_STARTED


class TurnCompleted(TurnBody):
    """Terminal, after the answer. An unusual stop reason comes with a note in plain words."""

    event_type = EventType.TURN_COMPLETED
    attempt_id: str | None = None
    stop_reason: str | None = None
    note: str | None = None
    usage: UsageTold | None = None


class TurnEndedBadly(TurnBody, CutWhenLong):
    attempt_id: str | None = None
    error_code: str | None = None
    message: str | None = None
    hint: str | None = None
    partial_text: str | None = None
    usage: UsageTold | None = None
    paused_until: str | None = None
    """The model's service wants to be left alone until then, so the agent's lane waits."""


class TurnFailed(TurnEndedBadly):
    event_type = EventType.TURN_FAILED


class TurnCancelled(TurnEndedBadly):
    event_type = EventType.TURN_CANCELLED


class TurnInterrupted(TurnEndedBadly):
    event_type = EventType.TURN_INTERRUPTED


class TurnReasoningRecorded(CutWhenLong):
    """At most one per turn, before its tool records, its answer and its terminal."""

    event_type = EventType.TURN_REASONING_RECORDED
    turn_id: str
    content: str
    terminal_status: str


class ToolProgress(CutWhenLong):
    """Live; the page merges by turnId and toolCallId."""

    event_type = EventType.TOOL_PROGRESS
    turn_id: str
    native_type: str
    tool_call_id: str
    name: str
    status: str
    details: dict[str, Any] = {}


class ToolProgressRecorded(ToolProgress):
    """The start or the end of a tool call, in native order; same shape as live."""

    event_type = EventType.TOOL_PROGRESS_RECORDED


class TurnContentDelta(Body):
    """Text since the last delta of this turn. `replace`: the text so far, for a reader that came late. `truncated`:
    only the beginning is told live; `full_length` characters have come."""

    event_type = EventType.TURN_CONTENT_DELTA
    turn_id: str
    chunk_index: int
    text: str
    replace: bool | None = None
    truncated: bool | None = None
    full_length: int | None = None


class TurnReasoningDelta(TurnContentDelta):
    event_type = EventType.TURN_REASONING_DELTA


class TurnProgress(CutWhenLong):
    event_type = EventType.TURN_PROGRESS
    turn_id: str
    kind: str
    details: dict[str, Any] = {}


class AdapterHeartbeat(Body):
    """A running turn was quiet for 15 s; the agent's process lives. With 0 seconds it has called a tool since."""

    event_type = EventType.ADAPTER_HEARTBEAT
    turn_id: str
    quiet_seconds: int


class SessionBody(Body):
    actor_id: str


class SessionStarting(SessionBody):
    event_type = EventType.SESSION_STARTING


class SessionStarted(SessionBody):
    """A fresh native session; `context_lost` when an earlier one could not be resumed."""

    event_type = EventType.SESSION_STARTED
    fresh: bool = True
    context_lost: bool = False
    message: str | None = None


class SessionResumed(SessionBody):
    """Only after the native resume really succeeded."""

    event_type = EventType.SESSION_RESUMED


class SessionReady(SessionBody):
    event_type = EventType.SESSION_READY
    agent_name: str | None = None
    agent_version: str | None = None


class SessionStopped(SessionBody):
    event_type = EventType.SESSION_STOPPED
    reason: str | None = None


class SessionFailed(SessionBody):
    """The session could not be opened; queued turns stay queued."""

    event_type = EventType.SESSION_FAILED
    error_code: str
    message: str
    hint: str | None = None
    exit_code: int | None = None
    paused_until: str | None = None
    """It is tried again then: the model's service wants to be left alone."""


class SessionRetrying(SessionBody):
    event_type = EventType.SESSION_RETRYING
    attempt: int
    max_attempts: int
    next_attempt_at: str
    error_code: str


class RoutingLoopStopped(Body):
    """An agent's call was refused whole because of a limit. Once for each limit of a root, until a person lets them go
    on; for a full queue once for each turn that meets it."""

    event_type = EventType.ROUTING_LOOP_STOPPED
    error_code: str
    limit: str
    """Its name in the configuration."""
    maximum: int
    actor_id: str
    """Who wanted to call …"""
    targets: list[str]
    """… whom …"""
    turn_id: str
    """… out of which turn."""
    message: str
    hint: str
    excerpt: str | None = None
    """How the message begins that waits for a person; absent where none is kept."""


class RoutingLoopReleased(Body):
    """A person let them go on: the limit is higher for this root from here on. Before the message that was kept, in the
    same transaction."""

    event_type = EventType.ROUTING_LOOP_RELEASED
    stopped_event_id: str
    limit: str
    maximum: int
    message: str
    without_message: bool | None = None
    """True where the person dropped the message that was kept; absent otherwise."""


class SystemFailure(Body):
    """A failure of ours that a person should know."""

    event_type = EventType.SYSTEM_ERROR
    error_code: str
    message: str
    hint: str | None = None


def _kinds(body: type[Body]) -> Iterator[type[Body]]:
    for kind in body.__subclasses__():
        if "event_type" in vars(kind):
            yield kind
        yield from _kinds(kind)


BODY_OF: dict[EventType, type[Body]] = {kind.event_type: kind for kind in _kinds(Body)}
"""Every type has exactly one body."""
