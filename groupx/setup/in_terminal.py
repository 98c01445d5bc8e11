"""`groupx init`: the same setup as the page's, asked for in a terminal. Needs no Django; starts nothing."""

import argparse
import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from groupx.kernel.as_typed import as_typed_for
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import DEFAULT_PORT
from groupx.kernel.config_file import check_config, read_config_bytes
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_config import allowed_drivers
from groupx.setup.answers import DraftTold, DriverFound
from groupx.setup.check import Place, Severity, check_draft, refuse_errors
from groupx.setup.detect import Detection, suggested
from groupx.setup.draft import Raw, SetupCommand, SetupDraft, merged, read_draft
from groupx.setup.save import BACKUP_SUFFIX, save
from groupx.terminal_care import config_path
from groupx.terminal_words import gettext as _
from groupx.terminal_words import harmless, in_words, say

NONE_FOUND = (
    "None of the agent CLIs that GroupX knows is installed here. Install one and try again, or look around first with "
    "“groupx demo”: three scripted agents, no account needed."
)


def run_init(options: argparse.Namespace) -> int:
    """Gives the exit code: 0 when the file was written, 1 when nobody wanted that.

    Raises:
        GroupXError: START_FAILED when no CLI is installed, FILE_REFUSED when there is a file and nobody is asked, or it
            cannot be written, INVALID_ENVELOPE when what was answered does not fit together.
    """
    return initialise(config_path(options.config), None if options.yes else _ask)


type Ask = Callable[[str, str], str | None]
"""Given a question and the answer that is taken when somebody only presses Enter; None: nobody is there any more."""


def initialise(path: Path, ask: Ask | None) -> int:
    """Look, ask, check, write; without `ask` what is suggested is taken. See `run_init`."""
    if ask is None and path.exists():
        raise GroupXError(ErrorCode.FILE_REFUSED, f"{path} exists already and is not overwritten without asking.")
    drivers = asyncio.run(Detection(SystemClock()).drivers())
    say("\n".join(_found(driver) for driver in drivers if driver["found"] or "install" in driver))
    suggestion = suggested(drivers, port=DEFAULT_PORT)
    if suggestion is None:
        raise GroupXError(ErrorCode.START_FAILED, NONE_FOUND)
    try:
        if path.exists():
            _agree_to_replace(path, ask or _default)
        draft = _asked(suggestion, ask or _default)
    except _Declined:
        say(_("Nothing was written."))
        return 1
    place = Place(folder=path.parent, own_port=draft.server_port)
    refuse_errors(draft, place)
    for issue in check_draft(draft, place):
        if issue.severity is Severity.WARNING:
            say(in_words(issue.message))
    save(path, lambda before: _written(before, path, draft))
    agents = ", ".join(agent.id for agent in draft.agents)
    say(_("Wrote %(path)s with these agents: %(agents)s.") % {"path": path, "agents": agents})
    say(_("Start the room with: %(command)s") % {"command": as_typed_for(path, "start")})
    return 0


class _Declined(Exception):
    """Nobody wants it, or nobody is there."""


_YES, _NO = "y", "n"


# ---------------------------------------------------------------- asking
def _asked(suggestion: DraftTold, ask: Ask) -> SetupDraft:
    wanted = [
        agent
        for agent in suggestion["agents"]
        if _is_yes(ask(_("Take %(name)s into the room?") % {"name": agent["name"]}, _YES))
    ]
    if not wanted:
        raise _Declined
    folder = _answer(ask(_("The folder that the agents work in"), "."))
    port = _answer(ask(_("The port of the room"), str(suggestion["serverPort"])))
    draft: dict[str, Any] = {
        **suggestion,
        "serverPort": int(port) if port.isascii() and port.isdigit() else port,
        "agents": [{**agent, "cwd": folder} for agent in wanted],
    }
    assistant = suggestion["assistant"]
    question = _("Have the room's assistant, by %(driver)s?") % {"driver": assistant["brain"]["driver"]}
    has_assistant = _is_yes(ask(question, _YES))
    brain = {**assistant["brain"], "cwd": folder}
    draft["assistant"] = {**assistant, "enabled": has_assistant, "brain": brain}
    return read_draft(SetupCommand, {"config": draft}).config


def _agree_to_replace(path: Path, ask: Ask) -> None:
    question = _("%(path)s exists. Write its agents anew? It is kept as %(backup)s.")
    about = {"path": path, "backup": path.name + BACKUP_SUFFIX}
    if not _is_yes(ask(question % about, _NO)):
        raise _Declined


def _answer(answer: str | None) -> str:
    if answer is None:
        raise _Declined
    return answer


def _is_yes(answer: str | None) -> bool:
    return _answer(answer).lower() in (_YES, "yes", "是")


def _ask(question: str, default: str) -> str | None:
    shown = {_YES: "Y/n", _NO: "y/N"}.get(default, default)
    print(f"{question} [{shown}] ", end="", flush=True)  # noqa: T201 - a command's own words
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        say("")
    return (line.strip() or default) if line else None


def _default(question: str, default: str) -> str | None:
    return default


# ---------------------------------------------------------------- showing and writing
def _found(driver: DriverFound) -> str:
    """One line of one kind of CLI."""
    label, path, version = driver["label"], driver.get("command", ""), driver.get("version", "")
    if not driver["found"]:
        return f"  - {label}: {driver.get('install', '')}"
    problem = f" · {in_words(driver['problem'])}" if "problem" in driver else ""
    hint = f" {in_words(driver['hint'])}" if "hint" in driver else ""
    return harmless(f"  + {' '.join(filter(None, (label, version)))}, {path}{problem}{hint}")


def _written(before: bytes | None, path: Path, draft: SetupDraft) -> Raw:
    """What is written: in a file that is one the parts that are not asked for stay; whatever else is kept as backup."""
    return merged(_raw(before, path), draft)


def _raw(before: bytes | None, path: Path) -> Raw | None:
    if before is None:
        return None
    try:
        text = read_config_bytes(before, path)
        check_config(text, path, allowed_drivers())
    except GroupXError:
        return None
    raw: Raw = text.raw
    return raw
