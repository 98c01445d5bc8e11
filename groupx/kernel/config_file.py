"""Reading a configuration file: its text, its checks, its paths made absolute against its own folder."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from .as_typed import as_typed_for
from .canonical import fingerprint
from .config import Agent, Brain, Bus, GroupXConfig, RunConfig, Storage
from .config_issues import ConfigIssue, driver_issue, issues_of
from .config_text import ConfigText, KeyPath, NotJson, read_text
from .errors import ErrorCode, GroupXError
from .home_paths import from_home
from .text import is_storable

UNSTORABLE = "has NUL or half of a surrogate pair in it"


def load_config(path: Path, drivers: frozenset[str], *, port: int | None = None) -> RunConfig:
    """Read and check a groupx.json.

    Raises:
        GroupXError: CONFIG_INVALID naming the file and, for each mistake, line, key, what is allowed and, unless it
            could be a secret, the value; in its details `file` and `issues` with `path`, `line` and `message`.
    """
    path = from_home(str(path)).resolve()
    return check_config(read_config_file(path), path, drivers, port)


def parse_config(raw: Any, path: Path, drivers: frozenset[str], *, port: int | None = None) -> RunConfig:
    """The same of a value that is (to be) in that file.

    Raises:
        GroupXError: CONFIG_INVALID, without lines.
    """
    return check_config(ConfigText(raw=raw), path, drivers, port)


def read_config_file(path: Path) -> ConfigText:
    """What stands in the file, as JSON only.

    Raises:
        GroupXError: CONFIG_INVALID when it is not there, cannot be read or is no JSON.
    """
    try:
        return read_config_bytes(path.read_bytes(), path)
    except FileNotFoundError:
        start = as_typed_for(path, "start")
        raise GroupXError(
            ErrorCode.CONFIG_INVALID,
            f"There is no configuration file {path}. “{start}” writes one; --config names another.",
        ) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise GroupXError(ErrorCode.CONFIG_INVALID, f"{path} cannot be read: {reason}.", file=str(path)) from None


def read_config_bytes(content: bytes, path: Path) -> ConfigText:
    """The same of what was read from the file."""
    try:
        return read_text(content.decode())
    except UnicodeDecodeError:
        raise GroupXError(ErrorCode.CONFIG_INVALID, f"{path} is not valid UTF-8.", file=str(path)) from None
    except NotJson as error:
        raise GroupXError(
            ErrorCode.CONFIG_INVALID,
            f"{path}, line {error.line}, is not valid JSON: {error.sentence}",
            file=str(path),
            issues=[{"path": "", "line": error.line, "message": error.sentence}],
        ) from None


def check_config(text: ConfigText, path: Path, drivers: frozenset[str], port: int | None = None) -> RunConfig:
    """What was read from the file, as a configuration.

    Raises:
        GroupXError: CONFIG_INVALID.
    """
    if wrong := [
        ConfigIssue(path=where, line=text.line_of(where), sentence=UNSTORABLE) for where in _unstorable(text.raw)
    ]:
        raise _refused(path, wrong)
    try:
        config = GroupXConfig.model_validate(_with_drivers(text.raw, drivers))
    except ValidationError as error:
        raise _refused(path, issues_of(error, text, drivers)) from None
    if wrong := [
        driver_issue(where, cli.driver, drivers, text)
        for where, cli in _driven(config).items()
        if cli.driver not in drivers
    ]:
        raise _refused(path, wrong)
    config = _with_absolute_paths(config, path.parent, port)
    key = fingerprint({"path": str(path), "config": config.model_dump(by_alias=True, mode="json")})
    return RunConfig(config_path=path, config=config, runtime_key=key, given_port=port)


def _refused(path: Path, issues: list[ConfigIssue]) -> GroupXError:
    return GroupXError(
        ErrorCode.CONFIG_INVALID,
        f"{path}: " + "; ".join(map(str, issues)),
        file=str(path),
        issues=[
            {"path": issue.key, **({"line": issue.line} if issue.line else {}), "message": issue.sentence}
            for issue in issues
        ],
    )


def _unstorable(value: Any, where: KeyPath = ()) -> Iterator[KeyPath]:
    """Where a text is that no path, process or database takes."""
    if isinstance(value, str):
        if not is_storable(value):
            yield where
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _unstorable(inner, (*where, key)) if is_storable(key) else [where]
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from _unstorable(inner, (*where, index))


def _with_drivers(raw: Any, drivers: frozenset[str]) -> Any:
    """An agent that is called like a driver is of that driver, unless it says another."""
    if not isinstance(raw, dict) or not isinstance(agents := raw.get("agents"), dict):
        return raw
    named = {
        agent_id: {"driver": agent_id, **agent} if agent_id in drivers and isinstance(agent, dict) else agent
        for agent_id, agent in agents.items()
    }
    return {**raw, "agents": named}


def _driven(config: GroupXConfig) -> dict[KeyPath, Agent | Brain]:
    """All that is of some driver, by the path where that stands."""
    driven: dict[KeyPath, Agent | Brain] = {
        ("agents", agent_id, "driver"): agent for agent_id, agent in config.agents.items()
    }
    if config.assistant is not None:
        driven["assistant", "brain", "driver"] = config.assistant.brain
    return driven


def _with_absolute_paths(config: GroupXConfig, folder: Path, port: int | None) -> GroupXConfig:
    """`port`: instead of the file's."""

    def absolute(path: str) -> str:
        return str((folder / from_home(path)).resolve())

    assistant, bus = config.assistant, config.bus
    if assistant is not None:
        brain = assistant.brain.model_copy(update={"cwd": absolute(assistant.brain.cwd)})
        assistant = assistant.model_copy(update={"brain": brain})
    agents = {
        agent_id: agent.model_copy(update={"cwd": absolute(agent.cwd)}) for agent_id, agent in config.agents.items()
    }
    changed = {
        "server": config.server if port is None else config.server.model_copy(update={"port": port}),
        "storage": Storage(path=absolute(config.storage.path)),
        "bus": bus if bus.home is None else Bus(home=absolute(bus.home)),
        "agents": agents,
        "assistant": assistant,
    }
    return config.model_copy(update=changed)
