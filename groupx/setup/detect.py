"""Which CLIs are installed here, for the setup: asked all at once, with a bound, and remembered for some seconds."""

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping

from adapters.contract import ProbeResult
from adapters.driver_names import known_programs
from adapters.probe import Looked, look_at
from adapters.program import Program, is_older
from adapters.sign_in import SignIn, signs_of_sign_in
from groupx.kernel.clock import Clock
from groupx.kernel.config import DEFAULT_STORAGE
from groupx.kernel.drivers import OPEN_DRIVER
from groupx.kernel.environment import value_of
from groupx.setup.answers import AssistantDraftTold, DraftTold, DriverFound
from groupx.setup.draft import ASSISTANT_NAME

KEPT_SECONDS = 10.0
LOOK_SECONDS = 8.0
"""For one program; each of its questions has a bound of its own."""
BRAINS = ("claude", "codex")
"""Preferred as the assistant's brain, if installed; else the first that is."""
OPEN_HINT = "Any other agent that speaks the Agent Client Protocol: name its command and its arguments."

type Look = Callable[[str], Awaitable[Looked]]


class Detection:
    """All methods belong to one loop."""

    def __init__(self, clock: Clock, look: Look | None = None) -> None:
        self._clock, self._look = clock, look or look_at
        self._found: list[DriverFound] = []
        self._until = float("-inf")
        self._looking = asyncio.Lock()

    async def drivers(self) -> list[DriverFound]:
        """Every kind of CLI that there is, sorted by driver."""
        async with self._looking:  # whoever comes meanwhile gets the same findings
            if self._clock.monotonic() >= self._until:
                self._found = list(await asyncio.gather(*map(self._look_at, known_programs().values())))
                self._until = self._clock.monotonic() + KEPT_SECONDS
        return self._found

    async def _look_at(self, program: Program) -> DriverFound:
        if program.driver == OPEN_DRIVER:
            return {"driver": program.driver, "label": program.title, "found": False, "hint": OPEN_HINT}
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                looked = await self._look(program.driver)
        except TimeoutError:
            problem = f"It did not answer within {LOOK_SECONDS:.0f} s."
            looked = Looked(probe=_nothing(program, problem), sign_in=SignIn.NOT_KNOWN)
        return found(program, looked)


def _nothing(program: Program, problem: str) -> ProbeResult:
    return ProbeResult(driver=program.driver, executable=None, version=None, problem=problem)


def found(program: Program, looked: Looked) -> DriverFound:
    """What the setup says of one program. Pure but for the user and the signs of a sign-in."""
    probe = looked.probe
    told: DriverFound = {
        "driver": program.driver,
        "label": program.title,
        "found": probe.executable is not None,
    }
    if probe.executable is not None:
        told["command"] = probe.executable
    if probe.version is not None:
        told["version"] = probe.version
    if program.install is not None:
        told["install"] = program.install
    problem, hint = _problem(program, looked)
    if problem:
        told["problem"] = problem
    if hint:
        told["hint"] = hint
    return told


def _problem(program: Program, looked: Looked) -> tuple[str | None, str | None]:
    """The first thing that stands in the way, and what to do about it."""
    probe = looked.probe
    if probe.executable is None or probe.problem is not None:
        return probe.problem, probe.hint
    if program.works_as_root_with and os.geteuid() == 0 and not value_of(program.works_as_root_with):
        return (
            f"{program.title} does not work without asking as root.",
            f"Start GroupX as another user, or with {program.works_as_root_with}=1 in a container or other sandbox.",
        )
    if probe.version and program.oldest_version and is_older(probe.version, program.oldest_version):
        oldest = ".".join(map(str, program.oldest_version))
        return f"This version is older than any that was tried with GroupX ({oldest}).", program.install
    if looked.sign_in is SignIn.NO and not signs_of_sign_in(program):
        return f"{program.title} says that nobody has signed in.", program.sign_in
    return None, None


# ---------------------------------------------------------------- a first configuration
def suggested(drivers: list[DriverFound], port: int) -> DraftTold | None:
    """One agent per installed CLI, working in the folder of the file, and the assistant; None where there is none."""
    installed = {driver["driver"]: driver for driver in drivers if driver["found"]}
    if not installed:
        return None
    return {
        "serverPort": port,
        "storagePath": DEFAULT_STORAGE,
        "agents": [
            {
                "id": name,
                "driver": name,
                "name": driver["label"],
                "identity": "",
                "command": driver["command"],
                "cwd": ".",
                "enabled": True,
            }
            for name, driver in installed.items()
        ],
        "assistant": _suggested_assistant(installed),
    }


def _suggested_assistant(installed: Mapping[str, DriverFound]) -> AssistantDraftTold:
    usable = [name for name, driver in installed.items() if "problem" not in driver] or list(installed)
    brain = next((name for name in BRAINS if name in usable), usable[0])
    return {
        "enabled": True,
        "name": ASSISTANT_NAME,
        "brain": {"driver": brain, "command": installed[brain]["command"], "cwd": "."},
        "extraInstructions": "",
    }
