"""A first configuration for a folder that has none: from the CLIs that are installed, or the demo's.

Runs before Django's settings exist, Writes only files that do not exist yet.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from adapters import demo
from adapters.contract import ProbeResult
from adapters.probe import probe_all
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.terminal_words import in_words

DEMO_FOLDER = ".groupx-demo"
DEMO_PERSONAS = ("builder", "reviewer", "scribe")
DEMO_ASSISTANT = "assistant"
DEMO_HOPS = 6
"""Agents that argue are stopped while one still looks on."""
NONE_FOUND = (
    "There is no configuration file {path}, and none of the agent CLIs that GroupX knows is installed ({known}). "
    "Install one and start again, write the file by hand, or look around first with “groupx demo”: "
    "three scripted agents, no account needed."
)


def write_first_configuration(path: Path, found: Sequence[ProbeResult] | None = None) -> Path:
    """Write a configuration with one agent per installed CLI and say so; gives its path, or that of the demo's.

    Raises:
        GroupXError: START_FAILED when no CLI is installed and nobody at a terminal wants the demo.
    """
    found = asyncio.run(probe_all()) if found is None else found
    installed = [result for result in found if result.executable is not None]
    if not installed:
        if _wants_demo():
            return write_demo(path.parent / DEMO_FOLDER)
        known = ", ".join(result.driver for result in found)
        raise GroupXError(ErrorCode.START_FAILED, NONE_FOUND.format(path=path, known=known))
    write_new(path, first_configuration(installed))
    agents = ", ".join(f"{result.driver} {result.version or ''}".strip() for result in installed)
    _say(f"Wrote {path} with the agents that are installed here: {agents}.")
    return path


def first_configuration(installed: Sequence[ProbeResult]) -> dict[str, Any]:
    """Every installed CLI as one agent that works in the folder of the file."""
    return {
        "transport": "structured",
        "agents": {
            result.driver: {"driver": result.driver, "command": str(result.executable), "cwd": "."}
            for result in installed
        },
    }


def write_demo(folder: Path) -> Path:
    """The demo's configuration in `folder`; its agents work in folders beside it.

    An existing one is kept as long as it names this installation's interpreter and script.
    """
    path, configuration = folder / "groupx.json", demo_configuration()
    try:
        for persona in (*DEMO_PERSONAS, DEMO_ASSISTANT):
            (folder / persona).mkdir(parents=True, exist_ok=True)
        if path.exists() and _commands_of(path) != _commands(configuration):
            path.unlink()
    except OSError as error:
        raise GroupXError(ErrorCode.START_FAILED, f"{folder} cannot be used: {error.strerror}.") from None
    if not path.exists():
        write_new(path, configuration)
    return path


def _commands_of(path: Path) -> list[Any] | None:
    try:
        return _commands(json.loads(path.read_text(encoding="utf-8")))
    except (ValueError, KeyError, TypeError, AttributeError):
        return None


def _commands(configuration: dict[str, Any]) -> list[Any]:
    return [agent["command"] for agent in configuration["agents"].values()]


def demo_configuration() -> dict[str, Any]:
    command = _demo_command("agent.py")
    return {
        "transport": "structured",
        "limits": {"hopCount": DEMO_HOPS},
        "agents": {
            persona: {
                "driver": "acp",
                "name": persona.capitalize(),
                "command": command,
                "args": ["--persona", persona],
                "cwd": persona,
            }
            for persona in DEMO_PERSONAS
        },
        "assistant": {
            "enabled": True,
            "brain": {"driver": "acp", "command": _demo_command("assistant.py"), "cwd": DEMO_ASSISTANT},
        },
    }


def _demo_command(script: str) -> dict[str, Any]:
    return {"executable": sys.executable, "prefixArgs": [str(Path(demo.__file__).resolve().with_name(script))]}


def write_new(path: Path, configuration: dict[str, Any]) -> None:
    """
    Raises:
        GroupXError: START_FAILED when the file exists or cannot be written.
    """
    try:
        with path.open("x", encoding="utf-8") as file:
            json.dump(configuration, file, indent=2, ensure_ascii=False)
            file.write("\n")
    except OSError as error:
        raise GroupXError(ErrorCode.START_FAILED, f"{path} cannot be written: {error.strerror}.") from None


def _wants_demo() -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    _say("No agent CLI is installed here. Start a demo room with three scripted agents instead? [Y/n] ", end="")
    return sys.stdin.readline().strip().lower() in ("", "y", "yes")


def _say(sentence: str, end: str = "\n") -> None:
    print(in_words(sentence), end=end, file=sys.stderr, flush=True)  # noqa: T201 - a command's own words
