"""The fixed words of the log: kinds of actors, types of events, where an event came from."""

from enum import StrEnum
from typing import Final

MAIN_ROOM = "room:main"
SCHEMA: Final = "groupx.event/0.1"
SYSTEM_ACTOR = "system:groupx"
WEB_USER = "user:web"
ASSISTANT_USER = "user:assistant"
WEB_BINDING = "binding:web"
OPERATOR_BINDING = "binding:operator"
SYSTEM_BINDING = "binding:system"


class ActorKind(StrEnum):
    USER = "user"
    AGENT = "agent"
    SYSTEM = "system"


class Durability(StrEnum):
    DURABLE = "durable"
    TRANSIENT = "transient"


class SourceKind(StrEnum):
    WEB = "web"
    ADAPTER = "adapter"
    MCP = "mcp"
    SYSTEM = "system"
    GENERATED_SUMMARY = "generated_summary"
    SUPERVISION = "supervision"
    OPERATOR = "operator"


class EventType(StrEnum):
    """Types that this version writes. A log may hold others; they are kept and shown generically."""

    MESSAGE_CREATED = "message.created"
    TURN_QUEUED = "turn.queued"
    TURN_DISPATCHED = "turn.dispatched"
    TURN_STARTED = "turn.started"
    TURN_COMPLETED = "turn.completed"
    TURN_FAILED = "turn.failed"
    TURN_CANCELLED = "turn.cancelled"
    TURN_INTERRUPTED = "turn.interrupted"
    TURN_REASONING_RECORDED = "turn.reasoning.recorded"
    TOOL_PROGRESS_RECORDED = "tool.progress.recorded"
    SESSION_STARTING = "session.starting"
    SESSION_STARTED = "session.started"
    SESSION_READY = "session.ready"
    SESSION_RESUMED = "session.resumed"
    SESSION_STOPPED = "session.stopped"
    SESSION_FAILED = "session.failed"
    SUPERVISION_PAIRED = "supervision.paired"
    SUPERVISION_BRIEF = "supervision.brief"
    SUPERVISION_OBSERVED = "supervision.observed"
    SUPERVISION_STEERED = "supervision.steered"
    ROUTING_LOOP_STOPPED = "routing.loop_stopped"
    ROUTING_LOOP_RELEASED = "routing.loop_released"
    MEMORY_REMEMBERED = "memory.remembered"
    MEMORY_SUPERSEDED = "memory.superseded"
    MEMORY_RETRACTED = "memory.retracted"
    IDENTITY_REMEMBERED = "identity.remembered"
    IDENTITY_SUPERSEDED = "identity.superseded"
    IDENTITY_RETRACTED = "identity.retracted"
    OPERATOR_DISPATCH = "operator.dispatch"
    CONTEXT_RESET = "context.reset"
    SYSTEM_ERROR = "system.error"
    # transient
    TURN_CONTENT_DELTA = "turn.content.delta"
    TURN_REASONING_DELTA = "turn.reasoning.delta"
    TURN_PROGRESS = "turn.progress"
    TOOL_PROGRESS = "tool.progress"
    ADAPTER_HEARTBEAT = "adapter.heartbeat"
    SESSION_RETRYING = "session.retrying"
    CONTEXT_COMPACTION_STARTED = "context.compaction.started"
    CONTEXT_COMPACTION_RETRYING = "context.compaction.retrying"
    CONTEXT_COMPACTION_COMPLETED = "context.compaction.completed"
    CONTEXT_COMPACTION_FAILED = "context.compaction.failed"
    SETUP_SAVED = "setup.saved"


FORBIDDEN_TYPE_PREFIXES = ("approval.", "permission.", "user_input.")
"""Never stored: there is no approval system."""

CONTEXT_TYPES = (EventType.MESSAGE_CREATED.value, EventType.OPERATOR_DISPATCH.value)
"""What a context packet may be made of; nothing else of the log ever reaches an agent."""
