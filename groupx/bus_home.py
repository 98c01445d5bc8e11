"""Where the rooms of the file bus lie that this server shows."""

from collections.abc import Mapping

from groupx.kernel.config import Bus
from groupx.kernel.home_paths import from_home
from rooms.bus.environment import HOME
from rooms.bus.folder import DEFAULT_HOME, Home


def bus_home(bus: Bus, environment: Mapping[str, str]) -> Home:
    """What the configuration names, else what `aig` would take."""
    return Home(from_home(bus.home or environment.get(HOME) or DEFAULT_HOME).absolute())
