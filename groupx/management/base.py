"""What all management commands of ours have in common. Their errors end in groupx/cli.py."""

import argparse
import sys
from abc import ABC, abstractmethod
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from groupx import terminal
from groupx.terminal_words import in_words


class GroupXCommand(BaseCommand, ABC):
    """A command of ours. `--config` was read before Django was (cli.py)."""

    requires_system_checks = []

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        return super().create_parser(prog_name, subcommand, allow_abbrev=False, **kwargs)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--config", metavar="PATH", help=in_words(terminal.CONFIG_HELP))

    def handle(self, *args: Any, **options: Any) -> None:
        if exit_code := self.run(**options):
            sys.exit(exit_code)

    @abstractmethod
    def run(self, **options: Any) -> int | None:
        """Do what was asked; gives the exit code, None is 0."""


class TerminalVerb(GroupXCommand):
    """One of the commands of groupx/terminal.py, for `manage.py help` and for Django's own options."""

    verb: str

    @property
    def help(self) -> str:  # type: ignore[override]
        return in_words(terminal.COMMANDS[self.verb].help)

    def add_arguments(self, parser: CommandParser) -> None:
        terminal.COMMANDS[self.verb].add_arguments(parser)

    def run(self, **options: Any) -> int | None:
        return terminal.COMMANDS[self.verb].run(argparse.Namespace(**options))
