"""Driver name to driver: one for each of `driver_names.DRIVER_NAMES`."""

from adapters.acp.driver import AcpDriver
from adapters.acp.profiles import PROFILES
from adapters.claude.driver import ClaudeDriver
from adapters.claude.program import CLAUDE
from adapters.contract import Driver

_DRIVERS: dict[str, Driver] = {
    CLAUDE.driver: ClaudeDriver(),
    **{profile.driver: AcpDriver(profile) for profile in PROFILES},
}


def driver_for(name: str) -> Driver:
    """Raises KeyError for a name that is not in DRIVER_NAMES."""
    return _DRIVERS[name]
