"""GET /api/export as an ASGI application, and the pages it is made of (docs/protocol.md, "Export"). Our contract."""

import asyncio
import json

import pytest
from asgiref.testing import ApplicationCommunicator
from django.db import connection

from groupx.kernel.config import GroupXConfig
from rooms.export.formats import ExportFormat, ExportRequest
from rooms.export.queries import CHUNK_BYTES, PAGE_EVENTS, all_pieces, begin_export, next_piece
from rooms.export.stream import ExportStream
from rooms.transactions import in_db
from tests import given
from tests.fakes.clock import FakeClock
from tests.rooms.log_events import append, messages

pytestmark = pytest.mark.django_db(transaction=True)


async def asked(clock: FakeClock, query: bytes = b"", method: str = "GET") -> ApplicationCommunicator:
    scope = {"type": "http", "method": method, "path": "/api/export", "query_string": query, "headers": []}
    client = ApplicationCommunicator(ExportStream(clock), scope)
    await client.send_input({"type": "http.request", "body": b""})
    return client


async def answered(clock: FakeClock, query: bytes = b"", method: str = "GET") -> tuple[dict, dict[bytes, bytes], bytes]:
    client = await asked(clock, query, method)
    start = await client.receive_output(5)
    body, more = b"", True
    while more:
        message = await client.receive_output(5)
        body, more = body + message["body"], message.get("more_body", False)
    await client.wait(5)
    return start, dict(start["headers"]), body


async def test_every_event_is_one_line_and_the_headers_say_what_it_is(live_room: GroupXConfig, clock: FakeClock):
    await in_db(append, *messages(3), clock=clock)
    start, headers, body = await answered(clock)
    assert start["status"] == 200
    assert headers[b"content-type"] == b"application/jsonl"
    assert headers[b"content-disposition"] == b'attachment; filename="groupx-1-3.jsonl"'
    assert headers[b"x-groupx-last-seq"] == b"3"
    assert [json.loads(line)["seq"] for line in body.splitlines()] == [1, 2, 3]


async def test_only_what_came_after_the_cursor(live_room: GroupXConfig, clock: FakeClock):
    await in_db(append, *messages(3), clock=clock)
    assert [json.loads(line)["seq"] for line in (await answered(clock, b"afterSeq=2"))[2].splitlines()] == [3]
    assert (await answered(clock, b"afterSeq=3"))[2] == b""
    assert (await answered(clock, b"afterSeq=99"))[2] == b""


async def test_markdown_has_the_conversation_and_an_end(live_room: GroupXConfig, clock: FakeClock):
    await in_db(given.completed_turn, "builder", clock=clock, text="# the answer")
    _, headers, body = await answered(clock, b"format=md")
    text = body.decode()
    assert headers[b"content-type"] == b"text/markdown; charset=utf-8"
    assert text.startswith("# main room\n") and text.endswith(f"event {headers[b'x-groupx-last-seq'].decode()}.\n")
    assert "You to Builder" in text and "dispatched to Builder" in text and "```text\n# the answer\n```" in text
    assert "session" not in text


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [(b"format=xml", 400, "INVALID_ENVELOPE"), (b"roomId=room:other", 404, "NOT_FOUND")],
)
async def test_a_refusal_has_the_shape_of_all(live_room: GroupXConfig, clock: FakeClock, query, status, code):
    start, _, body = await answered(clock, query)
    assert (start["status"], json.loads(body)["error"]["code"]) == (status, code)


async def test_it_is_read_with_get(live_room: GroupXConfig, clock: FakeClock):
    start, headers, _ = await answered(clock, method="POST")
    assert start["status"] == 405 and headers[b"allow"] == b"GET"


async def test_who_leaves_ends_it(live_room: GroupXConfig, clock: FakeClock):
    """The reader takes nothing: its application waits in `send`, and ends when it has gone."""
    await in_db(append, *messages(3), clock=clock)
    sending = asyncio.Event()

    async def send(message: dict) -> None:
        if message["type"] == "http.response.body":
            sending.set()
            await asyncio.Event().wait()

    async def receive() -> dict:
        await sending.wait()
        return {"type": "http.disconnect"}

    scope = {"type": "http", "method": "GET", "path": "/api/export", "query_string": b"", "headers": []}
    async with asyncio.timeout(5):
        await ExportStream(clock)(scope, receive, send)


async def test_what_is_written_meanwhile_neither_waits_nor_enters(live_room: GroupXConfig, clock: FakeClock):
    await in_db(append, *messages(2), clock=clock)
    client = await asked(clock)
    await client.receive_output(5)
    await in_db(append, *messages(1), clock=clock)
    body = (await client.receive_output(5))["body"]
    assert [json.loads(line)["seq"] for line in body.splitlines()] == [1, 2]


async def test_a_database_that_fails_on_the_way_is_told_in_the_last_line(live_room: GroupXConfig, clock: FakeClock):
    await in_db(append, *messages(PAGE_EVENTS + 1), clock=clock)
    sent: list[dict] = []

    async def send(message: dict) -> None:
        sent.append(message)
        if len(sent) == 2:  # the first page is out
            await in_db(_rename, "rooms_event", "gone")

    scope = {"type": "http", "method": "GET", "path": "/api/export", "query_string": b"", "headers": []}
    try:
        async with asyncio.timeout(5):
            await ExportStream(clock)(scope, asyncio.Event().wait, send)
    finally:
        await in_db(_rename, "gone", "rooms_event")
    assert [message.get("status") for message in sent] == [200, None, None, None]
    assert json.loads(sent[2]["body"])["error"]["code"] == "STORE_UNAVAILABLE"


def _rename(old: str, new: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {old} RENAME TO {new}")


# ---------------------------------------------------------------- pages
def test_pieces_are_small_in_bytes_and_in_events_and_miss_nothing(live_room: GroupXConfig, clock: FakeClock):
    append(*messages(2 * PAGE_EVENTS + 1), *messages(5, "x" * CHUNK_BYTES), clock=clock)
    export = begin_export(ExportRequest(), clock=clock)
    seq, sizes, seqs, is_last = 0, [], [], False
    while not is_last:
        piece = next_piece(export, seq)
        lines = [json.loads(line) for line in piece.data.splitlines()]
        seqs += [line["seq"] for line in lines]
        sizes.append(len(piece.data))
        assert len(lines) <= PAGE_EVENTS
        seq, is_last = piece.through_seq, piece.is_last
    assert seqs == list(range(1, 2 * PAGE_EVENTS + 7))
    assert max(sizes) < 2 * CHUNK_BYTES + 1024


def test_large_events_are_fetched_one_by_one(live_room: GroupXConfig, clock: FakeClock):
    """A page of a few events with megabytes each must not be many times as large in memory."""
    append(*messages(20, "x" * 4 * CHUNK_BYTES), clock=clock)
    piece = next_piece(begin_export(ExportRequest(), clock=clock), 0)
    assert (piece.through_seq, piece.is_last) == (1, False)


def test_a_piece_holds_no_transaction_when_it_stops_early(live_room: GroupXConfig, clock: FakeClock):
    append(*messages(20, "x" * CHUNK_BYTES), clock=clock)
    next_piece(begin_export(ExportRequest(), clock=clock), 0)
    with connection.cursor() as cursor:
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        assert cursor.fetchone()[0] == 0, "a reader would keep the log from being taken over"


def test_markdown_pages_go_on_where_nothing_is_shown(live_room: GroupXConfig, clock: FakeClock):
    given.completed_turn("builder", clock=clock)
    export = begin_export(ExportRequest(format=ExportFormat.MARKDOWN), clock=clock)
    assert b"".join(all_pieces(export)).count(b"\n## ") == 2
