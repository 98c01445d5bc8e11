"""`groupx restart`: end this room's runtime in order, then start it with the newest configuration."""

from typing import Any

from django.conf import settings

from groupx.management.commands.groupx_start import Command as StartCommand
from groupx.stop import stop


class Command(StartCommand):
    help = "Stop the running room, if it runs, and start it here with the newest configuration."

    def run(self, **options: Any) -> int:
        stop(settings.RUN, self.say)
        return super().run(**options)
