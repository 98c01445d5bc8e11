"""How each real CLI is pointed at the scripted model on loopback, with a home of its own.

A CLI is one recipe: what it is called, the configuration it needs, the words by which the model calls its own
tools, and what it is known not to do. Everything else is the same for all (test_drivers.py, test_rooms.py).
"""

import json
import shutil
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from adapters.executables import version_of
from tests.fakes.model_server import ModelServer
from tests.live.capabilities import Capability

VERSION_SECONDS = 60


@dataclass(frozen=True, kw_only=True)
class Recipe:
    driver: str
    executable: str
    """Looked for on PATH."""
    env: Callable[[Path, ModelServer], dict[str, str]]
    """Writes its configuration below this home; gives what is set on top of the inherited environment."""
    shell: Callable[[str], str]
    """What is said so that the model calls the CLI's own shell with this command."""
    write: Callable[[Path, str], str] | None = None
    """The same for its tool that writes a file; None: it writes by its shell."""
    on_every_run: bool = False
    """Also without --live=all."""
    lacks: Mapping[Capability, str] = field(default_factory=dict)
    """What this CLI was seen not to do, with the reason. Its test has to fail: a version that can do it is noticed."""
    resumes_in_another_minute: bool = False
    """A session can be resumed only when the minute in which it began is over."""

    @property
    def path(self) -> str | None:
        return shutil.which(self.executable)

    async def version(self) -> str:
        """What it says of itself, also on a machine that is too busy for the patience of a probe."""
        assert self.path is not None
        return await version_of((self.path,), VERSION_SECONDS) or "unknown"


def call(tool: str, **arguments: object) -> str:
    """The line that makes the scripted model call a tool."""
    return f"TOOL:{tool} {json.dumps(arguments)}"


def room_call(tool: str, **arguments: object) -> str:
    """The same with a tool of the room's, by whatever name the CLI shows it under."""
    return f"ROOM:{tool} {json.dumps(arguments)}"


def private_home(home: Path) -> dict[str, str]:
    """Nothing of the person's own is read or written."""
    home.mkdir(parents=True, exist_ok=True)
    return {
        "HOME": str(home),
        "XDG_CONFIG_HOME": str(home / ".config"),
        "XDG_DATA_HOME": str(home / ".local/share"),
        "XDG_STATE_HOME": str(home / ".local/state"),
        "XDG_CACHE_HOME": str(home / ".cache"),
    }


def put(home: Path, name: str, content: str) -> None:
    """A configuration file of the CLI."""
    file = home / name
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(content)


# ---------------------------------------------------------------- configurations
def _codex(home: Path, model: ModelServer) -> dict[str, str]:
    config = f"""
model = "scripted"
model_provider = "loopback"
[model_providers.loopback]
name = "Loopback"
base_url = "{model.base_url}"
wire_api = "responses"
request_max_retries = 0
stream_max_retries = 0
"""
    put(home, ".codex/config.toml", config)
    return private_home(home) | {"CODEX_HOME": str(home / ".codex")}


def _claude(home: Path, model: ModelServer) -> dict[str, str]:
    return private_home(home) | {
        "ANTHROPIC_BASE_URL": model.root_url,
        "ANTHROPIC_API_KEY": "none",
        "ANTHROPIC_MODEL": "claude-sonnet-4-5",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "CLAUDE_CONFIG_DIR": str(home / ".claude"),
        "IS_SANDBOX": "1",  # tests may run as root
    }


def _opencode(home: Path, model: ModelServer) -> dict[str, str]:
    scripted = {"name": "Scripted", "tool_call": True, "reasoning": True}
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "Scripted",
        "options": {"baseURL": model.base_url, "apiKey": "none"},
        "models": {"scripted": {**scripted, "limit": {"context": 200_000, "output": 8_000}}},
    }
    config = {
        "model": "loopback/scripted",
        "small_model": "loopback/scripted",
        "enabled_providers": ["loopback"],
        "autoupdate": False,
        "share": "disabled",
        "provider": {"loopback": provider},
    }
    return private_home(home) | {"OPENCODE_CONFIG_CONTENT": json.dumps(config), "OPENCODE_DISABLE_MODELS_FETCH": "1"}


def _grok(home: Path, model: ModelServer) -> dict[str, str]:
    config = f"""
[cli]
auto_update = false
[models]
default = "scripted"
[model.scripted]
model = "scripted"
name = "Scripted"
base_url = "{model.base_url}"
api_key = "none"
"""
    put(home, ".grok/config.toml", config)
    return private_home(home) | {"GROK_HOME": str(home / ".grok"), "XAI_API_KEY": "none"}


def _kimi(home: Path, model: ModelServer) -> dict[str, str]:
    config = f"""
default_model = "scripted"
[providers.loopback]
type = "openai"
base_url = "{model.base_url}"
api_key = "none"
[models.scripted]
provider = "loopback"
model = "scripted"
max_context_size = 200000
capabilities = ["thinking", "tool_use"]
"""
    put(home, ".kimi-code/config.toml", config)
    return private_home(home)


def _hermes(home: Path, model: ModelServer) -> dict[str, str]:
    chosen = {"provider": "custom", "default": "scripted", "base_url": model.base_url, "api_key": "none"}
    put(home, ".hermes/config.yaml", json.dumps({"model": {**chosen, "context_length": 200_000}}))
    return private_home(home) | {"HERMES_HOME": str(home / ".hermes")}


def _gemini(home: Path, model: ModelServer) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "gemini-api-key"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "telemetry": {"enabled": False},
    }
    put(home, ".gemini/settings.json", json.dumps(settings))
    env = {"GEMINI_API_KEY": "none", "GOOGLE_GEMINI_BASE_URL": model.root_url, "GEMINI_MODEL": "gemini-2.5-pro"}
    return private_home(home) | env


def _qwen(home: Path, model: ModelServer) -> dict[str, str]:
    settings = {
        "security": {"auth": {"selectedType": "openai"}},
        "general": {"enableAutoUpdate": False},
        "privacy": {"usageStatisticsEnabled": False},
        "tools": {"toolSearch": {"enabled": False}},
    }
    put(home, ".qwen/settings.json", json.dumps(settings))
    env = {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": model.base_url, "OPENAI_MODEL": "scripted"}
    return private_home(home) | env


def _codebuddy(home: Path, model: ModelServer) -> dict[str, str]:
    scripted = {
        "id": "scripted",
        "name": "Scripted",
        "vendor": "loopback",
        "url": f"{model.base_url}/chat/completions",
        "apiKey": "none",
        "maxInputTokens": 176_000,
        "maxOutputTokens": 8_000,
        "supportsToolCall": True,
        "supportsReasoning": True,
    }
    put(home, ".codebuddy/models.json", json.dumps({"models": [scripted]}))
    put(home, ".codebuddy/settings.json", json.dumps({"model": "scripted"}))
    return private_home(home) | {"CODEBUDDY_API_KEY": "none", "CODEBUDDY_BASE_URL": model.root_url}


# ---------------------------------------------------------------- the CLIs
RECIPES = (
    Recipe(
        driver="codex",
        executable="codex",
        env=_codex,
        shell=lambda command: call("exec_command", cmd=command),
        on_every_run=True,
    ),
    Recipe(
        driver="claude",
        executable="claude",
        env=_claude,
        shell=lambda command: call("Bash", command=command, description="a test"),
        write=lambda file, text: call("Write", file_path=str(file), content=text),
        on_every_run=True,
    ),
    Recipe(
        driver="opencode",
        executable="opencode",
        env=_opencode,
        shell=lambda command: call("bash", command=command, description="a test"),
        write=lambda file, text: call("write", filePath=str(file), content=text),
        on_every_run=True,
    ),
    Recipe(
        driver="grok",
        executable="grok",
        env=_grok,
        shell=lambda command: call("run_terminal", command=command, description="a test"),
        on_every_run=True,
    ),
    Recipe(
        driver="kimi",
        executable="kimi",
        env=_kimi,
        shell=lambda command: call("Bash", command=command),
        write=lambda file, text: call("Write", path=str(file), content=text),
    ),
    Recipe(
        driver="hermes",
        executable="hermes",
        env=_hermes,
        shell=lambda command: call("terminal", command=command),
        write=lambda file, text: call("write_file", path=str(file), content=text),
        lacks={Capability.ERRORS: "it gives a model's error as its answer"},
    ),
    Recipe(
        driver="gemini",
        executable="gemini",
        env=_gemini,
        shell=lambda command: call("run_shell_command", command=command),
        write=lambda file, text: call("write_file", file_path=str(file), content=text),
        resumes_in_another_minute=True,
    ),
    Recipe(
        driver="qwen",
        executable="qwen",
        env=_qwen,
        shell=lambda command: call("run_shell_command", command=command, is_background=False, description="a test"),
        write=lambda file, text: call("write_file", file_path=str(file), content=text),
    ),
    Recipe(
        driver="codebuddy",
        executable="codebuddy",
        env=_codebuddy,
        shell=lambda command: call("Bash", command=command, description="a test"),
        write=lambda file, text: call("Write", file_path=str(file), content=text),
    ),
)
