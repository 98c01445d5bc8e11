"""Which CLIs are installed here: every profile's executable on PATH and its version, without starting a session."""

import asyncio

from adapters.contract import ProbeResult
from adapters.driver_names import DRIVER_NAMES
from adapters.registry import driver_for


async def probe_all() -> list[ProbeResult]:
    """One result per driver that looks for a program of its own, sorted by driver; bounded to a few seconds."""
    own = [name for name in DRIVER_NAMES if name != "acp"]
    return list(await asyncio.gather(*(driver_for(name).probe() for name in own)))
