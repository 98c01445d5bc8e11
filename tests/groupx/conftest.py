"""A kept room for tests of the commands that keep it."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from groupx.kernel.config import GroupXConfig
from tests import given
from tests.fakes.clock import FakeClock
from tests.groupx.kept_rooms import execute, keep_room


@pytest.fixture
def room_folder(live_room: GroupXConfig, clock: FakeClock, tmp_path: Path) -> Path:
    """A room that ended in order: two answered turns, one that waits."""
    given.completed_turn("builder", clock=clock)
    given.completed_turn("reviewer", clock=clock)
    given.queued_turn("builder", clock=clock)
    path = keep_room(tmp_path)
    execute(path, "UPDATE rooms_sessionbinding SET closed_at = opened_at WHERE actor_id LIKE 'agent:%'")
    return tmp_path


@pytest.fixture
def sleeper() -> Iterator[subprocess.Popen[bytes]]:
    """A process that is none of the room's, in a group of its own."""
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE, start_new_session=True) as process:
        yield process
        process.kill()
