"""What several tests of the setup need."""

import socket
from collections.abc import Iterator

import pytest


@pytest.fixture
def taken_port() -> Iterator[int]:
    """Of somebody who listens there."""
    with socket.create_server(("127.0.0.1", 0)) as somebody:
        yield somebody.getsockname()[1]
