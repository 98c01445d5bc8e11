"""The commands of a person in a terminal that need no Django: start, stop, demo, backup … One table of them.

The parent of a room must start at once and stays small; what needs the database happens in its children. `cli` takes
them from here; the management commands of the same names do as well. What a command does is imported when it runs.
"""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from groupx.terminal_words import TerminalParser, translate_help


# ---------------------------------------------------------------- options
def _at_least_one(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError("a number from 1 on")
    return int(text)


type Options = Callable[[argparse.ArgumentParser], None]


def room_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--config", metavar="PATH", help="the configuration file (default: ./groupx.json)")


def port_option(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--port", type=int, metavar="N", help="this port instead of the configured one")


def start_options(parser: argparse.ArgumentParser) -> None:
    port_option(parser)
    parser.add_argument("--no-open", action="store_true", help="open no browser")
    parser.add_argument("--listen-fd", type=int, help=argparse.SUPPRESS)


def init_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--yes", action="store_true", help="ask nothing and take what is suggested")


def resume_options(parser: argparse.ArgumentParser) -> None:
    port_option(parser)
    parser.add_argument("agent", help="its id in the configuration")


def service_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--print", choices=("systemd", "launchd"), required=True, help="for Linux (systemd) or macOS (launchd)"
    )


def backup_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--output", metavar="PATH", help="a new file, or a folder (default: .groupx/backups)")
    parser.add_argument(
        "--keep", type=_at_least_one, metavar="N", help="afterwards remove all but the newest N in that folder"
    )


def doctor_options(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--json", action="store_true", help="the findings as JSON (docs/operations.md)")
    parser.add_argument("--full", action="store_true", help="read all of a large database, however long it takes")
    parser.add_argument("--all", action="store_true", help="tell of every agent CLI that is known, installed or not")
    parser.add_argument("--live", metavar="AGENT", help="run one short turn of this agent and say what it shows")
    parser.add_argument(
        "--seconds",
        type=_at_least_one,
        default=120,
        metavar="N",
        help="with --live: how long it may take (default 120)",
    )
    parser.add_argument("--control-fd", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--repair", action="store_true", help="show what can be mended, ask, back up, mend")
    parser.add_argument("--yes", action="store_true", help="with --repair: do not ask")


@dataclass(frozen=True, kw_only=True)
class TerminalCommand:
    help: str
    runs: str
    """`module:function`; the function takes the options and gives the exit code."""
    options: Options
    needs_configuration: bool = True
    """A configuration that is missing or wrong ends the command."""
    needs_django: Callable[[argparse.Namespace], bool] = lambda options: False
    """With these options it is a management command after all."""

    def run(self, options: argparse.Namespace) -> int:
        module, _, function = self.runs.partition(":")
        exit_code: int = getattr(import_module(module), function)(options)
        return exit_code

    def add_arguments(self, parser: argparse.ArgumentParser) -> None:
        room_options(parser)
        self.options(parser)


COMMANDS = {
    "groupx_start": TerminalCommand(
        help="Start the room: server, agents, browser. Runs until Ctrl-C, SIGTERM or “groupx stop”.",
        runs="groupx.terminal_rooms:run_start",
        options=start_options,
    ),
    "groupx_init": TerminalCommand(
        help="Write a configuration file from the agent CLIs that are installed; asks first, starts nothing.",
        runs="groupx.setup.in_terminal:run_init",
        options=init_options,
        needs_configuration=False,
    ),
    "groupx_stop": TerminalCommand(
        help="Stop the running room and wait until it has ended.",
        runs="groupx.terminal_rooms:run_stop",
        options=port_option,
    ),
    "groupx_restart": TerminalCommand(
        help="Stop the running room, if it runs, and start it here with the newest configuration.",
        runs="groupx.terminal_rooms:run_restart",
        options=start_options,
    ),
    "groupx_signin": TerminalCommand(
        help="Print a fresh link that signs in to the admin of the running room, once, for ten minutes.",
        runs="groupx.terminal_rooms:run_sign_in",
        options=port_option,
    ),
    "groupx_resume": TerminalCommand(
        help="Let an agent of the running room go on that pauses or could not be started.",
        runs="groupx.terminal_rooms:run_resume",
        options=resume_options,
    ),
    "groupx_demo": TerminalCommand(
        help="Start a room with three scripted agents in .groupx-demo/; needs no agent CLI and no account.",
        runs="groupx.terminal_rooms:run_start",
        options=start_options,
    ),
    "groupx_service": TerminalCommand(
        help="Print a file by which your system starts the room at login, and what to do with it; changes nothing.",
        runs="groupx.terminal_service:run_service",
        options=service_options,
    ),
    "groupx_backup": TerminalCommand(
        help="Copy the room's database, also while it runs, and check the copy.",
        runs="groupx.terminal_care:run_backup",
        options=backup_options,
    ),
    "groupx_doctor": TerminalCommand(
        help="Look for what is wrong with the room, its files, database, processes and agents; changes nothing.",
        runs="groupx.terminal_care:run_doctor",
        options=doctor_options,
        needs_configuration=False,
        needs_django=lambda options: options.repair or options.live is not None,
    ),
}


def parse(verb: str, arguments: list[str], prog: str) -> argparse.Namespace | None:
    """The options of one of our commands; None when there are others among them, which may be Django's."""
    command = COMMANDS[verb]
    parser = TerminalParser(prog=prog, description=command.help, allow_abbrev=False)
    command.add_arguments(parser)
    translate_help(parser)
    options, unknown = parser.parse_known_args(arguments)
    return None if unknown else options
