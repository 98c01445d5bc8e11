"""The draft: what of a configuration the setup page and the assistant edit, and what a file becomes by it.

A draft has no transport, access, model or flags, and leaves alone what it does not show. Pure.
"""

import re
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Annotated, Any

from pydantic import AfterValidator, Discriminator, Field, Tag

from groupx.kernel.config import (
    AGENT_ID,
    DEFAULT_PORT,
    DEFAULT_STORAGE,
    MAX_NAME_CHARACTERS,
    MAX_WORDS_CHARACTERS,
    RESERVED_AGENT_IDS,
)
from groupx.kernel.drivers import OPEN_DRIVER
from groupx.kernel.errors import ErrorCode, GroupXError, issue
from groupx.kernel.shapes import OwnShape, Says, Text, parse

MAX_AGENTS = 64
MAX_PATH_CHARACTERS = 4_096
MAX_ARGS = 64
ASSISTANT_NAME = "Assistant"

type Raw = dict[str, Any]
"""A configuration as it stands in its file."""


def _free_id(value: str) -> str:
    if value in RESERVED_AGENT_IDS:
        raise ValueError(f"the id “{value}” is reserved")
    if not AGENT_ID.fullmatch(value):
        raise ValueError("must be letters and digits, with . _ - inside, at most 64")
    return value


AgentId = Annotated[
    str,
    AfterValidator(_free_id),
    Says(pattern=f"^{AGENT_ID.pattern}$", **{"not": {"enum": sorted(RESERVED_AGENT_IDS)}}),
]
Line = Annotated[Text, Field(max_length=MAX_PATH_CHARACTERS)]
"""A path or a name of a program."""


class CommandDraft(OwnShape):
    """A program with at most one script; never a shell, never flags."""

    executable: Line
    prefix_args: list[Line] = Field(default_factory=list, max_length=1)


def _kind(value: object) -> str:
    return "name" if isinstance(value, str) else "program"


COMMAND_TAGS = ("name", "program")
"""Which of both a mistake is of; stands in no path that people see."""
AnyCommand = Annotated[Annotated[Line, Tag("name")] | Annotated[CommandDraft, Tag("program")], Discriminator(_kind)]


class AgentDraft(OwnShape):
    id: AgentId
    driver: str
    name: str = Field(default="", max_length=MAX_NAME_CHARACTERS)
    """Empty: the id."""
    identity: str = Field(default="", max_length=MAX_WORDS_CHARACTERS)
    command: AnyCommand
    cwd: Line
    """Relative to the folder of the file."""
    enabled: bool = True
    args: list[Annotated[str, Field(max_length=MAX_PATH_CHARACTERS)]] = Field(default_factory=list, max_length=MAX_ARGS)
    """Of the driver “acp” only, as is `mode`."""
    mode: str | None = Field(default=None, min_length=1, max_length=MAX_NAME_CHARACTERS)


class TryCommand(OwnShape):
    """An agent to be tried as it stands in the draft."""

    agent: AgentDraft


class BrainDraft(OwnShape):
    driver: str
    command: AnyCommand
    cwd: Line


class AssistantDraft(OwnShape):
    enabled: bool = False
    name: Annotated[Text, Field(max_length=MAX_NAME_CHARACTERS)] = ASSISTANT_NAME
    brain: BrainDraft
    extra_instructions: str = Field(default="", max_length=MAX_WORDS_CHARACTERS)


class SetupDraft(OwnShape):
    server_port: int = Field(default=DEFAULT_PORT, ge=1, le=65_535)
    storage_path: Line = DEFAULT_STORAGE
    agents: list[AgentDraft] = Field(min_length=1, max_length=MAX_AGENTS)
    assistant: AssistantDraft | None = None
    """Left out, the file keeps what it has."""


class SetupCommand(OwnShape):
    """What is saved."""

    config: SetupDraft


def read_draft[T: OwnShape](shape: type[T], payload: Mapping[str, Any]) -> T:
    """
    Raises:
        GroupXError: INVALID_ENVELOPE naming each field of the wrong shape, SENDER_FIELD_FORBIDDEN.
    """
    try:
        return parse(shape, dict(payload))
    except GroupXError as error:
        if error.code is not ErrorCode.INVALID_ENVELOPE:
            raise
        issues = [issue(_TAG.sub(".command", at["path"]), at["message"]) for at in issues_of(error)]
        raise GroupXError(error.code, _TAG.sub(".command", error.message), issues=issues) from None


def issues_of(error: GroupXError) -> list[dict[str, str]]:
    """Those of a refused request."""
    issues = error.details["issues"]
    assert isinstance(issues, list)
    return issues


_TAG = re.compile(rf"\.command\.(?:{'|'.join(COMMAND_TAGS)})\b")


# ---------------------------------------------------------------- from a file
def draft_of(raw: Mapping[str, Any]) -> Raw:
    """The draft that a valid configuration file shows, on the wire."""
    draft: Raw = {
        "serverPort": raw.get("server", {}).get("port", DEFAULT_PORT),
        "storagePath": raw.get("storage", {}).get("path", DEFAULT_STORAGE),
        "agents": [_agent_draft(agent_id, agent) for agent_id, agent in raw["agents"].items()],
    }
    if (assistant := raw.get("assistant")) is not None:
        brain = assistant["brain"]
        draft["assistant"] = {
            "enabled": assistant.get("enabled", False),
            "name": assistant.get("name", ASSISTANT_NAME),
            "brain": {"driver": brain["driver"], "command": brain["command"], "cwd": brain.get("cwd", ".")},
            "extraInstructions": assistant.get("extraInstructions", ""),
        }
    return draft


def _agent_draft(agent_id: str, agent: Mapping[str, Any]) -> Raw:
    driver = agent.get("driver", agent_id)
    draft = {
        "id": agent_id,
        "driver": driver,
        "name": agent.get("name") or "",
        "identity": agent.get("identity") or "",
        "command": agent["command"],
        "cwd": agent.get("cwd", "."),
        "enabled": agent.get("enabled", True),
    }
    if driver == OPEN_DRIVER:
        draft["args"] = agent.get("args", [])
        if agent.get("mode"):
            draft["mode"] = agent["mode"]
    return draft


def empty_draft(port: int = DEFAULT_PORT) -> Raw:
    """Before there is a file."""
    return {"serverPort": port, "storagePath": DEFAULT_STORAGE, "agents": []}


# ---------------------------------------------------------------- into a file
def merged(raw: Mapping[str, Any] | None, draft: SetupDraft) -> Raw:
    """The configuration that the file becomes; None: there is none yet.

    What the draft does not show stays, section by section and agent by agent: limits, timeouts, an agent's spendLimit,
    the time zone, the bus, the host. An agent whose id is not in the draft is taken out.
    """
    raw = {"transport": "structured"} if raw is None else raw
    before: Mapping[str, Any] = raw.get("agents", {})
    changed: Raw = {
        **raw,
        "server": {**raw.get("server", {}), "port": draft.server_port},
        "storage": {**raw.get("storage", {}), "path": draft.storage_path.strip()},
        "agents": {agent.id: merged_agent(agent, before.get(agent.id, {})) for agent in draft.agents},
    }
    if draft.assistant is not None:
        changed["assistant"] = _assistant(draft.assistant)
    return changed


def merged_agent(draft: AgentDraft, before: Mapping[str, Any] = MappingProxyType({})) -> Raw:
    """One agent of the file; `before` is what stood there under its id."""
    shown = {
        "driver": draft.driver,
        "name": draft.name.strip(),
        "identity": draft.identity.strip(),
        "command": _command(draft.command),
        "args": draft.args,
        "mode": draft.mode,
        "cwd": draft.cwd.strip(),
    }
    hidden = {key: value for key, value in before.items() if key not in shown and key != "enabled"}
    return {**{key: value for key, value in shown.items() if value}, "enabled": draft.enabled, **hidden}


def _assistant(draft: AssistantDraft) -> Raw:
    brain = {
        "driver": draft.brain.driver,
        "command": _command(draft.brain.command),
        "cwd": draft.brain.cwd.strip(),
    }
    instructions = draft.extra_instructions.strip()
    return {
        "enabled": draft.enabled,
        "name": draft.name.strip(),
        "brain": brain,
        **({"extraInstructions": instructions} if instructions else {}),
    }


def _command(draft: str | CommandDraft) -> str | Raw:
    if isinstance(draft, str):
        return draft.strip()
    prefix: Sequence[str] = [arg.strip() for arg in draft.prefix_args]
    return {"executable": draft.executable.strip(), **({"prefixArgs": prefix} if prefix else {})}
