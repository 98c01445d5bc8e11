"""`groupx_serve`: the room's web server. Started by groupx_start; by hand it binds the configured port itself."""

from argparse import ArgumentParser
from typing import Any

from django.conf import settings

from groupx.management.base import GroupXCommand
from groupx.serve_process import run_serve, run_setup


class Command(GroupXCommand):
    help = "Serve the room's pages, API and event stream."
    language = "en"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--fd", type=int, default=None, help="an inherited listening socket")
        parser.add_argument("--control-fd", type=int, default=None, help="the control line to the parent")
        parser.add_argument("--prepare", action="store_true", help="make the database ready first")
        parser.add_argument("--setup", action="store_true", help="serve the setup instead of the room")
        super().add_arguments(parser)

    def run(self, *, fd: int | None, control_fd: int | None, prepare: bool, setup: bool, **options: Any) -> None:
        if setup:
            run_setup(settings.RUN, fd, control_fd)
            return
        run_serve(settings.RUN, fd, control_fd, prepares=prepare)
