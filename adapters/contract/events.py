"""What a session tells of one prompt: a closed union that ends with exactly one terminal. Values, no behaviour."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from groupx.kernel.errors import ErrorCode


@dataclass(frozen=True)
class Started:
    """The first frame that belongs to the turn; proves that the prompt was delivered."""

    native_turn_id: str | None = None


@dataclass(frozen=True)
class TextDelta:
    text: str


@dataclass(frozen=True)
class ReasoningDelta:
    text: str


class ToolStatus(StrEnum):
    PENDING = "pending"
    RUNNING = "running"
    COMPLETED = "completed"
    FAILED = "failed"


class ToolPhase(StrEnum):
    """`nativeType` of tool.progress."""

    STARTED = "tool.started"
    UPDATED = "tool.updated"
    COMPLETED = "tool.completed"


@dataclass(frozen=True, kw_only=True)
class ToolEvent:
    """A tool of the agent's own: one STARTED, any number of UPDATED, one COMPLETED (also when it failed).

    `details` is an allow-list of bounded fields: kind, title, input, output, exitCode (of a command that failed),
    locations, diff. `kind` is one of ACP's words: read, edit, delete, move, search, execute, think, fetch, other.
    """

    phase: ToolPhase
    tool_call_id: str
    name: str
    status: ToolStatus
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class UsageReported:
    """What the turn used so far, where the agent tells it so. None is unknown, not zero.

    `cached_tokens` are a part of `input_tokens`, `reasoning_tokens` a part of `output_tokens`, whatever the agent's own
    way of counting is; `total_tokens` is input and output together. A later report of a turn replaces what an earlier
    one said of the same figure.
    """

    input_tokens: int | None = None
    cached_tokens: int | None = None
    output_tokens: int | None = None
    reasoning_tokens: int | None = None
    total_tokens: int | None = None
    cost_usd: float | None = None
    context_used: int | None = None
    context_size: int | None = None


@dataclass(frozen=True)
class ProgressReported:
    """What is neither text, reasoning nor tool: a plan, a retry of the agent's own."""

    kind: str
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True)
class Diagnostic:
    """Something odd that did not stop the turn: noise, unknown update, late text. Counted, never quoted."""

    kind: str
    count: int = 1


# terminals: exactly one ends every prompt
@dataclass(frozen=True)
class Completed:
    """`text` is the whole answer; `stop_reason` is end_turn, max_tokens, max_turn_requests or refusal."""

    text: str
    stop_reason: str = "end_turn"


@dataclass(frozen=True, kw_only=True)
class Failed:
    """`message` is a plain sentence for the room, without stderr; `hint` says what to do next."""

    code: ErrorCode
    message: str
    hint: str | None = None
    retry_after_seconds: float | None = None
    session_lost: bool = False
    """True when this session must not be used again; the process may still be alive."""


@dataclass(frozen=True)
class Cancelled:
    """The native turn ended after our cancel.

    `is_certain`: the agent said itself that it had stopped; False when it reported an ordinary end or an error.
    """

    is_certain: bool = True


@dataclass(frozen=True, kw_only=True)
class Interrupted:
    """The native turn ended without our cancel and without an answer that can be called complete."""

    code: ErrorCode
    message: str


type Terminal = Completed | Failed | Cancelled | Interrupted
type NativeEvent = (
    Started | TextDelta | ReasoningDelta | ToolEvent | UsageReported | ProgressReported | Diagnostic | Terminal
)
