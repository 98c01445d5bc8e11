"""What a channel is asked and what it answers. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

TIMEOUT_SECONDS = 600.0
ARGUMENT_PROMPT_BYTES = 100_000
"""For a prompt that is an argument: Linux takes 128 KiB in one."""
STDERR_CHARACTERS = 2_000


@dataclass(frozen=True, kw_only=True)
class Task:
    """One run of one member."""

    prompt: str
    cwd: Path
    env: Mapping[str, str]
    """The whole environment of the run, nothing is added from elsewhere."""
    model: str | None = None
    """As the CLI calls it; None leaves its own choice."""
    command: tuple[str, ...] = ()
    """For the channel `command`: program and arguments."""
    timeout_seconds: float = TIMEOUT_SECONDS
    raw_folder: Path | None = None
    """Where the raw output and the arguments of the run are kept, for looking at what a CLI really said."""
    label: str = ""
    """Who runs, for the names of these files."""


@dataclass(frozen=True, kw_only=True)
class Answer:
    text: str
    cost: float | None = None
    """US dollars, where the CLI tells."""
    tokens: Mapping[str, int] | None = None
    """Of `input`, `output`, `reasoning`, `cacheRead`, `cacheWrite`, `total` those that the CLI tells."""


class ChannelFailed(Exception):
    """No answer. `reason` is one line for a person, `output` the end of what the CLI wrote to standard error."""

    def __init__(self, reason: str, output: str = "") -> None:
        super().__init__(reason)
        self.reason = " ".join(reason.split())
        self.output = output[-STDERR_CHARACTERS:]


class NativeError(Exception):
    """The CLI says itself that it failed; the message is its own."""


class Channel(Protocol):
    @property
    def name(self) -> str:
        """As members name it in `transport`."""

    @property
    def executables(self) -> tuple[str, ...]:
        """Programs that it needs one of; empty where it needs none or the member names it."""

    @property
    def prompt_bytes(self) -> int | None:
        """The longest prompt it can take; None: any."""

    def run(self, task: Task) -> Answer:
        """Ask once and wait.

        Raises:
            ChannelFailed: not found, time-out, an error, or nothing said. Nothing of the run lives any more.
        """
