"""`groupx_restore BACKUP`: make a room's database from a backup, never over another file."""

import sys
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from groupx.backups import Progress
from groupx.kernel.clock import SystemClock, on_the_wall
from groupx.kernel.errors import invalid
from groupx.kernel.home_paths import from_home
from groupx.kernel.logs import configure_logging
from groupx.management.base import GroupXCommand
from groupx.restore import Restored, restore
from groupx.run_config import as_typed_here


class Command(GroupXCommand):
    help = "Restore a backup into a new file; with --replace in place of the room's database, which is kept aside."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("backup", metavar="BACKUP", help="a file that “groupx backup” has made")
        parser.add_argument(
            "--to", metavar="PATH", help="this new file (default: the room's database, or a new file beside it)"
        )
        parser.add_argument(
            "--replace", action="store_true", help="move the room's present database aside and take its place"
        )

    def run(self, *, backup: str, to: str | None, replace: bool, **options: Any) -> None:
        configure_logging("restore")
        if to is not None and replace:
            raise invalid(_("--replace is for the room's own database; --to names another file. Give one of them."))
        progress = Progress(self._to_terminal)
        restored = restore(
            _path(backup),
            settings.RUN,
            to=_path(to) if to is not None else None,
            replaces=replace,
            clock=SystemClock(),
            on_progress=progress,
        )
        progress.end()
        for line in self._told(_path(backup), restored):
            self.stdout.write(line)

    def _told(self, backup: Path, restored: Restored) -> list[str]:
        ends_at = on_the_wall(restored.ends_at) if restored.ends_at else "–"
        lines = [
            _("Restored %(backup)s") % {"backup": backup},
            _("  into %(path)s: %(events)s events, the last of %(ends_at)s")
            % {"path": restored.path, "events": f"{restored.events:,}", "ends_at": ends_at},
        ]
        if count := restored.settled_turns:
            lines.append(
                ngettext(
                    "  %(count)d turn that was open has ended; nothing is sent again by itself.",
                    "  %(count)d turns that were open have ended; nothing is sent again by itself.",
                    count,
                )
                % {"count": count}
            )
        if restored.moved_aside:
            lines.append(_("  The former database is now %(path)s") % {"path": restored.moved_aside})
        if restored.is_in_use:
            start = as_typed_here(settings.RUN, "start")
            return [*lines, _("  Start the room with: %(command)s") % {"command": start}]
        stop = as_typed_here(settings.RUN, "stop")
        replace = as_typed_here(settings.RUN, "restore", str(backup), "--replace")
        return [
            *lines,
            _("The room's own database was left alone. To use the restored one, either"),
            _("  set storage.path to it in %(config)s and start the room again, or")
            % {"config": settings.RUN.config_path},
            _("  %(stop)s, then: %(replace)s") % {"stop": stop, "replace": replace},
        ]

    def _to_terminal(self, text: str) -> None:
        if sys.stderr.isatty():
            self.stderr.write(text, ending="")
            self.stderr.flush()


def _path(given: str) -> Path:
    return from_home(given).resolve()
