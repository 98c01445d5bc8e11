"""What all management commands of ours have in common. Their errors end in groupx/cli.py."""

import argparse
import sys
from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import BaseCommand, CommandParser
from django.utils.translation import override

from groupx import terminal, terminal_words


class GroupXCommand(BaseCommand, ABC):
    """A command of ours. `--config` was read before Django was (cli.py)."""

    requires_system_checks = []
    language = terminal_words.LANGUAGE
    """What `run` says to whom; a part of a room speaks to readers of any language, so in English."""
    suppressed_base_arguments = {
        "--force-color", "--no-color", "--pythonpath", "--settings", "--skip-checks", "--traceback", "--verbosity",
        "--version",
    }  # fmt: skip
    """Django's own work as well, and are in no help of ours."""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, allow_abbrev=False, **kwargs)
        terminal_words.translate_help(parser)
        return parser

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--config", metavar="PATH", help="the configuration file (default: ./groupx.json)")

    def handle(self, *args: Any, **options: Any) -> None:
        with override(self.language):
            exit_code = self.run(**options)
        if exit_code:
            sys.exit(exit_code)

    @abstractmethod
    def run(self, **options: Any) -> int | None:
        """Do what was asked; gives the exit code, None is 0."""


class TerminalVerb(GroupXCommand):
    """One of the commands of groupx/terminal.py, for `manage.py help` and for Django's own options."""

    verb: str

    @property
    def help(self) -> str:  # type: ignore[override]
        return terminal.COMMANDS[self.verb].help

    def add_arguments(self, parser: CommandParser) -> None:
        terminal.COMMANDS[self.verb].add_arguments(parser)

    def run(self, **options: Any) -> int | None:
        return terminal.COMMANDS[self.verb].run(argparse.Namespace(**options))
