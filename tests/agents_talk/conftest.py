"""One room for all tests of agents that talk: four scripted agents of three kinds, with small limits."""

from collections.abc import Iterator

import pytest

from tests.agents_talk.talking_room import DRIVERS, LIMITS, NAMES, TalkingRoom
from tests.running_room import scripted


@pytest.fixture(scope="package")
def room(tmp_path_factory: pytest.TempPathFactory) -> Iterator[TalkingRoom]:
    """Ready agents; tests share it and leave no turn behind."""
    folder = tmp_path_factory.mktemp("talk")
    agents = {name: scripted(name, folder, driver) for name, driver in DRIVERS.items()}
    room = TalkingRoom(folder, agents, limits=LIMITS, env={"IS_SANDBOX": "1"})
    try:
        room.start()
        for name in NAMES:
            room.until_agent(name, "ready")
        yield room
    finally:
        room.stop()
