"""What the setup tells: shapes of its answers."""

from typing import Literal, NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER
from groupx.kernel.errors import ErrorCode


@with_config(ANSWER)
class CommandTold(TypedDict):
    executable: str
    prefixArgs: NotRequired[list[str]]
    """One script at the most."""


@with_config(ANSWER)
class AgentDraftTold(TypedDict):
    id: str
    driver: str
    name: str
    """Empty where the file has none: the id is shown then."""
    identity: str
    command: str | CommandTold
    cwd: str
    """As in the file: may be relative to its folder."""
    enabled: bool
    args: NotRequired[list[str]]
    """Of the driver “acp” only."""
    mode: NotRequired[str]


@with_config(ANSWER)
class BrainDraftTold(TypedDict):
    driver: str
    command: str | CommandTold
    cwd: str


@with_config(ANSWER)
class AssistantDraftTold(TypedDict):
    enabled: bool
    name: str
    brain: BrainDraftTold
    extraInstructions: str


@with_config(ANSWER)
class DraftTold(TypedDict):
    serverPort: int
    storagePath: str
    agents: list[AgentDraftTold]
    assistant: NotRequired[AssistantDraftTold]
    """Absent where the file has none."""


@with_config(ANSWER)
class DriverFound(TypedDict):
    """One kind of CLI that an agent may be of."""

    driver: str
    label: str
    """As people know it."""
    found: bool
    command: NotRequired[str]
    """The path of its program."""
    version: NotRequired[str]
    problem: NotRequired[str]
    """Why it cannot be used, or not yet."""
    hint: NotRequired[str]
    """What to do about that."""
    install: NotRequired[str]
    """A command that installs it; absent for the open driver “acp”."""


@with_config(ANSWER)
class SetupTold(TypedDict):
    configPath: str
    existing: bool
    """There is such a file."""
    runtimeActive: bool
    """A room runs with it; false in the setup before the first start."""
    drivers: list[DriverFound]
    config: DraftTold
    suggested: NotRequired[DraftTold]
    """Where there is no file: made of what is installed, the assistant among it."""
    problem: NotRequired[str]
    """What is wrong with the file; `config` is what the room runs with then, and saving is refused."""


@with_config(ANSWER)
class SetupSaved(TypedDict):
    saved: Literal[True]
    restartRequired: bool
    """The room runs with something else until it is restarted."""
    configPath: str
    backupPath: NotRequired[str]
    """The file as it was before; absent where there was none, or nothing has changed."""
    agents: list[str]
    """Their ids, in the file's order."""


@with_config(ANSWER)
class LaunchTold(TypedDict):
    """How far the start after the first save is."""

    status: Literal["waiting", "starting", "failed", "ready"]
    """`waiting`: nothing has been saved yet. After `failed` the setup goes on and can be saved again."""
    origin: NotRequired[str]
    """Where the room answers, when it is ready."""
    message: NotRequired[str]
    """Why it has failed."""


@with_config(ANSWER)
class IssueTold(TypedDict):
    path: str
    """Where in the request, in dots: `config.agents.0.cwd`."""
    message: str
    severity: Literal["error", "warning"]
    """An error refuses a save, a warning does not."""


@with_config(ANSWER)
class Checked(TypedDict):
    issues: list[IssueTold]
    """In the order of the fields; empty where all is well."""


@with_config(ANSWER)
class ChangeTold(TypedDict):
    """One thing that a restart would change."""

    actorId: NotRequired[str]
    """Absent for `settings`: what belongs to the whole room."""
    displayName: str
    driver: NotRequired[str]
    change: Literal["added", "changed", "removed", "settings"]


@with_config(ANSWER)
class Pending(TypedDict):
    restartRequired: bool
    """The file differs from what runs."""
    changes: list[ChangeTold]
    problem: NotRequired[str]
    """What is wrong with the file; a restart is refused until it is mended."""


@with_config(ANSWER)
class Tried(TypedDict):
    """What came of saying hello to an agent."""

    ok: bool
    tookMs: int
    answer: NotRequired[str]
    """Of the agent, at most 2,000 characters."""
    version: NotRequired[str]
    errorCode: NotRequired[ErrorCode]
    """As of a turn that failed."""
    message: NotRequired[str]
    hint: NotRequired[str]
    """What to do about it."""
