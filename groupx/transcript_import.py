"""`groupx_import`: an exported transcript becomes the log of this room, which has none yet. Wakes nobody.

The file is read twice: whole, to know that it is one log, before anything is made; then page by page into the database,
a transaction each. Whoever is stopped in between goes on by doing it again.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import batched
from pathlib import Path
from typing import TextIO

from django.db import connection
from django.utils.translation import gettext as _

from groupx import database, run_files
from groupx.kernel.clock import Clock
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.quiet_room import quiet
from rooms.actions.import_events import import_events
from rooms.actions.seed_room import seed_room
from rooms.importing.lines import read_events
from rooms.transactions import UNAVAILABLE
from turns.actions.settle_imported import settle_imported
from turns.imported_turns import OpenTurns

PAGE_EVENTS = 500


@dataclass(frozen=True, kw_only=True)
class Imported:
    events: int
    """In the file."""
    new_events: int
    """Of these, the ones that the room did not have yet."""
    ended_turns: int


def import_transcript(
    path: Path, run: RunConfig, *, clock: Clock, on_progress: Callable[[float], None] = lambda done: None
) -> Imported:
    """
    Raises:
        GroupXError: NOT_FOUND or FILE_REFUSED for a file that is not there or cannot be read, INVALID_ENVELOPE naming
            the line that is wrong, RUNTIME_LOCKED while the room runs, STORE_CONFLICT when it has other events,
            START_FAILED when its database cannot be written or a newer GroupX has written it.
    """
    open_turns = OpenTurns()
    with _opened(path) as file:
        count = sum(1 for _event in open_turns.watch(read_events(file)))
    if not count:
        raise GroupXError(ErrorCode.INVALID_ENVELOPE, _("%(path)s has no events.") % {"path": path})
    with quiet(run):
        try:
            return _into_the_database(path, count, open_turns, run, clock, on_progress)
        except (*UNAVAILABLE, OSError) as error:
            raise GroupXError(
                ErrorCode.START_FAILED,
                _("The database %(path)s cannot be used: %(reason)s. Another program may hold it, or the disk is full.")
                % {"path": run.database_path, "reason": error},
            ) from error
        finally:
            connection.close()


def _into_the_database(
    path: Path, count: int, open_turns: OpenTurns, run: RunConfig, clock: Clock, on_progress: Callable[[float], None]
) -> Imported:
    run_files.make_private_folder(run.state_dir)
    database.make_database_file(run.database_path)
    database.migrate()
    seed_room(run.config, clock=clock)
    new_events = done = 0
    with _opened(path) as file:
        for page in batched(read_events(file), PAGE_EVENTS, strict=False):
            new_events += import_events(page)
            done += len(page)
            on_progress(done / count)
    ended = settle_imported(list(open_turns.left.values()), clock=clock)
    return Imported(events=count, new_events=new_events, ended_turns=ended)


@contextmanager
def _opened(path: Path) -> Iterator[TextIO]:
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            yield file
    except FileNotFoundError:
        raise GroupXError(ErrorCode.NOT_FOUND, _("There is no file %(path)s.") % {"path": path}) from None
    except UnicodeDecodeError:
        raise GroupXError(ErrorCode.INVALID_ENVELOPE, _("%(path)s is not a transcript.") % {"path": path}) from None
    except (IsADirectoryError, PermissionError) as error:
        raise GroupXError(
            ErrorCode.FILE_REFUSED,
            _("%(path)s cannot be read: %(reason)s.") % {"path": path, "reason": error.strerror},
        ) from None
