"""The kinds of CLI that a configuration may name: data, so that a process which runs no agent imports no driver.

Whoever lists them (configuration, doctor, first start) asks here when it needs them: what is added to the profiles or
to `OTHERS` is known everywhere.
"""

from adapters.acp.profiles import BY_DRIVER
from adapters.claude.program import CLAUDE
from adapters.codex.program import CODEX
from adapters.program import Program
from groupx.kernel.drivers import OPEN_DRIVER

OTHERS = (CLAUDE, CODEX)
"""Those with a driver of their own; `adapters.registry` has it."""


def known_programs() -> dict[str, Program]:
    """Driver name to what is known of its program, sorted by name."""
    return dict(sorted({**BY_DRIVER, **{program.driver: program for program in OTHERS}}.items()))


def driver_names() -> tuple[str, ...]:
    return tuple(known_programs())


def installable_programs() -> list[Program]:
    """All but the open driver's, which is whatever its person names."""
    return [program for name, program in known_programs().items() if name != OPEN_DRIVER]
