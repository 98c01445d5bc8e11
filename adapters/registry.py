"""Driver name to driver. The only place that knows which drivers there are."""

from adapters.acp.driver import AcpDriver
from adapters.acp.profiles import PROFILES
from adapters.contract import Driver

_DRIVERS: dict[str, Driver] = {profile.driver: AcpDriver(profile) for profile in PROFILES}


def driver_names() -> tuple[str, ...]:
    """As a configuration may name them, sorted."""
    return tuple(sorted(_DRIVERS))


def driver_for(name: str) -> Driver:
    """Raises KeyError for a name that `driver_names` does not give."""
    return _DRIVERS[name]
