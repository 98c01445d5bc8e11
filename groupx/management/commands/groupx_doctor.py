"""`groupx_doctor` with `--repair` or `--live`, and among Django's commands. Looking alone: groupx/terminal_care.py."""

import argparse
import sys
from typing import Any

from django.utils.translation import gettext as _

from groupx.doctor.examine import examine
from groupx.doctor.findings import Level, Report
from groupx.doctor.live import check_live
from groupx.doctor.options import check_options
from groupx.doctor.repairs import STEPS, mend, possible
from groupx.doctor.situation import Situation, look_around
from groupx.kernel.clock import SystemClock
from groupx.kernel.logs import configure_logging
from groupx.management.base import TerminalVerb
from groupx.quiet_room import room_runs
from groupx.run_config import current_run
from groupx.terminal_care import config_path, run_doctor, say_report


class Command(TerminalVerb):
    verb = "groupx_doctor"

    def run(self, **options: Any) -> int:
        given = argparse.Namespace(**options)
        check_options(given)
        if given.live is not None:
            configure_logging("doctor")
            return check_live(
                current_run(), given.live, seconds=given.seconds, as_json=given.json, control_fd=given.control_fd
            )
        if not given.repair:
            return run_doctor(given)
        configure_logging("doctor")
        return self._repair(look_around(config_path(given.config), is_full=given.full), given)

    def _repair(self, situation: Situation, given: argparse.Namespace) -> int:
        report = examine(situation)
        repairs, waiting = possible(report, is_running=situation.is_running)
        if not repairs and not waiting:
            self.stdout.write(_("There is nothing here that the doctor can mend."))
            return self._tell_the_rest(report)
        for number, repair in enumerate(repairs, start=1):
            self.stdout.write(f"{number}. {STEPS[repair].plan}")
        for repair in waiting:
            about = {"command": situation.command("stop"), "step": STEPS[repair].plan}
            self.stdout.write(_("After “%(command)s”: %(step)s") % about)
        if not repairs:
            raise room_runs(situation.run)
        if any(STEPS[repair].changes_database for repair in repairs):
            self.stdout.write(_("A backup is made before the database is touched."))
        if not (given.yes or self._agreed()):
            self.stdout.write(_("Nothing was changed."))
            return 1
        mend(repairs, situation.run, self.stdout.write, clock=SystemClock())
        return self._tell_the_rest(examine(look_around(situation.config_path, is_full=given.full)))

    def _agreed(self) -> bool:
        self.stdout.write(_("Do this? [y/N] "), ending="")
        self.stdout.flush()
        answer = sys.stdin.readline()
        if not answer.endswith("\n"):
            self.stdout.write("")
        return answer.strip().lower() in ("y", "yes")

    def _tell_the_rest(self, report: Report) -> int:
        left = [finding for finding in report.findings if finding.level in (Level.PROBLEM, Level.WARNING)]
        if left or report.repairs:
            self.stdout.write("")
            say_report(report)
        return 0 if report.is_ok else 1
