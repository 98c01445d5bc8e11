"""Lines and frames: what stands between real CLIs' messages (docs/drivers.md, "What every driver survives")."""

import json

import pytest

from adapters import framing
from adapters.framing import LineSplitter, LineTooLong, plain, read_line, write_line


def test_only_a_line_feed_ends_a_line():
    raw = '{"text":"a\u2028b\u2029c\x85d"}'.encode()
    assert LineSplitter().feed(raw + b"\n" + raw) == [raw]


@pytest.mark.parametrize("cut", range(1, 12))
def test_a_line_is_the_same_wherever_the_pipe_cuts_it(cut: int):
    whole = b'{"a":1}\n{"b":2}\n'
    splitter = LineSplitter()
    assert splitter.feed(whole[:cut]) + splitter.feed(whole[cut:]) == [b'{"a":1}', b'{"b":2}']


def test_the_last_line_needs_no_line_feed():
    splitter = LineSplitter()
    assert splitter.feed(b'{"a":1}\n{"b"') == [b'{"a":1}']
    assert splitter.feed(b":2}") == []
    assert splitter.tail() == b'{"b":2}'
    assert splitter.tail() == b""


@pytest.mark.parametrize("ended", [True, False])
def test_a_line_over_the_limit_is_refused_whether_it_has_ended_or_not(ended: bool):
    splitter = LineSplitter(max_bytes=10)
    with pytest.raises(LineTooLong):
        splitter.feed(b"x" * 11 + (b"\n" if ended else b""))


def test_a_line_at_the_limit_passes():
    assert LineSplitter(max_bytes=10).feed(b"x" * 10 + b"\n") == [b"x" * 10]


@pytest.mark.parametrize(
    ("raw", "frame"),
    [
        (b'{"a":1}', {"a": 1}),
        (b'{"a":1}\r', {"a": 1}),
        (b'\xef\xbb\xbf{"a":1}', {"a": 1}),
        (b'  {"a":1}  ', {"a": 1}),
        (b'\x1b[0m\x1b[32m{"a":1}', {"a": 1}),
        (b'\r\x1b[K{"a":1}', {"a": 1}),
        (b'{"a":1}\x1b[0m', {"a": 1}),
        (b'\x1b[2J\xef\xbb\xbf{"a":1}', {"a": 1}),
        (b'{"a":"\\u001b[32m"}', {"a": "\x1b[32m"}),
        ('{"a":"\u2028"}'.encode(), {"a": "\u2028"}),
        (b'"text"', None),
        (b"[1,2]", None),
        (b"null", None),
        (b"", None),
        (b"Welcome!", None),
        (b"\x1b[32mgreen\x1b[0m", None),
        (b"[" * 100_000, None),
        (b'{"a":' + b"1" * 5_000 + b"}", None),
    ],
)
def test_only_a_json_object_is_a_frame(raw: bytes, frame: object):
    assert read_line(raw).frame == frame


def test_invalid_utf8_is_replaced_and_told():
    line = read_line(b'{"a":"x\xffy"}')
    assert line.frame == {"a": "x\ufffdy"}
    assert line.repaired


def test_what_a_reader_may_take_for_a_line_end_is_escaped_on_the_way_out():
    line = write_line({"text": "a\u2028b\u2029c\x85d\ne"})
    assert len(line.decode().splitlines()) == 1
    assert json.loads(line) == {"text": "a\u2028b\u2029c\x85d\ne"}


def test_chinese_goes_out_as_it_is():
    assert "你好".encode() in write_line({"text": "你好"})


def test_a_frame_over_the_limit_is_not_written(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(framing, "MAX_LINE_BYTES", 20)
    with pytest.raises(LineTooLong):
        write_line({"text": "x" * 20})


def test_escape_sequences_are_taken_out_of_what_people_read():
    assert plain("\x1b[1;31mred\x1b[0m \x1b]0;title\x07end") == "red end"
