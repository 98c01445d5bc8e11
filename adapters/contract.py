"""The contract between a lane and whatever drives a native CLI.

Above this line nobody knows a vendor's wire; below it nobody knows turns, events or the database. Values are
frozen, everything is asyncio. A driver bounds its own requests (handshake, mode, load); the limits of a turn
(first event, idle, total, cancel) belong to the caller, since they are the same for every driver.
"""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Protocol

from groupx.kernel.errors import ErrorCode


# ---------------------------------------------------------------- what is started
@dataclass(frozen=True, kw_only=True)
class AgentSpec:
    """One configured agent, as its driver needs it."""

    agent_id: str
    driver: str
    argv: tuple[str, ...]
    """The command as configured (executable and prefix arguments), without the profile's own arguments."""
    args: tuple[str, ...] = ()
    """More arguments, only for the open `acp` driver."""
    mode: str | None = None
    """The session mode to set, only for the open `acp` driver."""
    cwd: Path
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the inherited environment. No configuration sets it; it is for who drives a CLI without a room."""
    handshake_ms: int = 15_000
    request_ms: int = 10_000
    close_ms: int = 5_000


@dataclass(frozen=True, kw_only=True)
class McpEndpoint:
    """The room's MCP server as one session sees it."""

    url: str
    binding_handle: str = field(repr=False)


@dataclass(frozen=True, kw_only=True)
class OpenedProcess:
    """Enough to find a CLI again: a pid alone may have been given to another program since."""

    pid: int
    started_at: float
    """When it began, as `adapters.process_identity.start_of` gives it: seconds since the machine booted on Linux,
    where no step of the wall clock changes it; seconds since the epoch elsewhere."""


# ---------------------------------------------------------------- what is told
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

    `details` is an allow-list of bounded fields: kind, title, input, output, locations, diff.
    """

    phase: ToolPhase
    tool_call_id: str
    name: str
    status: ToolStatus
    details: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class UsageReported:
    """Per turn where the agent tells it so. None is unknown, not zero."""

    input_tokens: int | None = None
    output_tokens: int | None = None
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
    """The native turn ended because of our cancel."""


@dataclass(frozen=True, kw_only=True)
class Interrupted:
    """The native turn ended without our cancel and without an answer that can be called complete."""

    code: ErrorCode
    message: str


type Terminal = Completed | Failed | Cancelled | Interrupted
type NativeEvent = (
    Started | TextDelta | ReasoningDelta | ToolEvent | UsageReported | ProgressReported | Diagnostic | Terminal
)


class AdapterError(Exception):
    """A session that could not be opened. `temporary` says whether trying again may help.

    `output` is the last words of the process (at most 2,000 characters), for the agent's card and the admin
    only; it never enters the room.
    """

    def __init__(
        self,
        code: ErrorCode,
        message: str,
        *,
        hint: str | None = None,
        temporary: bool = False,
        exit_code: int | None = None,
        output: str = "",
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.temporary = temporary
        self.exit_code = exit_code
        self.output = output
        self.retry_after_seconds = retry_after_seconds


# ---------------------------------------------------------------- capabilities
class Evidence(StrEnum):
    DOCUMENTED = "documented"
    PROBED = "probed"
    VERIFIED = "verified"


@dataclass(frozen=True, kw_only=True)
class ProbeResult:
    """What is found without a model: the resolved executable, its version, why it can't be used."""

    driver: str
    executable: str | None
    version: str | None
    problem: str | None = None
    hint: str | None = None


@dataclass(frozen=True, kw_only=True)
class SessionInfo:
    """What the handshake told. `capabilities` maps a name (resume, mcp, stream, …) to its evidence."""

    native_session_id: str
    resumed: bool
    """True only when the native resume really succeeded."""
    context_lost: bool
    """True when a resume was asked for and a fresh session had to be opened instead."""
    agent_name: str | None
    agent_version: str | None
    process: OpenedProcess
    capabilities: Mapping[str, Evidence] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class SessionLoss:
    """Why a session became unusable by itself.

    `code` is NATIVE_EXITED (its process or its output ended), PROTOCOL_INVALID_MESSAGE or NATIVE_SESSION_LOST
    (it reads nothing any more); `message` is a plain sentence for the card, without anything the agent printed.
    """

    code: ErrorCode
    message: str
    exit_code: int | None = None
    """Of a process that has ended (negative: the signal)."""


# ---------------------------------------------------------------- the two protocols
class Session(Protocol):
    """One native session on one process. One prompt at a time: the caller serialises."""

    info: SessionInfo

    def prompt(self, text: str) -> AsyncIterator[NativeEvent]:
        """Send `text` once. Yields events in native order and ends with exactly one terminal.

        Never raises for what an agent does wrong; never sends the text a second time. A text over the line
        limit is Failed before anything was sent. Text is yielded as the agent sent it, but for NUL and lone
        surrogates, which become U+FFFD.
        """
        ...

    async def cancel(self) -> None:
        """Ask the native turn to stop; returns at once. Does nothing when no prompt is open.

        A prompt is open from the first step of its iterator to its terminal. While its text is still being
        written, the cancel is sent right behind it.
        """
        ...

    async def settled(self, timeout_seconds: float) -> bool:
        """Wait until the native side has nothing of an earlier prompt left; False: replace the session."""
        ...

    @property
    def usable(self) -> bool:
        """False once the process is gone or its protocol is broken. No I/O."""
        ...

    @property
    def loss(self) -> SessionLoss | None:
        """Why the session is not usable any more; None while it is, and when its end began with `close`."""
        ...

    @property
    def exit_code(self) -> int | None:
        """The exit code of a process that has ended (negative: the signal), None while it runs."""
        ...

    @property
    def last_words(self) -> str:
        """The end of standard error, at most 2,000 characters, for the card and the admin."""
        ...

    async def gone(self) -> None:
        """Returns when the session is not usable any more, whatever the reason."""
        ...

    async def close(self) -> None:
        """Ordered end of the whole process group: end of stdin, TERM, KILL, each bounded; reaped. Idempotent."""
        ...


class Driver(Protocol):
    """One kind of CLI. Stateless: sessions hold the state."""

    name: str

    async def probe(self, argv: tuple[str, ...] | None = None) -> ProbeResult:
        """Find the executable and its version without starting a session. Bounded to a few seconds."""
        ...

    async def open(
        self,
        spec: AgentSpec,
        mcp: McpEndpoint | None,
        resume: str | None,
        on_spawn: Callable[[OpenedProcess], None] | None = None,
    ) -> Session:
        """Spawn, shake hands, open or resume a session, set the unrestricted mode.

        A resume that fails in any of its disguises ends in a fresh session with `info.context_lost`. `on_spawn`
        is told of each process as soon as it exists, before anything is said to it; a start that is repeated
        without a flag has several, one after the other.

        Whatever is raised, a cancellation too, the process has been ended and reaped before.

        Raises:
            AdapterError: COMMAND_NOT_FOUND, NATIVE_START_FAILED, NATIVE_AUTH_REQUIRED, NATIVE_RATE_LIMITED,
                NATIVE_POLICY_BLOCKED, PROTOCOL_INVALID_MESSAGE.
        """
        ...
