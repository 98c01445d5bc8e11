import pytest

from rooms.transactions import in_db
from tests.assistant.operator_stage import begin_brain, brain_of, operator_server


@pytest.fixture
async def server(live_room, clock):
    await in_db(begin_brain, clock)
    async with operator_server(clock) as mount:
        yield mount


@pytest.fixture
def brain(server):
    """Calls the operator's tools."""
    return brain_of(server)
