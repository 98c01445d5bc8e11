"""What is wrong with a draft: its shape, what it means together, and what is not on this machine.

Errors refuse a save. Warnings do not: a program may be installed later.
"""

import errno
import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

from adapters.executables import find, is_plain_file
from groupx.kernel.drivers import OPEN_DRIVER
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.home_paths import from_home
from groupx.kernel.shapes import parse
from groupx.listener import listen
from groupx.run_config import allowed_drivers
from groupx.setup.draft import AgentDraft, BrainDraft, CommandDraft, SetupCommand, SetupDraft, issues_of, read_draft
from groupx.setup.requests import CheckCommand
from groupx.store_files import looks_like_a_database

LOOPBACK = "127.0.0.1"


class Severity(StrEnum):
    ERROR = "error"
    WARNING = "warning"


@dataclass(frozen=True, kw_only=True)
class DraftIssue:
    """`path` is in dots, from the request's top: `config.agents.0.cwd`."""

    path: str
    message: str
    severity: Severity

    def wire(self) -> dict[str, str]:
        return {"path": self.path, "message": self.message, "severity": self.severity.value}


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where the configuration lies, and which port is ours."""

    folder: Path
    own_port: int
    """Where this process answers."""

    def absolute(self, path: str) -> Path:
        return self.folder / from_home(path.strip())


def check_command(payload: Mapping[str, Any], place: Place) -> list[DraftIssue]:
    """All that is wrong with `{"config": draft}`, whatever shape it has.

    Raises:
        GroupXError: SENDER_FIELD_FORBIDDEN; INVALID_ENVELOPE for what is no `{"config": {…}}` at all.
    """
    parse(CheckCommand, dict(payload))
    try:
        command = read_draft(SetupCommand, payload)
    except GroupXError as error:
        if error.code is not ErrorCode.INVALID_ENVELOPE:
            raise
        return [_error(issue["path"], issue["message"]) for issue in issues_of(error)]
    return check_draft(command.config, place)


def check_draft(draft: SetupDraft, place: Place) -> list[DraftIssue]:
    """What is wrong with a draft of the right shape, in the order of its fields."""
    found = [*_port(draft, place), *_storage(draft, place), *_roster(draft)]
    for number, agent in enumerate(draft.agents):
        found += _agent(agent, f"config.agents.{number}", place)
    if draft.assistant is not None:
        found += _brain(draft.assistant.brain, is_used=draft.assistant.enabled, place=place)
    return found


def refuse_errors(draft: SetupDraft, place: Place) -> None:
    """
    Raises:
        GroupXError: INVALID_ENVELOPE naming each field that is wrong.
    """
    _refuse(check_draft(draft, place))


def refuse_errors_of_agent(agent: AgentDraft, place: Place) -> None:
    """The same of `{"agent": …}`, which is to be tried whether it is enabled or not."""
    _refuse(_agent(agent.model_copy(update={"enabled": True}), "agent", place))


def _refuse(issues: Iterable[DraftIssue]) -> None:
    errors = [issue for issue in issues if issue.severity is Severity.ERROR]
    if errors:
        raise GroupXError(
            ErrorCode.INVALID_ENVELOPE,
            errors[0].message,
            issues=[{"path": issue.path, "message": issue.message} for issue in errors],
        )


def _error(path: str, message: str) -> DraftIssue:
    return DraftIssue(path=path, message=message, severity=Severity.ERROR)


def _warning(path: str, message: str) -> DraftIssue:
    return DraftIssue(path=path, message=message, severity=Severity.WARNING)


# ---------------------------------------------------------------- the room
def _port(draft: SetupDraft, place: Place) -> Iterator[DraftIssue]:
    if draft.server_port == place.own_port:
        return
    try:
        listen(LOOPBACK, draft.server_port).close()
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            reason = "it is in use by another program now"
        else:
            reason = error.strerror or str(error)
        yield _warning("config.serverPort", f"Port {draft.server_port} cannot be had: {reason}.")


def _storage(draft: SetupDraft, place: Place) -> Iterator[DraftIssue]:
    path = place.absolute(draft.storage_path)
    if path.is_dir():
        yield _error("config.storagePath", f"“{path}” is a folder; a file is needed.")
        return
    there = next(folder for folder in path.parents if folder.exists())
    if not there.is_dir():
        yield _error("config.storagePath", f"“{there}” is no folder.")
    elif not os.access(path if path.exists() else there, os.W_OK):
        yield _error("config.storagePath", f"“{path if path.exists() else there}” cannot be written.")
    elif path.exists() and not looks_like_a_database(path):
        yield _error("config.storagePath", f"“{path}” is another file, no database.")


def _roster(draft: SetupDraft) -> Iterator[DraftIssue]:
    if not any(agent.enabled for agent in draft.agents):
        yield _error("config.agents", "At least one agent must be enabled.")
    times = Counter(agent.id for agent in draft.agents)
    seen: set[str] = set()
    for number, agent in enumerate(draft.agents):
        if times[agent.id] > 1 and agent.id in seen:
            yield _error(f"config.agents.{number}.id", f"The id “{agent.id}” is used by another agent already.")
        seen.add(agent.id)


# ---------------------------------------------------------------- one agent
def _agent(agent: AgentDraft, path: str, place: Place) -> Iterator[DraftIssue]:
    yield from _driver(agent.driver, path)
    if agent.driver != OPEN_DRIVER:
        for field in ("args", "mode"):
            if getattr(agent, field):
                yield _error(f"{path}.{field}", "Only the driver “acp” takes it; the other drivers know their own.")
    if agent.enabled:
        yield from _folder(agent.cwd, path, place)
        yield from _program(agent.command, agent.cwd, path, place)


def _brain(brain: BrainDraft, *, is_used: bool, place: Place) -> Iterator[DraftIssue]:
    path = "config.assistant.brain"
    yield from _driver(brain.driver, path)
    if is_used:
        yield from _folder(brain.cwd, path, place)
        yield from _program(brain.command, brain.cwd, path, place)


def _driver(driver: str, path: str) -> Iterator[DraftIssue]:
    if driver not in allowed_drivers():
        known = ", ".join(sorted(allowed_drivers()))
        yield _error(f"{path}.driver", f"There is no driver “{driver}”; there are: {known}.")


def _folder(cwd: str, path: str, place: Place) -> Iterator[DraftIssue]:
    folder = place.absolute(cwd)
    if not folder.exists():
        yield _error(f"{path}.cwd", f"The folder “{folder}” does not exist.")
    elif not folder.is_dir():
        yield _error(f"{path}.cwd", f"“{folder}” is no folder.")
    elif not os.access(folder, os.R_OK | os.X_OK):
        yield _error(f"{path}.cwd", f"The folder “{folder}” cannot be read.")


def _program(command: str | CommandDraft, cwd: str, path: str, place: Place) -> Iterator[DraftIssue]:
    name, scripts = (command, []) if isinstance(command, str) else (command.executable, command.prefix_args)
    folder = place.absolute(cwd)
    if find(name.strip(), cwd=folder) is None:
        reason = "may not be executed" if is_plain_file(name.strip(), folder) else "was not found"
        yield _warning(f"{path}.command", f"The command “{name}” {reason}.")
    for script in scripts:
        if "/" in script and not (folder / from_home(script.strip())).exists():
            yield _warning(f"{path}.command", f"The script “{script}” was not found.")
