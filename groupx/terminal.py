"""The commands of a person in a terminal that need no Django: start, stop, demo, backup … One table of them.

The parent of a room must start at once and stays small; what needs the database happens in its children. `cli` takes
them from here; the management commands of the same names do as well.
"""

import argparse
import json
import os
import shutil
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from groupx import backups
from groupx.doctor.examine import examine
from groupx.doctor.findings import Report
from groupx.doctor.printing import report_lines
from groupx.doctor.situation import look_around
from groupx.kernel.clock import SystemClock
from groupx.kernel.logs import configure_logging
from groupx.run_config import CONFIG_NAME, CONFIG_VARIABLE, current_run
from groupx.sign_in_link import show_sign_in_link
from groupx.start import StartOptions, start
from groupx.stop import stop
from groupx.terminal_words import gettext as _
from groupx.terminal_words import in_words, translate_help


def say(sentence: str) -> None:
    """To standard output, in the terminal's language, at once. A room does not end because nobody reads it."""
    with suppress(OSError):
        print(in_words(sentence), flush=True)  # noqa: T201 - a command's own words


def run_start(options: argparse.Namespace) -> int:
    configure_logging("parent")
    given = StartOptions(opens_browser=not options.no_open, port=options.port, listen_fd=options.listen_fd)
    return start(current_run(), given, say)


def run_stop(options: argparse.Namespace) -> int:
    stop(current_run(), say)
    return 0


def run_restart(options: argparse.Namespace) -> int:
    stop(current_run(), say)
    return run_start(options)


def run_sign_in(options: argparse.Namespace) -> int:
    show_sign_in_link(current_run(), say)
    return 0


def run_backup(options: argparse.Namespace) -> int:
    output = None if options.output is None else Path(options.output).expanduser().absolute()
    progress = backups.Progress(_to_terminal)
    made = backups.make_backup(current_run(), output, clock=SystemClock(), on_progress=progress)
    progress.end()
    say(_("Backed up to %(path)s") % {"path": made.path})
    say(
        _("  %(size)s, %(events)s events, checked, in %(seconds).1f s")
        % {"size": readable_bytes(made.size_bytes), "events": f"{made.events:,}", "seconds": made.took_seconds}
    )
    say(_("  Restore it with: groupx restore %(path)s") % {"path": made.path})
    if options.keep is not None:
        for path in backups.remove_older(made.path.parent, options.keep):
            say(_("  Removed the older %(name)s") % {"name": path.name})
    return 0


def run_doctor(options: argparse.Namespace) -> int:
    """Look only; `--repair` is groupx/management/commands/groupx_doctor.py."""
    report = examine(look_around(config_path(options.config), is_full=options.full))
    if options.json:
        say(json.dumps(report.wire(), ensure_ascii=False, indent=2))
    else:
        say_report(report)
    return 0 if report.is_ok else 1


def config_path(given: str | None) -> Path:
    return Path(given or os.environ.get(CONFIG_VARIABLE) or CONFIG_NAME).expanduser().absolute()


def say_report(report: Report) -> None:
    has_colour = sys.stdout.isatty() and not os.environ.get("NO_COLOR")
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


# ---------------------------------------------------------------- options
type Options = Callable[[argparse.ArgumentParser], None]


def room_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="PATH", help="the configuration file (default: ./groupx.json)")


def port_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, metavar="N", help="this port instead of the configured one")


def start_options(parser: argparse.ArgumentParser) -> None:
    port_option(parser)
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    parser.add_argument("--listen-fd", type=int, help=argparse.SUPPRESS)


def backup_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="PATH", help="a new file, or a folder (default: .groupx/backups)")
    parser.add_argument(
        "--keep", type=_at_least_one, metavar="N", help="afterwards remove all but the newest N in that folder"
    )


def doctor_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the findings as JSON (docs/operations.md)")
    parser.add_argument("--full", action="store_true", help="read all of a large database, however long it takes")
    parser.add_argument("--repair", action="store_true", help="show what can be mended, ask, back up, mend")
    parser.add_argument("--yes", action="store_true", help="with --repair: do not ask")


def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("a number from 1 on")
    return int(text)


@dataclass(frozen=True, kw_only=True)
class TerminalCommand:
    help: str
    run: Callable[[argparse.Namespace], int]
    options: Options
    needs_configuration: bool = True
    """A configuration that is missing or wrong ends the command."""
    needs_django: Callable[[argparse.Namespace], bool] = lambda options: False
    """With these options it is a management command after all."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        room_options(parser)
        self.options(parser)


COMMANDS = {
    "groupx_start": TerminalCommand(
        help="Start the room: server, agents, browser. Runs until Ctrl-C, SIGTERM or “groupx stop”.",
        run=run_start,
        options=start_options,
    ),
    "groupx_stop": TerminalCommand(
        help="Stop the running room and wait until it has ended.", run=run_stop, options=port_option
    ),
    "groupx_restart": TerminalCommand(
        help="Stop the running room, if it runs, and start it here with the newest configuration.",
        run=run_restart,
        options=start_options,
    ),
    "groupx_signin": TerminalCommand(
        help="Print a fresh link that signs in to the admin of the running room, once, for ten minutes.",
        run=run_sign_in,
        options=port_option,
    ),
    "groupx_demo": TerminalCommand(
        help="Start a room with three scripted agents in .groupx-demo/; needs no agent CLI and no account.",
        run=run_start,
        options=start_options,
    ),
    "groupx_backup": TerminalCommand(
        help="Copy the room's database, also while it runs, and check the copy.",
        run=run_backup,
        options=backup_options,
    ),
    "groupx_doctor": TerminalCommand(
        help="Look for what is wrong with the room, its files, database, processes and agents; changes nothing.",
        run=run_doctor,
        options=doctor_options,
        needs_configuration=False,
        needs_django=lambda options: options.repair,
    ),
}


def parse(verb: str, arguments: list[str], prog: str) -> argparse.Namespace | None:
    """The options of one of our commands; None when there are others among them, which may be Django's."""
    command = COMMANDS[verb]
    parser = argparse.ArgumentParser(prog=prog, description=command.help, allow_abbrev=False)
    command.add_arguments(parser)
    translate_help(parser)
    options, unknown = parser.parse_known_args(arguments)
    return None if unknown else options
