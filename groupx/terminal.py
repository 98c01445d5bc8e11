"""The commands of a person in a terminal that own no database: start, stop, restart, demo. One table of them.

They run without Django: the parent of a room must start at once and stays small, and what needs the database
happens in its children. `cli` takes them from here; the management commands of the same names do as well.
"""

import argparse
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass

from groupx.kernel.logs import configure_logging
from groupx.run_config import current_run
from groupx.start import StartOptions, start
from groupx.stop import stop


def say(sentence: str) -> None:
    """To standard output at once, also when that is a file. A room does not end because nobody reads it."""
    with suppress(OSError):
        print(sentence, flush=True)  # noqa: T201 - a command's own words


def run_start(options: argparse.Namespace) -> int:
    configure_logging("parent")
    start_options = StartOptions(opens_browser=not options.no_open, port=options.port, listen_fd=options.listen_fd)
    return start(current_run(), start_options, say)


def run_stop(options: argparse.Namespace) -> int:
    stop(current_run(), say)
    return 0


def run_restart(options: argparse.Namespace) -> int:
    stop(current_run(), say)
    return run_start(options)


@dataclass(frozen=True, kw_only=True)
class TerminalCommand:
    help: str
    run: Callable[[argparse.Namespace], int]
    starts: bool
    """Takes the options of a start."""

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        parser.add_argument("--config", metavar="PATH", help="the configuration file (default: ./groupx.json)")
        parser.add_argument("--port", type=int, metavar="N", help="this port instead of the configured one")
        if self.starts:
            parser.add_argument("--no-open", action="store_true", help="open no browser")
            parser.add_argument("--listen-fd", type=int, help=argparse.SUPPRESS)


COMMANDS = {
    "groupx_start": TerminalCommand(
        help="Start the room: server, agents, browser. Runs until Ctrl-C, SIGTERM or “groupx stop”.",
        run=run_start,
        starts=True,
    ),
    "groupx_stop": TerminalCommand(
        help="Stop the running room and wait until it has ended.", run=run_stop, starts=False
    ),
    "groupx_restart": TerminalCommand(
        help="Stop the running room, if it runs, and start it here with the newest configuration.",
        run=run_restart,
        starts=True,
    ),
    "groupx_demo": TerminalCommand(
        help="Start a room with three scripted agents in .groupx-demo/; needs no agent CLI and no account.",
        run=run_start,
        starts=True,
    ),
}


def parse(verb: str, arguments: list[str], prog: str) -> argparse.Namespace | None:
    """The options of one of our commands; None when there are others among them, which may be Django's."""
    command = COMMANDS[verb]
    parser = argparse.ArgumentParser(prog=prog, description=command.help, allow_abbrev=False)
    command.add_arguments(parser)
    options, unknown = parser.parse_known_args(arguments)
    return None if unknown else options
