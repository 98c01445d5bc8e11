"""`groupx_import FILE`: an exported transcript into a room that has none yet."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from groupx.backups import Progress
from groupx.kernel.clock import SystemClock
from groupx.kernel.home_paths import from_home
from groupx.kernel.logs import configure_logging
from groupx.management.base import GroupXCommand
from groupx.run_config import as_typed_here
from groupx.transcript_import import Imported, import_transcript


class Command(GroupXCommand):
    help = "Import an exported transcript into a room that has none yet; wakes nobody."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("file", metavar="FILE", help="a transcript as JSON lines, from its first event on")

    def run(self, *, file: str, **options: Any) -> None:
        configure_logging("import")
        path = from_home(file).absolute()
        progress = Progress(self._to_terminal)
        imported = import_transcript(path, settings.RUN, clock=SystemClock(), on_progress=progress)
        progress.end()
        for line in _told(path, imported):
            self.stdout.write(line)

    def _to_terminal(self, text: str) -> None:
        if sys.stderr.isatty():
            self.stderr.write(text, ending="")
            self.stderr.flush()


def _told(path: Path, imported: Imported) -> list[str]:
    if not imported.new_events:
        return [_("Nothing to do: the room has all events of %(path)s.") % {"path": path}]
    lines = [
        ngettext("Imported %(count)s event.", "Imported %(count)s events.", imported.new_events)
        % {"count": f"{imported.new_events:,}"}
    ]
    if imported.ended_turns:
        lines.append(
            ngettext(
                "  %(count)d turn that was open has ended; nothing is sent again by itself.",
                "  %(count)d turns that were open have ended; nothing is sent again by itself.",
                imported.ended_turns,
            )
            % {"count": imported.ended_turns}
        )
    start = as_typed_here(settings.RUN, "start")
    return [*lines, _("  Start the room with: %(command)s") % {"command": start}]
