"""SQLite's write lock in another program's hands, as any backup or shell may hold it."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection

from rooms.transactions import close_database_threads

PATIENCE_SECONDS = 0.02


@contextmanager
def short_patience() -> Iterator[None]:
    """The database threads wait for a lock this long only, so that a test need not."""
    options = connection.settings_dict["OPTIONS"]
    usual, options["timeout"] = options["timeout"], PATIENCE_SECONDS
    close_database_threads()  # the next ones connect anew
    try:
        yield
    finally:
        options["timeout"] = usual
        close_database_threads()


@contextmanager
def locked_database() -> Iterator[None]:
    holder = sqlite3.connect(connection.settings_dict["NAME"], isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        yield
    finally:
        holder.rollback()
        holder.close()
