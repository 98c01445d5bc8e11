"""What several tests of turns share."""

import pytest

from tests.turns.native_turn_stage import NativeTurnStage


@pytest.fixture
async def stage(clock):
    async with NativeTurnStage(clock) as stage:
        yield stage
