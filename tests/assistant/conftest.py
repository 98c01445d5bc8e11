"""What tests of the assistant's tools share."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from groupx.kernel.config import GroupXConfig
from tests.assistant.operator_clients import a_brain, operator_server
from tests.fakes.clock import FakeClock
from tests.turns.tool_clients import AgentAtWork


@pytest.fixture
async def assistant(live_room: GroupXConfig, clock: FakeClock, tmp_path: Path) -> AsyncIterator[AgentAtWork]:
    """In a room whose configuration file is `tmp_path/groupx.json`. It is in no turn."""
    async with operator_server(clock, tmp_path) as server:
        yield await a_brain(server, clock)
