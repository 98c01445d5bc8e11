"""A home of the bus that nobody has used yet, and a room with a few members."""

import json
from pathlib import Path

import pytest

from rooms.bus.folder import Home, Room
from rooms.bus.joining import make_room
from tests.bus.aig import Aig
from tests.bus.waking import Waking


@pytest.fixture
def aig(tmp_path: Path) -> Aig:
    return Aig(tmp_path / "home")


@pytest.fixture
def waking(tmp_path: Path) -> Waking:
    return Waking(tmp_path)


KNOWN = {"codex": {"transport": "codex"}, "boss": {"transport": "dsh", "role": "primary"}, "reader": {}}


@pytest.fixture
def room(tmp_path: Path) -> Room:
    room = Home(tmp_path / "home").room("main")
    make_room(room)
    room.members.write_text(json.dumps(KNOWN))
    return room
