"""One room for all tests of agents that talk: four scripted agents, small limits, nothing else in the way."""

from collections.abc import Iterator

import pytest

from tests.agents_talk.talking_room import NAMES, TalkingRoom
from tests.running_room import scripted

LIMITS = {
    "messageCharacters": 20_000,
    "queuePerAgent": 4,
    "rootTurns": 9,
    "hopCount": 4,
    "actorCallsPerRoot": 4,
    "steersPerSubjectTurn": 2,
}


@pytest.fixture(scope="package")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TalkingRoom]:
    """Ready agents; tests share it and leave no turn behind."""
    folder = tmp_path_factory.mktemp("talk")
    room = TalkingRoom(folder, {name: scripted(name, folder) for name in NAMES}, limits=LIMITS)
    try:
        room.start()
        for name in NAMES:
            room.until_agent(name, "ready")
        yield room
    finally:
        room.stop()
