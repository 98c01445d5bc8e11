"""The demo's configuration: three scripted agents in a folder of their own. Runs before Django's settings exist."""

import json
import sys
from pathlib import Path
from typing import Any

from adapters import demo
from groupx.kernel.errors import ErrorCode, GroupXError

DEMO_FOLDER = ".groupx-demo"
DEMO_PERSONAS = ("builder", "reviewer", "scribe")
DEMO_ASSISTANT = "assistant"
DEMO_HOPS = 6
"""Agents that argue are stopped while one still looks on."""


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
        _write_new(path, configuration)
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


def _write_new(path: Path, configuration: dict[str, Any]) -> None:
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
