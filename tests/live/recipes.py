"""How each real CLI is pointed at the scripted model on loopback, with a home of its own."""

import json
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, kw_only=True)
class Recipe:
    """`env(home, model_url)` is the environment of the room; `shell` calls the CLI's own shell tool."""

    driver: str
    executable: str
    env: Callable[[Path, str], dict[str, str]]
    shell: Callable[[str], str]

    @property
    def is_installed(self) -> bool:
        return shutil.which(self.executable) is not None


def _home(home: Path) -> dict[str, str]:
    home.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
    }


def _opencode(home: Path, model_url: str) -> dict[str, str]:
    model = {"name": "Scripted", "tool_call": True, "reasoning": True, "limit": {"context": 200_000, "output": 8_000}}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": model_url, "apiKey": "none"},
        "models": {"scripted": model},
    }
    config = {
        "model": "loopback/scripted",
        "small_model": "loopback/scripted",
        "enabled_providers": ["loopback"],
        "autoupdate": False,
        "share": "disabled",
        "provider": {"loopback": provider},
    }
    return _home(home) | {"OPENCODE_CONFIG_CONTENT": json.dumps(config), "OPENCODE_DISABLE_MODELS_FETCH": "1"}


def _grok(home: Path, model_url: str) -> dict[str, str]:
    folder = home / ".grok"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.toml").write_text(
        "[cli]\nauto_update = false\n"
        '[models]\ndefault = "scripted"\n'
        '[model.scripted]\nmodel = "scripted"\nname = "Scripted"\n'
        f'base_url = "{model_url}"\napi_key = "none"\n'
    )
    return _home(home) | {"GROK_HOME": str(folder), "XAI_API_KEY": "none"}


RECIPES = (
    Recipe(
        driver="opencode",
        executable="opencode",
        env=_opencode,
        shell=lambda command: f"TOOL:bash {json.dumps({'command': command, 'description': 'a test'})}",
    ),
    Recipe(
        driver="grok",
        executable="grok",
        env=_grok,
        shell=lambda command: f"TOOL:run_terminal {json.dumps({'command': command, 'description': 'a test'})}",
    ),
)
