"""Lines, frames, messages and streamed text of CLIs: what holds for every byte they may write.

Source: docs/drivers.md, "What every driver survives".
"""

import itertools
import json

from hypothesis import example, given
from hypothesis import strategies as st

from adapters.framing import Line, LineSplitter, plain, read_line, write_line
from adapters.jsonrpc import Notification, ProtocolViolation, Request, Response, Unrelated, read_message
from adapters.text_stream import TextStream
from groupx.kernel.text import is_storable, storable

any_text = st.text(st.characters(exclude_categories=[]))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=12,
)


def cut(data: bytes, places: list[int]) -> list[bytes]:
    ends = sorted({place % (len(data) + 1) for place in places} | {0, len(data)})
    return [data[a:b] for a, b in itertools.pairwise(ends)]


@given(st.lists(st.binary(max_size=20)), st.lists(st.integers(0, 500), max_size=10))
def test_lines_are_the_same_wherever_the_pipe_cuts_them(lines: list[bytes], places: list[int]):
    data = b"\n".join(lines)
    splitter = LineSplitter()
    read = [line for piece in cut(data, places) for line in splitter.feed(piece)]
    assert [*read, splitter.tail()] == data.split(b"\n")


@given(st.dictionaries(st.text(), json_values, max_size=5))
@example({"text": "a\u2028b\u2029c\x85d\n\r\x1b[0m"})
def test_a_frame_comes_back_as_it_was_written(frame: dict[str, object]):
    line = write_line(frame)
    assert line.endswith(b"\n") and line.count(b"\n") == 1
    assert len(line.decode().splitlines()) == 1, "no reader of lines ends one early"
    assert read_line(line[:-1]) == Line(frame)


@given(st.binary() | st.text().map(str.encode))
@example(b"[" * 200_000)
@example(b'{"a":' + b"9" * 5_000 + b"}")
@example(b"\xef\xbb\xbf\x1b[1m{}")
def test_any_line_is_a_frame_or_noise(raw: bytes):
    assert isinstance(read_line(raw).frame, dict | None)
    assert "\x1b[" not in plain("\x1b[31m" + "x")


messages = st.fixed_dictionaries(
    {},
    optional={
        "jsonrpc": st.just("2.0") | json_values,
        "id": json_values,
        "method": st.text() | json_values,
        "params": json_values,
        "result": json_values,
        "error": json_values | st.fixed_dictionaries({}, optional={"code": json_values, "message": json_values}),
    },
)


@given(messages)
def test_any_object_is_a_message_noise_or_a_violation_with_words(frame: dict[str, object]):
    try:
        message = read_message(frame)
    except ProtocolViolation as violation:
        assert violation.reason
        return
    match message:
        case Request(id=id, method=method, params=params):
            assert isinstance(id, int | str) and not isinstance(id, bool)
            assert isinstance(method, str) and isinstance(params, dict)
        case Notification(method=method, params=params):
            assert isinstance(method, str) and isinstance(params, dict) and frame.get("id") is None
        case Response(error=error):
            assert "method" not in frame and (error is None or isinstance(error.message, str))
        case Unrelated():
            assert frame.get("id") is None and "method" not in frame


def as_javascript_cuts(text: str, places: list[int]) -> list[str]:
    """Pieces cut anywhere between UTF-16 units, also inside a pair."""
    units = text.encode("utf-16-le", "surrogatepass")
    ends = sorted({place % (len(units) // 2 + 1) * 2 for place in places} | {0, len(units)})
    return [units[a:b].decode("utf-16-le", "surrogatepass") for a, b in itertools.pairwise(ends)]


@given(st.text(), st.lists(st.integers(0, 200), max_size=10))
@example("a😀b", [2])
@example("😀", [1, 1])
def test_streamed_text_is_the_whole_text_wherever_it_was_cut(text: str, places: list[int]):
    stream = TextStream()
    shown = "".join([stream.feed(piece) for piece in as_javascript_cuts(text, places)]) + stream.flush()
    assert shown == stream.text == storable(text)


@given(st.lists(any_text, max_size=6))
@example(["\ud83d", "\ud83d", "\ude00"])
@example(["\ud83d", "", "\ude00"])
def test_what_streams_is_always_storable_and_nothing_is_lost_at_the_end(pieces: list[str]):
    stream = TextStream()
    shown = [stream.feed(piece) for piece in pieces] + [stream.flush()]
    assert all(is_storable(piece) for piece in shown) and "".join(shown) == stream.text
    paired = "".join(pieces).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    assert len(stream.text) == len(paired)


@given(json_values)
def test_what_is_no_object_is_noise(value: object):
    line = json.dumps(value).encode()
    assert read_line(line).frame == (value if isinstance(value, dict) else None)
