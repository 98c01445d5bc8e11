"""What the tests of the assistant share."""

from collections.abc import AsyncIterator

import pytest

from groupx.kernel.config import GroupXConfig
from rooms.transactions import in_db
from tests.assistant.operator_stage import begin_brain, brain_of, operator_server
from tests.assistant.stage import TalkStage, side_conversation, with_assistant


@pytest.fixture
async def talk(live_room: GroupXConfig) -> AsyncIterator[TalkStage]:
    """The side conversation of a room; each test begins its brains itself."""
    async with side_conversation(with_assistant(live_room)) as stage:
        yield stage


@pytest.fixture
async def server(live_room, clock, tmp_path):
    """Of a room whose configuration file is `tmp_path/groupx.json`."""
    await in_db(begin_brain, clock)
    async with operator_server(clock, tmp_path) as mount:
        yield mount


@pytest.fixture
def brain(server):
    """Calls the operator's tools."""
    return brain_of(server)
