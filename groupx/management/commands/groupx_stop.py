"""`groupx stop`: end this room's runtime in order, from another terminal."""

from typing import Any

from django.conf import settings
from django.core.management.base import CommandParser

from groupx.management.base import GroupXCommand
from groupx.stop import stop


class Command(GroupXCommand):
    help = "Stop the running room and wait until it has ended."

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--port", type=int, metavar="N", help="where it runs, if started with --port")

    def run(self, **options: Any) -> int:
        stop(settings.RUN, self.say)
        return 0
