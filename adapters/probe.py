"""Which CLIs are installed here: every profile's executable on PATH and its version, without starting a session."""

import asyncio

from adapters.contract import ProbeResult
from adapters.driver_names import installable_programs
from adapters.registry import driver_for


async def probe_all() -> list[ProbeResult]:
    """One result per driver that looks for a program of its own, sorted by driver; bounded to a few seconds."""
    return list(await asyncio.gather(*(driver_for(program.driver).probe() for program in installable_programs())))
