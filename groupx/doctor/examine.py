"""Run all checks side by side, each with a bound: one that hangs is a finding, not a doctor that hangs."""

import threading
import time
from collections.abc import Callable, Sequence

from groupx import __version__
from groupx.doctor.agents import check_agents
from groupx.doctor.configuration import check_configuration
from groupx.doctor.files import check_files
from groupx.doctor.findings import Finding, Level, Part, Report
from groupx.doctor.machine import check_machine
from groupx.doctor.processes import check_processes
from groupx.doctor.situation import Situation
from groupx.doctor.store import FULL_SECONDS, check_store
from groupx.terminal_words import gettext as _

CHECK_SECONDS = 8.0
"""More than any check gives itself."""

type Check = Callable[[Situation], Sequence[Finding]]
CHECKS: dict[Part, Check] = {
    Part.MACHINE: check_machine,
    Part.CONFIGURATION: check_configuration,
    Part.FILES: check_files,
    Part.PROCESSES: check_processes,
    Part.DATABASE: check_store,
    Part.AGENTS: check_agents,
}


def examine(situation: Situation, checks: dict[Part, Check] = CHECKS, seconds: float | None = None) -> Report:
    """Look at everything; takes as long as the slowest check, and never longer than the bound."""
    if seconds is None:
        seconds = FULL_SECONDS + CHECK_SECONDS if situation.is_full else CHECK_SECONDS
    began = time.monotonic()
    running = [_Running(part, check, situation) for part, check in checks.items()]
    findings = [finding for one in running for finding in one.result(began + seconds, seconds)]
    return Report(
        version=__version__,
        config_path=str(situation.config_path),
        findings=findings,
        took_ms=round((time.monotonic() - began) * 1000),
    )


class _Running:
    def __init__(self, part: Part, check: Check, situation: Situation) -> None:
        self._part, self._check, self._situation = part, check, situation
        self._found: Sequence[Finding] | None = None
        # A daemon: a check that hangs in a dead network file system must not keep the process.
        self._thread = threading.Thread(target=self._run, name=f"doctor-{part}", daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found = self._check(self._situation)
        except Exception as error:  # one check that fails must not hide what the others have found
            self._found = [
                Finding(
                    part=self._part,
                    level=Level.WARNING,
                    code="CHECK_FAILED",
                    message=_("This could not be looked at: %(reason)s.")
                    % {"reason": f"{type(error).__name__}: {error}"},
                )
            ]

    def result(self, deadline: float, seconds: float) -> Sequence[Finding]:
        self._thread.join(max(0.0, deadline - time.monotonic()))
        if self._found is not None:
            return self._found
        return [
            Finding(
                part=self._part,
                level=Level.PROBLEM,
                code="CHECK_TIMED_OUT",
                message=_("This could not be looked at within %(seconds)g s.") % {"seconds": seconds},
                hint=_("A disk or a network file system may not answer."),
            )
        ]
