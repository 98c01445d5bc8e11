"""The line before a lock (docs/aig.md, "Lock"): in turn, past whoever left it without a word."""

import json
import os
import time
from pathlib import Path

import pytest

from rooms.bus.errors import BusError
from rooms.bus.line import Line
from rooms.bus.lock import Lock
from tests.bus.test_lock import a_dead_pid

LONG_AGO = 1_000_000_000


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / ".lock.line"


def a_place(folder: Path, name: str, pid: int) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / name).write_text(json.dumps({"pid": pid, "host": os.uname().nodename}))
    return folder / name


def test_whoever_comes_later_stands_behind_and_moves_up(folder):
    first, second, third = Line(folder), Line(folder), Line(folder)
    for line in (first, second, third):
        line.join()
    assert [line.ahead() for line in (first, second, third)] == [0, 1, 2]
    second.leave()
    assert [line.ahead() for line in (first, third)] == [0, 1]
    first.leave()
    assert third.ahead() == 0
    third.leave()
    assert not folder.exists() and third.is_empty()


def test_who_is_dead_is_passed(folder):
    dead = [a_place(folder, f"{time.time_ns():020}-{number}", a_dead_pid()) for number in range(2)]
    line = Line(folder)
    line.join()
    assert [line.ahead() for _ in range(4)][-1] == 0
    assert not any(place.exists() for place in dead)


def test_what_was_left_behind_long_ago_is_passed_whoever_left_it(folder):
    a_place(folder, f"{LONG_AGO:020}-x", os.getpid())
    line = Line(folder)
    line.join()
    assert [line.ahead(), line.ahead()] == [1, 0]


def test_a_free_lock_is_not_taken_past_those_who_wait(tmp_path, folder):
    waiting = Line(folder)
    waiting.join()
    with pytest.raises(BusError, match="locked"), Lock(tmp_path / ".lock", wait_seconds=0):
        pass
    waiting.leave()
    with Lock(tmp_path / ".lock", wait_seconds=0):
        assert waiting.is_empty()
