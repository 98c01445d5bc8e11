"""Frames and cursors of the event stream: docs/protocol.md, "Events". Our contract."""

import pytest

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.requests import MAX_SEQ
from rooms.sse import frame, read_request


def after(query: bytes = b"", *last_event_ids: bytes) -> int:
    return read_request(query, last_event_ids).after_seq


def test_a_durable_event_has_its_seq_as_id_and_a_live_one_has_no_id():
    assert frame('{"a":1}', 7) == b'id: 7\ndata: {"a":1}\n\n'
    assert frame('{"a":1}') == b'data: {"a":1}\n\n'


def test_half_a_surrogate_pair_never_breaks_the_stream():
    assert frame('{"a":"\ud800"}') == b'data: {"a":"?"}\n\n'


@pytest.mark.parametrize(
    ("query", "last_event_ids", "cursor"),
    [
        (b"", [], 0),
        (b"afterSeq=12", [], 12),
        (b"afterSeq=0", [], 0),
        (b"afterSeq=007", [], 7),
        (b"", [b"4"], 4),
        (b"afterSeq=3", [b"3"], 3),
        (b"afterSeq=3", [b""], 3),
        (b"", [b""], 0),
        (b"afterSeq=%d" % MAX_SEQ, [], MAX_SEQ),
        (b"other=x", [], 0),
    ],
)
def test_a_stream_starts_after_the_cursor_and_at_the_logs_start_without_one(query, last_event_ids, cursor):
    assert after(query, *last_event_ids) == cursor


@pytest.mark.parametrize(
    "value",
    [
        "",
        "-1",
        "1.5",
        "abc",
        "1e3",
        "0x10",
        "%2B1",
        "+1",
        "1%202",
        "%D9%A3",
        "1,2",
        "%EF%BC%91",
        str(MAX_SEQ + 1),
        "9" * 40,
    ],
)
def test_what_is_no_plain_decimal_seq_is_refused_by_name(value):
    with pytest.raises(GroupXError) as refused:
        after(b"afterSeq=" + value.encode())

    assert refused.value.code is ErrorCode.INVALID_ENVELOPE
    assert refused.value.details["issues"][0]["path"] == "afterSeq"


@pytest.mark.parametrize("value", [b"abc", b"-1", b"1.5", "٣".encode(), b" 1"])
def test_a_last_event_id_that_is_no_number_is_refused(value):
    with pytest.raises(GroupXError) as refused:
        after(b"", value)

    assert refused.value.code is ErrorCode.INVALID_ENVELOPE


@pytest.mark.parametrize(
    ("query", "last_event_ids"),
    [(b"afterSeq=3", [b"4"]), (b"afterSeq=1&afterSeq=1", []), (b"epoch=a&epoch=b", []), (b"", [b"1", b"2"])],
)
def test_two_cursors_that_differ_are_refused(query, last_event_ids):
    with pytest.raises(GroupXError) as refused:
        after(query, *last_event_ids)

    assert refused.value.code is ErrorCode.INVALID_ENVELOPE


def test_epoch_and_room_are_read_and_an_empty_epoch_counts_as_absent():
    asked = read_request(b"afterSeq=2&epoch=abc&roomId=room%3Aother", [])
    assert (asked.epoch, asked.room_id) == ("abc", "room:other")
    assert read_request(b"epoch=", []).epoch is None
    assert read_request(b"", []).room_id == "room:main"
