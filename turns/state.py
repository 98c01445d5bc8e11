"""Statuses of turns and attempts, and the one table of allowed moves (docs/turns.md). Pure."""

from enum import StrEnum


class TurnStatus(StrEnum):
    QUEUED = "queued"
    DISPATCHING = "dispatching"
    RUNNING = "running"
    CANCELLING = "cancelling"
    COMPLETED = "completed"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"

    @property
    def is_terminal(self) -> bool:
        return self in TERMINAL

    @property
    def is_retryable(self) -> bool:
        return self in (TurnStatus.FAILED, TurnStatus.CANCELLED, TurnStatus.INTERRUPTED)


TERMINAL = frozenset({TurnStatus.COMPLETED, TurnStatus.FAILED, TurnStatus.CANCELLED, TurnStatus.INTERRUPTED})
WITH_A_LANE = frozenset({TurnStatus.DISPATCHING, TurnStatus.RUNNING, TurnStatus.CANCELLING})
OPEN = WITH_A_LANE | {TurnStatus.QUEUED}

MOVES: dict[TurnStatus, frozenset[TurnStatus]] = {
    TurnStatus.QUEUED: frozenset({TurnStatus.DISPATCHING, TurnStatus.CANCELLED}),
    TurnStatus.DISPATCHING: frozenset(
        {
            TurnStatus.RUNNING,
            TurnStatus.CANCELLING,
            TurnStatus.QUEUED,  # recovery only, and only when nothing left the lane
            TurnStatus.FAILED,
            TurnStatus.INTERRUPTED,
            TurnStatus.CANCELLED,
        }
    ),
    TurnStatus.RUNNING: frozenset({TurnStatus.CANCELLING}) | TERMINAL,
    TurnStatus.CANCELLING: TERMINAL,
    TurnStatus.COMPLETED: frozenset(),
    TurnStatus.FAILED: frozenset(),
    TurnStatus.CANCELLED: frozenset(),
    TurnStatus.INTERRUPTED: frozenset(),
}


def sources_of(new: TurnStatus) -> frozenset[TurnStatus]:
    """The statuses from which a turn may become `new`."""
    return frozenset(old for old, allowed in MOVES.items() if new in allowed)


class DispatchPhase(StrEnum):
    PREPARED = "prepared"
    PROMPT_INVOKED = "prompt_invoked"
    NATIVE_STARTED = "native_started"
    TERMINAL = "terminal"


class DeliveryCertainty(StrEnum):
    NOT_DELIVERED = "not_delivered"
    UNKNOWN = "unknown"
    DELIVERED = "delivered"


class Transport(StrEnum):
    """`direct` stands in old logs only; everything that runs is structured."""

    DIRECT = "direct"
    STRUCTURED = "structured"


class CommandType(StrEnum):
    """What a turn came from."""

    MESSAGE = "message"
    RETRY = "retry"
    SEND = "mcp.send"
    ASK = "mcp.ask"
    OPERATOR_SEND = "operator.send"
    WORKER_DISPATCH = "operator.worker_dispatch"
    WORKER_ASK = "operator.worker_ask"
    DISPATCH_EVENT = "operator.dispatch_event"
    WATCH = "supervision.watch"
    STEER = "supervision.steer"


class SupervisionMode(StrEnum):
    LIVE_STEER = "live_steer"


class SupervisionRole(StrEnum):
    WORKER = "worker"
    OBSERVER = "observer"


class SteerAction(StrEnum):
    NUDGE = "nudge"
    """The guidance is the worker's next turn."""
    INTERRUPT = "interrupt"
    """The same, and the turn that is watched is cancelled."""


class JobKind(StrEnum):
    """What an agent may be asked outside a turn."""

    SUMMARY = "summary"
    """A block of the room's older messages is to be summed up."""
    ROLLUP = "rollup"
    """Its own day is to be remembered."""


class JobStatus(StrEnum):
    WAITING = "waiting"
    TAKEN = "taken"
    DONE = "done"
    FAILED = "failed"


class LaneStatus(StrEnum):
    """What an agent's card says (docs/protocol.md, "Agents")."""

    STARTING = "starting"
    READY = "ready"
    WORKING = "working"
    RETRYING = "retrying"
    PAUSED = "paused"
    FAILED = "failed"
    NATIVE_POLICY_BLOCKED = "native_policy_blocked"
    STOPPED = "stopped"
    DISABLED = "disabled"
    PENDING_RESTART = "pending_restart"


RESTING = frozenset(
    {
        LaneStatus.PAUSED,
        LaneStatus.FAILED,
        LaneStatus.NATIVE_POLICY_BLOCKED,
        LaneStatus.STOPPED,
        LaneStatus.DISABLED,
        LaneStatus.PENDING_RESTART,
    }
)
"""Lanes that take up nothing soon."""


class PauseKind(StrEnum):
    """Why a lane leaves its queue alone until a moment that is known (docs/turns.md, "Pauses")."""

    RATE_LIMIT = "rate_limit"
    """The model's service asked for it."""
    SPEND_LIMIT = "spend_limit"
    """The day's limit of the configuration is reached."""
