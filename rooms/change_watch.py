"""Whether anybody has written to the database: asked on the loop itself, for microseconds.

SQLite counts other connections' commits in `PRAGMA data_version`; a connection that is kept for nothing else
reads the counter from shared memory. Where the database is another, every look says "perhaps".
"""

import sqlite3
from contextlib import suppress
from pathlib import Path

from django.db import connection


class ChangeWatch:
    """Made and asked on one thread. Opens its connection at the first look."""

    def __init__(self) -> None:
        self._path = str(connection.settings_dict["NAME"]) if connection.vendor == "sqlite" else None
        self._connection: sqlite3.Connection | None = None
        self._version: int | None = None

    def has_changed(self) -> bool:
        """True if there was a commit since the last look, or if that cannot be told."""
        if self._path is None:
            return True
        try:
            if self._connection is None:
                # mode=rw: only looked at, so a file that has gone must not come back empty
                uri = f"{Path(self._path).absolute().as_uri()}?mode=rw"
                self._connection = sqlite3.connect(uri, uri=True, timeout=0, isolation_level=None)
            version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        except sqlite3.Error:  # locked, replaced, gone: whoever reads the log will find out
            self.close()
            return True
        changed, self._version = version != self._version, version
        return changed

    def close(self) -> None:
        if self._connection is not None:
            with suppress(sqlite3.Error):
                self._connection.close()
        self._connection = self._version = None
