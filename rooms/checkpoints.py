"""The write-ahead log goes into the database file while nobody waits for it.

SQLite on its own does that inside the commit that fills the log, which then takes ten times as long
(docs/decisions.md, "Rules"). The server does it in a thread of its own instead; a commit has to only where there is no
server, at WAL_PAGES. A passive checkpoint stops no reader and no writer.
"""

from pathlib import Path
from typing import NamedTuple

from django.db import connection

from groupx.kernel.clock import Clock, until_next
from groupx.kernel.logs import get_logger

from .transactions import DatabaseThreads, StoreError

log = get_logger()

LOOK_SECONDS = 1.0
ENOUGH_BYTES = 2 * 1024 * 1024
WAL_PAGES = 10_000
"""40 MB: where a commit checkpoints after all."""


class Checkpoints:
    """`run` until it is cancelled, then `close`."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._threads = DatabaseThreads("db-checkpoint", 1)

    async def run(self) -> None:
        moved: LogFile | None = None
        while True:
            await self._clock.sleep(until_next(LOOK_SECONDS, self._clock))
            found = log_file()
            if found.bytes < ENOUGH_BYTES or found == moved:
                continue
            try:
                moved = found if await self._threads.run(checkpoint) else None
            except StoreError as error:  # whoever writes finds out, and says so
                log.warning("checkpoint_failed", error=str(error))

    def close(self) -> None:
        self._threads.close()


class LogFile(NamedTuple):
    """The write-ahead log as the file system shows it: the same again means that nothing was written."""

    bytes: int = 0
    changed_at_ns: int = 0


def log_file() -> LogFile:
    if connection.vendor != "sqlite":
        return LogFile()
    try:
        found = Path(f"{connection.settings_dict['NAME']}-wal").stat()
    except OSError:  # the database has none
        return LogFile()
    return LogFile(found.st_size, found.st_mtime_ns)


def checkpoint() -> bool:
    """Move what is committed into the database file; at its end the log begins anew. False when some has to wait."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
        _is_busy, pages, moved_pages = cursor.fetchone()
    return bool(pages == moved_pages)
