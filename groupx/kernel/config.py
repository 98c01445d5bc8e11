"""The typed configuration: what groupx.json says, checked and frozen.

JSON names are camelCase and those of docs/configuration.md; ranges and defaults stand beside the fields.
Paths in here are absolute: config_file.py resolved them against the file's own folder. Code gets the section
it needs (`limits: Limits`), never the Django settings.
"""

import re
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from pydantic import AfterValidator, BaseModel, ConfigDict, Discriminator, Field, Tag, model_validator

from .canonical import fingerprint
from .days import LocalDays
from .drivers import OPEN_DRIVER
from .shapes import OwnShape

AGENT_ID = re.compile(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,62}[A-Za-z0-9])?")
MAX_MESSAGE_CHARACTERS = 131_072
MAX_NAME_CHARACTERS = 64
MAX_WORDS_CHARACTERS = 32_768
"""Of an identity and of what the assistant is told besides."""
DEFAULT_PORT = 4310
DEFAULT_STORAGE = ".groupx/groupx.db"
RESERVED_AGENT_IDS = frozenset({"assistant", "__assistant__"})
LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "::1")


class Section(OwnShape):
    """One part of the file."""


def _loopback(value: str) -> str:
    if value not in LOOPBACK_HOSTS:
        raise ValueError(f"it must be one of {', '.join(LOOPBACK_HOSTS)}, GroupX listens on this machine only")
    return value


class Server(Section):
    host: Annotated[str, AfterValidator(_loopback)] = "127.0.0.1"
    port: int = Field(default=DEFAULT_PORT, ge=1, le=65_535)

    @property
    def authority(self) -> str:
        """Host and port as they stand in URLs and in the Host header."""
        return f"{f'[{self.host}]' if ':' in self.host else self.host}:{self.port}"


class Storage(Section):
    path: str = DEFAULT_STORAGE


class Bus(Section):
    """The file bus that the pages below /bus/ show."""

    home: str | None = Field(default=None, min_length=1)


class Command(Section):
    """An executable with at most one existing script before the arguments we add; never a shell, never flags."""

    executable: str = Field(min_length=1)
    prefix_args: list[str] = Field(default_factory=list, max_length=1)


def _kind_of_command(value: object) -> str:
    return "name" if isinstance(value, str) else "program"


AnyCommand = Annotated[
    Annotated[Annotated[str, Field(min_length=1)], Tag("name")] | Annotated[Command, Tag("program")],
    Discriminator(_kind_of_command),
]


class SpendLimit(Section):
    """What an agent may use on one day of `timeZone` before its lane pauses."""

    tokens_per_day: int | None = Field(default=None, ge=1, le=1_000_000_000_000)
    cost_per_day: float | None = Field(default=None, ge=0.0001, le=1_000_000, allow_inf_nan=False)
    """US dollars, as agents tell their cost."""

    @model_validator(mode="after")
    def _limits_something(self) -> "SpendLimit":
        if self.tokens_per_day is None and self.cost_per_day is None:
            raise ValueError("it needs tokensPerDay, costPerDay or both, and is left out for no limit")
        return self


def argv_of(command: str | Command) -> tuple[str, ...]:
    return (command,) if isinstance(command, str) else (command.executable, *command.prefix_args)


class Agent(Section):
    driver: str
    name: str | None = Field(default=None, min_length=1, max_length=MAX_NAME_CHARACTERS)
    identity: str | None = Field(default=None, max_length=MAX_WORDS_CHARACTERS)
    command: AnyCommand
    args: list[str] = Field(default_factory=list)
    mode: str | None = None
    cwd: str = "."
    enabled: bool = True
    spend_limit: SpendLimit | None = None

    @property
    def argv(self) -> tuple[str, ...]:
        return argv_of(self.command)

    @model_validator(mode="after")
    def _args_belong_to_the_open_driver(self) -> "Agent":
        if self.driver != OPEN_DRIVER and (self.args or self.mode):
            raise ValueError("args and mode are for the driver “acp” only, the other drivers know their own")
        return self


class Brain(Section):
    driver: str
    command: AnyCommand
    cwd: str = "."

    @property
    def argv(self) -> tuple[str, ...]:
        return argv_of(self.command)


class Assistant(Section):
    enabled: bool = False
    name: str = Field(default="Assistant", min_length=1, max_length=MAX_NAME_CHARACTERS)
    brain: Brain
    extra_instructions: str = Field(default="", max_length=MAX_WORDS_CHARACTERS)


class Limits(Section):
    message_characters: int = Field(default=MAX_MESSAGE_CHARACTERS, ge=1, le=MAX_MESSAGE_CHARACTERS)
    queue_per_agent: int = Field(default=64, ge=1, le=10_000)
    root_turns: int = Field(default=48, ge=1, le=1_000)
    hop_count: int = Field(default=24, ge=1, le=1_000)
    actor_calls_per_root: int = Field(default=16, ge=1, le=1_000)
    steers_per_subject_turn: int = Field(default=3, ge=1, le=16)
    context_characters: int = Field(default=256_000, ge=1_024, le=10_000_000)
    sse_events: int = Field(default=512, ge=8, le=100_000)
    sse_bytes: int = Field(default=2_097_152, ge=16_384, le=100_000_000)


class Timeouts(Section):
    """Milliseconds."""

    handshake_ms: int = Field(default=15_000, ge=100, le=300_000)
    request_ms: int = Field(default=10_000, ge=100, le=300_000)
    cancel_ms: int = Field(default=10_000, ge=100, le=300_000)
    close_ms: int = Field(default=5_000, ge=100, le=300_000)
    first_event_ms: int = Field(default=180_000, ge=100, le=3_600_000)
    idle_ms: int = Field(default=300_000, ge=100, le=3_600_000)
    ask_ms: int = Field(default=120_000, ge=100, le=3_600_000)
    watch_ms: int = Field(default=120_000, ge=100, le=3_600_000)
    turn_ms: int = Field(default=14_400_000, ge=100, le=86_400_000)


def _known_zone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        raise ValueError("it must be the name of a time zone, as in “Europe/Berlin”") from None
    return value


def _agent_id(value: str) -> str:
    if value in RESERVED_AGENT_IDS:
        raise ValueError("this id is reserved")
    if not AGENT_ID.fullmatch(value):
        raise ValueError("an id has letters and digits, with . _ - inside, at most 64")
    return value


class GroupXConfig(Section):
    transport: Literal["structured"] = "structured"
    time_zone: Annotated[str, AfterValidator(_known_zone)] | None = None
    """Whose days are meant where days are counted; None is the system's."""
    server: Server = Server()
    storage: Storage = Storage()
    bus: Bus = Bus()
    agents: dict[Annotated[str, AfterValidator(_agent_id)], Agent]
    assistant: Assistant | None = None
    limits: Limits = Limits()
    timeouts: Timeouts = Timeouts()

    @property
    def days(self) -> LocalDays:
        return LocalDays(ZoneInfo(self.time_zone) if self.time_zone else None)

    @property
    def has_assistant(self) -> bool:
        return self.assistant is not None and self.assistant.enabled

    @property
    def enabled_agents(self) -> dict[str, Agent]:
        return {agent_id: agent for agent_id, agent in self.agents.items() if agent.enabled}


class RunConfig(BaseModel):
    """One run's snapshot: the configuration with absolute paths and where it came from."""

    model_config = ConfigDict(frozen=True)

    config_path: Path
    config: GroupXConfig
    runtime_key: str
    given_port: int | None = None
    """The port of the command line (`--port`), which the configuration has instead of that of its file."""
    is_setup: bool = False
    """There was no configuration file: nothing runs but the setup, which writes one."""

    @property
    def state_dir(self) -> Path:
        """Private files of this room: secret key, run files, by default the database. 0700."""
        return self.config_path.parent / ".groupx"

    @property
    def run_dir(self) -> Path:
        return self.state_dir / "run"

    @property
    def database_path(self) -> Path:
        return Path(self.config.storage.path)

    @property
    def runtime_scope_key(self) -> str:
        """Which room this is: stays the same when the file's content changes."""
        return fingerprint(str(self.config_path))

    @property
    def origin(self) -> str:
        return f"http://{self.config.server.authority}"


def read_run_config(path: Path) -> RunConfig:
    """The snapshot that the parent process wrote for all processes of its run."""
    return RunConfig.model_validate_json(path.read_text(encoding="utf-8"), strict=False)
