"""What a driver is given to start a CLI, and what it says of it without or before a session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from groupx.kernel.errors import ErrorCode


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
    run_dir: Path | None = None
    """Where files for one process may lie; the system's folder for temporary ones when None."""
    env: Mapping[str, str] = field(default_factory=dict)
    """Added to the inherited environment. No configuration sets it; it is for who drives a CLI without a room."""
    handshake_ms: int = 15_000
    request_ms: int = 10_000
    close_ms: int = 5_000


MCP_SERVER = "groupx"
"""What the room's MCP server is called in a session: CLIs show its tools by it (`mcp__groupx__ask`)."""


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


class Capability(StrEnum):
    """What an agent may be able to (docs/protocol.md, "Capabilities"): a closed list."""

    PROMPT = "prompt"
    """Answers."""
    STREAM = "stream"
    """Tells its answer piece by piece."""
    REASONING = "reasoning"
    """Shows what it thinks."""
    TOOLS = "tools"
    """Shows the tools of its own that it uses."""
    CANCEL = "cancel"
    """Stops when it is asked to."""
    RESUME = "resume"
    """Goes on with a session in a new process."""
    UNRESTRICTED = "unrestricted"
    """Changes files and runs commands without asking a person."""
    MCP = "mcp"
    """Uses the room's tools."""
    USAGE = "usage"
    """Tells the tokens of a turn."""
    COST = "cost"
    """Tells the cost of a turn."""


class Evidence(StrEnum):
    """How it is known. A driver tells the first three with a session; only a turn makes something verified."""

    UNSUPPORTED = "unsupported"
    """It says that it is not able to, or was last seen not to be."""
    DOCUMENTED = "documented"
    """Somebody says so."""
    PROBED = "probed"
    """Seen without a model."""
    VERIFIED = "verified"
    """Seen in a real turn."""


@dataclass(frozen=True, kw_only=True)
class ProbeResult:
    """What is found without a model: the resolved executable, its version, why it can't be used."""

    driver: str
    executable: str | None
    version: str | None
    problem: str | None = None
    hint: str | None = None


class AdapterError(Exception):
    """A session that could not be opened. `temporary` says whether trying again may help.

    `output` is the last words of the process (at most 2,000 characters), for the agent's card and the admin
    only; it never enters the room. `while_resuming` says that it went wrong while a session was being resumed, so
    that a fresh one may well open.
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
        while_resuming: bool = False,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.temporary = temporary
        self.exit_code = exit_code
        self.output = output
        self.retry_after_seconds = retry_after_seconds
        self.while_resuming = while_resuming
