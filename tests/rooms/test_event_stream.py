"""GET /api/events as an ASGI application: headers, refusals, resync, disconnect. docs/protocol.md, "Events"."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from asgiref.testing import ApplicationCommunicator

from groupx.kernel.config import GroupXConfig, Limits
from rooms.consumers import EventStream
from rooms.tail import Tail
from rooms.transactions import in_db
from tests.fakes.clock import FakeClock
from tests.rooms.log_events import append, events_of, messages, seqs_of

pytestmark = pytest.mark.django_db(transaction=True)


@asynccontextmanager
async def serving(clock: FakeClock) -> AsyncIterator[tuple[EventStream, Tail]]:
    tail = Tail(Limits(), clock)
    task = asyncio.create_task(tail.run())
    try:
        async with asyncio.timeout(10):
            yield EventStream(tail, clock), tail
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        tail.close_threads()


async def asked(
    application: EventStream, query: bytes = b"", *headers: tuple[bytes, bytes], method: str = "GET"
) -> tuple[ApplicationCommunicator, dict]:
    """A client that has sent its request, and the start of the answer."""
    scope = {
        "type": "http",
        "method": method,
        "path": "/api/events",
        "query_string": query,
        "headers": list(headers),
    }
    client = ApplicationCommunicator(application, scope)
    await client.send_input({"type": "http.request", "body": b""})
    return client, await client.receive_output(5)


async def body_until(client: ApplicationCommunicator, enough) -> bytes:
    raw = b""
    while not enough(raw):
        raw += (await client.receive_output(5))["body"]
    return raw


async def left(client: ApplicationCommunicator) -> None:
    await client.send_input({"type": "http.disconnect"})
    await client.wait(5)


async def test_a_stream_is_never_stored_or_changed_on_its_way_and_says_first_when_to_reconnect(
    live_room: GroupXConfig, clock: FakeClock
):
    async with serving(clock) as (application, _):
        client, start = await asked(application)
        first = await client.receive_output(5)
        await left(client)

    headers = dict(start["headers"])
    assert start["status"] == 200
    assert headers[b"content-type"].startswith(b"text/event-stream")
    assert headers[b"cache-control"] == b"no-cache, no-transform"
    assert headers[b"x-accel-buffering"] == b"no"
    assert first == {"type": "http.response.body", "body": b"retry: 1000\n\n", "more_body": True}


@pytest.mark.parametrize(
    ("query", "headers", "seqs"),
    [
        (b"", [], [1, 2, 3]),
        (b"afterSeq=1", [], [2, 3]),
        (b"", [(b"last-event-id", b"2")], [3]),
        (b"afterSeq=2", [(b"last-event-id", b"")], [3]),
    ],
)
async def test_the_log_comes_from_the_cursor(live_room: GroupXConfig, clock: FakeClock, query, headers, seqs):
    await in_db(append, *messages(3), clock=clock)
    async with serving(clock) as (application, _):
        client, _start = await asked(application, query, *headers)
        raw = await body_until(client, lambda raw: b"id: 3\n" in raw)
        await left(client)

    assert seqs_of(raw) == seqs


@pytest.mark.parametrize(
    ("query", "status", "code"),
    [
        (b"afterSeq=abc", 400, "INVALID_ENVELOPE"),
        (b"afterSeq=1&afterSeq=1", 400, "INVALID_ENVELOPE"),
        (b"roomId=room:other", 404, "NOT_FOUND"),
    ],
)
async def test_a_bad_request_is_refused_as_json_before_a_stream_starts(
    live_room: GroupXConfig, clock: FakeClock, query, status, code
):
    async with serving(clock) as (application, _):
        client, start = await asked(application, query)
        body = await client.receive_output(5)

    assert (start["status"], json.loads(body["body"])["error"]["code"]) == (status, code)
    assert (b"content-type", b"application/json") in start["headers"]


async def test_other_methods_are_refused_with_allow(live_room: GroupXConfig, clock: FakeClock):
    async with serving(clock) as (application, _):
        _client, start = await asked(application, method="POST")

    assert start["status"] == 405
    assert (b"allow", b"GET") in start["headers"]


@pytest.mark.parametrize("query", [b"afterSeq=99", b"afterSeq=1&epoch=another"])
async def test_a_cursor_of_another_log_gets_one_resync_and_the_end(live_room: GroupXConfig, clock: FakeClock, query):
    await in_db(append, *messages(1), clock=clock)
    async with serving(clock) as (application, _):
        client, _start = await asked(application, query)
        raw, more = b"", True
        while more:
            message = await client.receive_output(5)
            raw, more = raw + message["body"], message.get("more_body", False)
        await client.wait(5)

    assert events_of(raw) == [{"type": "stream.resync"}]


async def test_a_client_that_leaves_is_forgotten(live_room: GroupXConfig, clock: FakeClock):
    async with serving(clock) as (application, _):
        client, _start = await asked(application)
        await client.receive_output(5)
        before = {task for task in asyncio.all_tasks() if task.get_name().startswith("event-stream")}
        await left(client)

    assert len(before) == 2
    assert all(task.done() for task in before)


async def test_a_stream_ends_whole_when_the_room_closes(live_room: GroupXConfig, clock: FakeClock):
    async with serving(clock) as (application, tail):
        client, _start = await asked(application)
        await client.receive_output(5)
        tail.close()
        assert await client.receive_output(5) == {"type": "http.response.body", "body": b""}
        await client.wait(5)
