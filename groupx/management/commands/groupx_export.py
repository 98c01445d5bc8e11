"""`groupx_export`: the transcript into a file or to standard output, whether the room runs or not."""

import os
import sys
from argparse import ArgumentParser
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from django.conf import settings
from django.utils.translation import gettext as _

from groupx.database import at_least_reading, require_current
from groupx.kernel.clock import SystemClock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.home_paths import from_home
from groupx.kernel.logs import configure_logging
from groupx.kernel.shapes import parse
from groupx.management.base import GroupXCommand
from groupx.private_output import new_private_file
from rooms.export.formats import ExportFormat, ExportRequest
from rooms.export.queries import all_pieces, begin_export

STANDARD_OUTPUT = "-"


class Command(GroupXCommand):
    help = "Write the room's transcript: every public event as one JSON line, or messages as Markdown."

    def add_arguments(self, parser: ArgumentParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--format", default=ExportFormat.JSONL.value, metavar="jsonl|md")
        parser.add_argument("--after-seq", default="0", metavar="N", help="only events after this one")
        parser.add_argument(
            "--output", default=STANDARD_OUTPUT, metavar="FILE", help="a new file, or - for standard output (default)"
        )

    def run(self, *, format: str, after_seq: str, output: str, **options: Any) -> int:
        configure_logging("export")
        request = parse(ExportRequest, {"format": format, "afterSeq": after_seq})
        with at_least_reading(settings.RUN.database_path):
            return self._export(request, output)

    def _export(self, request: ExportRequest, output: str) -> int:
        require_current(settings.RUN)
        export = begin_export(request, clock=SystemClock())
        try:
            with _opened(output) as file:
                for data in all_pieces(export):
                    file.write(data)
        except BrokenPipeError:  # the reader has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except OSError as error:
            raise GroupXError(
                ErrorCode.FILE_REFUSED,
                _("The export cannot be written: %(reason)s.") % {"reason": error.strerror or error},
            ) from None
        if output != STANDARD_OUTPUT:
            self.stdout.write(
                _("Exported events %(first)d to %(last)d to %(path)s.")
                % {"first": export.after_seq + 1, "last": export.through_seq, "path": output}
                if export.through_seq > export.after_seq
                else _("There is no event after %(seq)d; %(path)s has none.")
                % {"seq": export.after_seq, "path": output}
            )
        return 0


@contextmanager
def _opened(output: str) -> Iterator[BinaryIO]:
    if output == STANDARD_OUTPUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
    else:
        with new_private_file(from_home(output).absolute()) as file:
            yield file
