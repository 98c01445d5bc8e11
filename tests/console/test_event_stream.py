"""static/js/event_stream.js reads server-sent events by itself (WHATWG HTML, section 9.2.6)."""

from typing import Any

import pytest

from .node import needs_node, run_in_node

pytestmark = needs_node
TEXT = 'retry: 1000\n\n: alive\n\nid: 7\ndata: {"seq":7}\n\nevent: card\r\ndata: a\r\ndata: b\r\n\r\ndata:c\n\n'
FRAMES = [
    {"type": "message", "data": '{"seq":7}'},
    {"type": "card", "data": "a\nb"},
    {"type": "message", "data": "c"},
]


def frames_of(pieces: list[str]) -> Any:
    return run_in_node("stream.mjs", "event_stream.js", [["frames", pieces]])[0]


@pytest.mark.parametrize("size", [1, 2, 7, len(TEXT)])
def test_frames_are_the_same_in_whatever_pieces_they_arrive(size: int) -> None:
    assert frames_of([TEXT[at : at + size] for at in range(0, len(TEXT), size)]) == FRAMES


def test_a_frame_that_is_not_whole_yet_is_not_told() -> None:
    assert frames_of(['data: {"seq":7}\n']) == []


@pytest.mark.parametrize(
    ("failures", "shortest_ms", "longest_ms"), [(0, 250, 500), (1, 500, 1000), (3, 2000, 4000), (9, 2500, 5000)]
)
def test_reconnecting_waits_longer_each_time_with_some_chance_in_it(
    failures: int, shortest_ms: int, longest_ms: int
) -> None:
    asked = [["backoff", failures, 0], ["backoff", failures, 1]]
    assert run_in_node("stream.mjs", "event_stream.js", asked) == [shortest_ms, longest_ms]
