"""A home of the bus that nobody has used yet."""

from pathlib import Path

import pytest

from tests.bus.aig import Aig
from tests.bus.waking import Waking


@pytest.fixture
def aig(tmp_path: Path) -> Aig:
    return Aig(tmp_path / "home")


@pytest.fixture
def waking(tmp_path: Path) -> Waking:
    return Waking(tmp_path)
