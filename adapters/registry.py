"""Driver name to driver: one for each of `driver_names.driver_names()`."""

from collections.abc import Callable, Mapping

from adapters.acp.driver import AcpDriver
from adapters.acp.profiles import BY_DRIVER
from adapters.claude.driver import ClaudeDriver
from adapters.claude.program import CLAUDE
from adapters.codex.driver import CodexDriver
from adapters.codex.program import CODEX
from adapters.contract import Driver

OTHERS: Mapping[str, Callable[[], Driver]] = {CLAUDE.driver: ClaudeDriver, CODEX.driver: CodexDriver}
"""One for each of `driver_names.OTHERS`."""
_drivers: dict[str, Driver] = {}


def driver_for(name: str) -> Driver:
    """The one driver of this name in this process: it remembers what it learns of the installed program.

    Raises KeyError for a name that is not known.
    """
    if name not in _drivers:
        _drivers[name] = OTHERS[name]() if name in OTHERS else AcpDriver(BY_DRIVER[name])
    return _drivers[name]
