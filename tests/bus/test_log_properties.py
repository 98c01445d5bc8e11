"""Whatever stands in a log: reading backwards finds what reading forwards finds, and the next seq is new."""

import json
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from hypothesis import given
from hypothesis import strategies as st

from rooms.bus import log
from rooms.bus.append import append
from rooms.bus.cursors import unread
from rooms.bus.folder import Room
from rooms.bus.message import Draft, Message, visible_to

TEXTS = st.text(alphabet='aé\n"\\🎉\r ', max_size=30)
GARBAGE = st.binary(max_size=40).filter(lambda noise: b"\n" not in noise) | st.sampled_from(
    [b"", b"\r", b"{}", b'{"seq":0}', b'{"seq":true}', b'{"seq":1', b"null", b'{"seq":"1"}', b"\xff", b"\0\0"]
)
LINE_ENDS = st.sampled_from([b"\n", b"\r\n", b"\n\n"])


@st.composite
def logs(draw: st.DrawFn) -> bytes:
    """Messages with growing seqs, noise between them, and perhaps a torn end."""
    seq, content = 0, b""
    for is_message in draw(st.lists(st.booleans(), max_size=12)):
        if is_message:
            seq += draw(st.integers(1, 3))
            fields = {"seq": seq, "from": draw(st.sampled_from("ab")), "to": draw(st.sampled_from([[], ["a"], ["b"]]))}
            content += json.dumps({**fields, "text": draw(TEXTS)}, ensure_ascii=draw(st.booleans())).encode()
        else:
            content += draw(GARBAGE)
        content += draw(LINE_ENDS)
    return content[: len(content) - draw(st.sampled_from([0, 0, 1, 5]))]


@contextmanager
def a_room(content: bytes) -> Iterator[Room]:
    with tempfile.TemporaryDirectory() as folder:
        room = Room(Path(folder), "main")
        room.path.mkdir(parents=True)
        room.log.write_bytes(content)
        yield room


def forwards(room: Room) -> list[Message]:
    return list(log.messages(room.log))


@given(content=logs(), block_bytes=st.integers(1, 80), after_seq=st.integers(0, 30), count=st.integers(0, 15))
def test_reading_backwards_finds_what_reading_forwards_finds(content, block_bytes, after_seq, count):
    with a_room(content) as room, patch.object(log, "BLOCK_BYTES", block_bytes):
        everything = forwards(room)
        assert log.newer_than(room.log, after_seq) == [message for message in everything if message.seq > after_seq]
        assert log.last(room.log, count) == everything[len(everything) - min(count, len(everything)) :]
        assert log.last_seq(room.log) == (everything[-1].seq if everything else 0)


@given(content=logs(), member=st.sampled_from("abc"))
def test_unread_without_a_cursor_is_all_that_is_visible(content, member):
    with a_room(content) as room:
        assert unread(room, member) == [message for message in forwards(room) if visible_to(message, member)]


@given(
    content=logs(),
    state=st.none()
    | st.binary(max_size=20)
    | st.integers(-5, 60).map(lambda seq: json.dumps({"nextSeq": seq}).encode()),
    text=st.text(max_size=50),
)
def test_a_message_comes_after_all_that_is_there_and_changes_nothing_of_it(content, state, text):
    with a_room(content) as room:
        if state is not None:
            room.state.write_bytes(state)
        before = forwards(room)
        sent = append(room, Draft("a", text))
        assert forwards(room) == [*before, sent]
        assert sent.seq > max((message.seq for message in before), default=0)
        assert room.log.read_bytes().startswith(content)
        assert append(room, Draft("a", "next")).seq == sent.seq + 1
