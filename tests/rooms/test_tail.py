"""One reader of the log for all streams: no gap, no duplicate, whatever a client does. docs/protocol.md, "Events"."""

import asyncio

import pytest
from django.db import connection

from groupx.kernel.config import GroupXConfig, Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.bodies import MessageCreated
from rooms.envelope import SHOWN_CHARS, ActorRef
from rooms.live_turn import LiveTurn
from rooms.tail import HEARTBEAT_SECONDS, POLL_SECONDS, RETRY_SECONDS, UNREAD_POLL_SECONDS, Tail
from rooms.transactions import in_db, in_reader
from tests.fakes.clock import FakeClock
from tests.loop_steps import begun
from tests.rooms.log_events import append, events_of, messages, seqs_of
from tests.rooms.running_tail import caught_up, follow, read_through, running_tail

pytestmark = pytest.mark.django_db(transaction=True)

AGENT = ActorRef(actor_id="agent:builder", display_name="Builder")
TURN = LiveTurn(turn_id="turn_1", actor=AGENT, correlation_id="corr_1", root_correlation_id="corr_1")


async def test_a_client_gets_the_log_from_its_cursor_and_then_what_happens(live_room: GroupXConfig, clock: FakeClock):
    await in_db(append, *messages(3), clock=clock)
    async with running_tail(clock) as tail:
        client = await follow(tail, 1)
        assert seqs_of(await read_through(client, 3)) == [2, 3]

        await in_db(append, *messages(2), clock=clock)
        assert seqs_of(await read_through(client, 5)) == [4, 5]


async def test_clients_get_the_very_same_bytes(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock) as tail:
        one, other = await follow(tail), await follow(tail)
        reading = [asyncio.create_task(read_through(client, 2)) for client in (one, other)]
        await in_db(append, *messages(2), clock=clock)
        first, second = await asyncio.gather(*reading)

    assert first == second
    assert tail.ring.next == 2


async def test_a_client_far_behind_reads_pages_and_joins_without_gap_or_duplicate(
    live_room: GroupXConfig, clock: FakeClock
):
    await in_db(append, *messages(700), clock=clock)
    async with running_tail(clock, sse_events=8) as tail:
        client = await follow(tail)
        raw = await client.next_chunk() or b""
        await in_db(append, *messages(300), clock=clock)
        raw += await read_through(client, 1_000)
        await in_db(append, *messages(5), clock=clock)
        raw += await read_through(client, 1_005)

    assert seqs_of(raw) == list(range(1, 1_006))


async def test_clients_that_come_at_any_moment_of_a_burst_miss_nothing(live_room: GroupXConfig, clock: FakeClock):
    async def client(tail: Tail, after_seq: int) -> list[int]:
        return seqs_of(await read_through(await follow(tail, after_seq), 120))

    async with running_tail(clock, sse_events=16) as tail:
        reading: list[tuple[int, asyncio.Task[list[int]]]] = []
        for posted in range(0, 120, 3):
            await in_db(append, *messages(3), clock=clock)
            start = max(0, posted - 40)
            reading.append((start, asyncio.create_task(client(tail, start))))
        for start, task in reading:
            assert await task == list(range(start + 1, 121))


async def test_a_client_that_fell_out_of_the_ring_reads_the_log_instead(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock, sse_events=8) as tail:
        client = await follow(tail)
        await in_db(append, *messages(1), clock=clock)
        raw = await read_through(client, 1)
        await in_db(append, *messages(50), clock=clock)
        await caught_up(tail, 51)
        assert tail.ring.first > 2

        raw += await read_through(client, 51)

    assert seqs_of(raw) == list(range(1, 52))


async def test_an_event_larger_than_every_bound_passes_alone_and_is_shortened(
    live_room: GroupXConfig, clock: FakeClock
):
    large = MessageCreated(content="x" * (SHOWN_CHARS + 10))
    await in_db(append, *messages(1), large, *messages(1), clock=clock)
    async with running_tail(clock, sse_bytes=16_384) as tail:
        client = await follow(tail)
        raw = await read_through(client, 3)
        await in_db(append, *messages(1), large, *messages(1), clock=clock)
        raw += await read_through(client, 6)

    assert seqs_of(raw) == [1, 2, 3, 4, 5, 6]
    body = events_of(raw)[1]["body"]
    assert (len(body["content"]), body["truncated"], body["fullLength"]) == (SHOWN_CHARS, True, SHOWN_CHARS + 10)


async def test_a_commit_that_nobody_told_of_is_seen_by_looking(live_room: GroupXConfig, clock: FakeClock):
    tail = Tail(Limits(), clock)
    task = asyncio.create_task(tail.run())
    try:
        async with asyncio.timeout(10):
            client = await follow(tail)
            reading = asyncio.create_task(read_through(client, 1))
            await in_db(append, *messages(1), clock=clock)  # nobody listens: another process might have done it
            while not reading.done():
                await clock.advance(POLL_SECONDS)
                await in_reader(lambda: None)
            assert seqs_of(await reading) == [1]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        tail.close_threads()


async def test_a_tail_that_nobody_follows_looks_once_a_second(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock) as tail:

        async def seconds_between_looks() -> float:
            await clock.advance(UNREAD_POLL_SECONDS)
            await clock.until_asleep(2)  # its reader, and what keeps streams alive
            return min(clock.sleeps)

        client = await follow(tail)
        assert await seconds_between_looks() == POLL_SECONDS
        tail.followers.discard(client)
        assert await seconds_between_looks() == UNREAD_POLL_SECONDS
        await follow(tail)
        assert await seconds_between_looks() == POLL_SECONDS


async def test_a_cursor_ahead_of_the_log_or_of_another_epoch_has_no_place(live_room: GroupXConfig, clock: FakeClock):
    await in_db(append, *messages(2), clock=clock)
    async with running_tail(clock) as tail:
        assert await tail.follow(3, None) is None
        assert await tail.follow(1, "another") is None
        assert await tail.follow(2, tail.epoch) is not None


async def test_a_cursor_that_the_tail_has_not_reached_yet_is_waited_for(live_room: GroupXConfig, clock: FakeClock):
    tail = Tail(Limits(), clock)
    task = asyncio.create_task(tail.run())
    try:
        async with asyncio.timeout(10):
            await follow(tail)
            await in_db(append, *messages(4), clock=clock)
            client = await follow(tail, 3)
            assert seqs_of(await read_through(client, 4)) == [4]
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        tail.close_threads()


async def test_every_stream_gets_a_comment_every_fifteen_seconds(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock) as tail:
        client = await follow(tail)
        for _ in range(2):
            reading = asyncio.create_task(client.next_chunk())
            await clock.advance(HEARTBEAT_SECONDS)
            assert await reading == b": heartbeat\n\n"


async def test_streams_end_when_the_tail_closes(live_room: GroupXConfig, clock: FakeClock):
    async with running_tail(clock) as tail:
        client = await follow(tail)
        reading = begun(client.next_chunk())
        tail.close()
        assert await reading is None
        assert await client.next_chunk() is None


async def test_a_database_that_cannot_be_read_for_a_while_is_survived(live_room: GroupXConfig, clock: FakeClock):
    await in_db(append, *messages(1), clock=clock)
    await in_db(_rename_events, "rooms_event", "rooms_event_away")
    try:
        async with running_tail(clock) as tail:
            with pytest.raises(GroupXError) as refused:
                client = await follow(tail)
                await client.next_chunk()
            assert refused.value.code is ErrorCode.STORE_UNAVAILABLE

            await in_db(_rename_events, "rooms_event_away", "rooms_event")
            await clock.advance(RETRY_SECONDS)
            client = await follow(tail)
            await in_db(append, *messages(1), clock=clock)
            assert seqs_of(await read_through(client, 2)) == [1, 2]
    finally:
        await in_db(_restore_events)


def _rename_events(old: str, new: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(f"ALTER TABLE {old} RENAME TO {new}")


def _restore_events() -> None:
    if "rooms_event_away" in connection.introspection.table_names():
        _rename_events("rooms_event_away", "rooms_event")
