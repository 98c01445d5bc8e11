"""Which configuration this process runs with. Read once, before Django's settings.

`GROUPX_RUN_CONFIG` names the snapshot that the parent wrote for all processes of its run; without it
`GROUPX_CONFIG` names a groupx.json. With neither (tests, makemigrations) the room has no agents.
"""

from functools import cache
from pathlib import Path

from adapters.driver_names import driver_names
from groupx.kernel.as_typed import CONFIG_NAME, as_typed_for
from groupx.kernel.config import RunConfig, read_run_config
from groupx.kernel.config_file import load_config, parse_config
from groupx.kernel.environment import value_of
from groupx.kernel.home_paths import from_home

RUN_CONFIG_VARIABLE = "GROUPX_RUN_CONFIG"
CONFIG_VARIABLE = "GROUPX_CONFIG"
PORT_VARIABLE = "GROUPX_PORT"
SETUP_VARIABLE = "GROUPX_SETUP"
"""Set for a command that may do without its configuration file: the room is set up first."""


def allowed_drivers() -> frozenset[str]:
    return frozenset(driver_names())


def as_typed_here(run: RunConfig, *words: str) -> str:
    """A command for the room of this run, to be copied."""
    return as_typed_for(run.config_path, *words)


def is_configured() -> bool:
    """False for commands that need no room: tests, makemigrations, help."""
    return bool(value_of(RUN_CONFIG_VARIABLE) or value_of(CONFIG_VARIABLE))


@cache
def current_run() -> RunConfig:
    """
    Raises:
        GroupXError: CONFIG_INVALID, with the sentence a person needs.
    """
    if snapshot := value_of(RUN_CONFIG_VARIABLE):
        return read_run_config(Path(snapshot))
    if named := value_of(CONFIG_VARIABLE):
        given = value_of(PORT_VARIABLE)
        path, port = Path(named), int(given) if given else None
        if value_of(SETUP_VARIABLE) and not path.exists():
            return setup_run(path, port=port)
        return load_config(path, allowed_drivers(), port=port)
    return parse_config({"agents": {}}, Path.cwd() / CONFIG_NAME, allowed_drivers())


def setup_run(path: Path, *, port: int | None) -> RunConfig:
    """What runs where there is no configuration file yet: the setup, under the key that the room will have."""
    empty = parse_config({"agents": {}}, from_home(str(path)).resolve(), allowed_drivers(), port=port)
    return empty.model_copy(update={"is_setup": True})


def read_anew(run: RunConfig, *, port: int | None) -> RunConfig:
    """The configuration file of a run as it is now; `port` wins over the one in it.

    Raises:
        GroupXError: CONFIG_INVALID.
    """
    return load_config(run.config_path, allowed_drivers(), port=port)
