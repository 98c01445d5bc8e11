"""`groupx start`: run the room until it is stopped."""

import argparse
from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from groupx.kernel.logs import configure_logging
from groupx.management.base import GroupXCommand
from groupx.start import StartOptions, start


class Command(GroupXCommand):
    help = "Start the room: server, agents, browser. Runs until Ctrl-C, SIGTERM or “groupx stop”."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--port", type=int, metavar="N", help="listen on this port instead of the configured one")
        parser.add_argument("--no-open", action="store_true", help="open no browser")
        parser.add_argument("--listen-fd", type=int, help=argparse.SUPPRESS)

    def run(self, *, no_open: bool, port: int | None, listen_fd: int | None = None, **options: Any) -> int:
        configure_logging("parent")
        start_options = StartOptions(opens_browser=not no_open, port=port, listen_fd=listen_fd)
        return start(settings.RUN, start_options, self.say)
