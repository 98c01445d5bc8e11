"""`groupx backup` and `groupx doctor` in a terminal."""

import argparse
import json
import shutil
import sys
from contextlib import suppress
from pathlib import Path

from groupx import backups
from groupx.doctor.examine import examine
from groupx.doctor.findings import Report
from groupx.doctor.options import check_options
from groupx.doctor.printing import report_lines
from groupx.doctor.situation import look_around
from groupx.kernel.as_typed import CONFIG_NAME
from groupx.kernel.clock import SystemClock
from groupx.kernel.environment import value_of
from groupx.kernel.home_paths import from_home
from groupx.run_config import CONFIG_VARIABLE, as_typed_here, current_run
from groupx.terminal_words import gettext as _
from groupx.terminal_words import say


def run_backup(options: argparse.Namespace) -> int:
    output = None if options.output is None else from_home(options.output).absolute()
    progress = backups.Progress(_to_terminal)
    made = backups.make_backup(current_run(), output, clock=SystemClock(), on_progress=progress)
    progress.end()
    say(_("Backed up to %(path)s") % {"path": made.path})
    say(
        _("  %(size)s, %(events)s events, checked, in %(seconds).1f s")
        % {"size": readable_bytes(made.size_bytes), "events": f"{made.events:,}", "seconds": made.took_seconds}
    )
    again = as_typed_here(current_run(), "restore", str(made.path))
    say(_("  Restore it with: %(command)s") % {"command": again})
    if options.keep is not None:
        for path in backups.remove_older(made.path, options.keep):
            say(_("  Removed the older %(name)s") % {"name": path.name})
    return 0


def run_doctor(options: argparse.Namespace) -> int:
    """Look only; `--repair` and `--live` are groupx/management/commands/groupx_doctor.py."""
    check_options(options)
    situation = look_around(config_path(options.config), is_full=options.full, is_about_all_drivers=options.all)
    report = examine(situation)
    if options.json:
        say(json.dumps(report.wire(), ensure_ascii=False, indent=2))
    else:
        say_report(report)
    return 0 if report.is_ok else 1


def config_path(given: str | None) -> Path:
    return from_home(given or value_of(CONFIG_VARIABLE) or CONFIG_NAME).absolute()


def say_report(report: Report) -> None:
    has_colour = sys.stdout.isatty() and not value_of("NO_COLOR")
    width = shutil.get_terminal_size().columns
    say("\n".join(report_lines(report, width=width, has_colour=has_colour)))


def readable_bytes(size: float) -> str:
    """`12.3 MB`, in powers of 1000 as file managers show it."""
    for unit in ("B", "kB", "MB", "GB"):
        if size < 1000 or unit == "GB":
            break
        size /= 1000
    return f"{size:.0f} B" if unit == "B" else f"{size:.1f} {unit}"


def _to_terminal(text: str) -> None:
    if sys.stderr.isatty():
        with suppress(OSError):
            print(text, end="", file=sys.stderr, flush=True)  # noqa: T201 - a command's own words
