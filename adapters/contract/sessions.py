"""The two protocols: a driver opens sessions, a session takes one prompt at a time."""

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from typing import Protocol

from adapters.contract.events import NativeEvent
from adapters.contract.starting import AgentSpec, Capability, Evidence, McpEndpoint, OpenedProcess, ProbeResult
from groupx.kernel.errors import ErrorCode


@dataclass(frozen=True, kw_only=True)
class SessionInfo:
    """What the handshake told. `capabilities` has what is known before any turn; what is not in it is not known."""

    native_session_id: str
    resumed: bool
    """True only when the native resume really succeeded."""
    context_lost: bool
    """True when a resume was asked for and a fresh session had to be opened instead."""
    agent_name: str | None
    agent_version: str | None
    process: OpenedProcess
    capabilities: Mapping[Capability, Evidence] = field(default_factory=dict)


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


@dataclass(frozen=True, kw_only=True)
class StopRecord:
    """How a process ended, in milliseconds since its end was asked for; None is a step that was not needed."""

    exit_code: int | None
    terminated_ms: int | None
    killed_ms: int | None
    ended_ms: int
    survivors: int


class Session(Protocol):
    """One native session on one process. One prompt at a time: the caller serialises."""

    info: SessionInfo

    def prompt(self, text: str) -> AsyncIterator[NativeEvent]:
        """Send `text` once. Yields events in native order and ends with exactly one terminal.

        Never raises for what an agent does wrong; never sends the text a second time. A text over the line
        limit is Failed before anything was sent. Text is yielded as the agent sent it, but for NUL and lone
        surrogates, which become U+FFFD; blocks of it that an agent tells apart have an empty line between them.
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

    async def close(self) -> StopRecord:
        """Ordered end of the whole process group: end of stdin, TERM, KILL, each bounded; reaped.

        Idempotent: whoever asks again is told of the same end.
        """
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
