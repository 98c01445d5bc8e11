"""Which CLIs are installed here: every profile's executable on PATH and its version, without starting a session."""

import asyncio
from dataclasses import dataclass

from adapters.contract import ProbeResult
from adapters.driver_names import installable_programs, known_programs
from adapters.executables import find
from adapters.registry import driver_for
from adapters.sign_in import SignIn, ask_for_sign_in


@dataclass(frozen=True, kw_only=True)
class Looked:
    """What one program told."""

    probe: ProbeResult
    sign_in: SignIn


async def probe_all() -> list[ProbeResult]:
    """One result per driver that looks for a program of its own, sorted by driver; bounded to a few seconds."""
    return list(await asyncio.gather(*(driver_for(program.driver).probe() for program in installable_programs())))


async def look_at(driver: str, argv: tuple[str, ...] | None = None) -> Looked:
    """Its version and whether somebody has signed in; bounded to a few seconds. `argv`: of this command."""
    probe, sign_in = await asyncio.gather(driver_for(driver).probe(argv), _ask_for_sign_in(driver, argv))
    return Looked(probe=probe, sign_in=sign_in)


async def _ask_for_sign_in(driver: str, argv: tuple[str, ...] | None) -> SignIn:
    program = known_programs()[driver]
    name, *more = argv or program.executables[:1]
    executable = await asyncio.to_thread(find, name)
    return await ask_for_sign_in(program, (executable, *more)) if executable else SignIn.NOT_KNOWN
