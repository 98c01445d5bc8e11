"""Whether anybody has written: rooms/change_watch.py on a real database file. Our contract."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from django.db import connection

from rooms.change_watch import ChangeWatch


@pytest.fixture
def database(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A database file with a name that a URI must quote."""
    path = tmp_path / "a room? #1 50%.db"
    monkeypatch.setitem(connection.settings_dict, "NAME", path)
    write(path)
    return path


@pytest.fixture
def watch(database: Path) -> Iterator[ChangeWatch]:
    watch = ChangeWatch()
    yield watch
    watch.close()


def write(path: Path) -> None:
    with closing(sqlite3.connect(path)) as other, other:
        other.execute("PRAGMA journal_mode=WAL")
        other.execute("CREATE TABLE IF NOT EXISTS words (word TEXT)")
        other.execute("INSERT INTO words VALUES ('hello')")


def test_only_a_commit_since_the_last_look_is_a_change(database: Path, watch: ChangeWatch):
    assert watch.has_changed()  # the first look knows nothing
    assert not watch.has_changed()

    write(database)

    assert watch.has_changed()
    assert not watch.has_changed()


def test_a_file_that_is_not_there_is_not_made(database: Path, watch: ChangeWatch):
    for file in database.parent.iterdir():
        file.unlink()

    assert watch.has_changed() and watch.has_changed()

    assert list(database.parent.iterdir()) == []
