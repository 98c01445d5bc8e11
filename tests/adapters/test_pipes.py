"""What is kept of a child's standard error: its end, whatever comes (adapters/pipes.py). Our contract."""

import pytest

from adapters.pipes import STDERR, STDERR_RING_BYTES, Pipes


@pytest.mark.parametrize("piece_bytes", [1, 1_000, 65_536, 300_000])
def test_the_last_64_kib_of_standard_error_are_kept(piece_bytes: int):
    pipes, said = Pipes(), bytes(range(256)) * 1_200
    for start in range(0, len(said), piece_bytes):
        pipes.pipe_data_received(STDERR, said[start : start + piece_bytes])
    assert pipes.stderr_tail == said[-STDERR_RING_BYTES:]


def test_less_is_kept_whole():
    pipes = Pipes()
    pipes.pipe_data_received(STDERR, b"not signed in\n")
    assert pipes.stderr_tail == b"not signed in\n"
