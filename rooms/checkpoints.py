"""The write-ahead log goes into the database file while nobody waits for it.

SQLite on its own does that inside the commit that fills the log, which then takes ten times as long
(docs/decisions.md, "Rules"). The server does it in a thread of its own instead; a commit has to only where there is no
server, at WAL_PAGES. A passive checkpoint stops no reader and no writer.
"""

from pathlib import Path

from django.db import DatabaseError, connection

from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger

from .transactions import DatabaseThreads

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
        while True:
            await self._clock.sleep(LOOK_SECONDS)
            if waiting_bytes() < ENOUGH_BYTES:
                continue
            try:
                await self._threads.run(checkpoint)
            except DatabaseError as error:  # whoever writes finds out, and says so
                log.warning("checkpoint_failed", error=str(error))

    def close(self) -> None:
        self._threads.close()


def waiting_bytes() -> int:
    """The size of the write-ahead log; 0 where the database has none."""
    if connection.vendor != "sqlite":
        return 0
    try:
        return Path(f"{connection.settings_dict['NAME']}-wal").stat().st_size
    except OSError:
        return 0


def checkpoint() -> None:
    """Move what is committed into the database file; at its end the log begins anew."""
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(PASSIVE)")
