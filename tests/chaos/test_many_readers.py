"""200 readers of one room, with some that never read: none misses or doubles an event, memory stays flat."""

import asyncio
import socket
from pathlib import Path

import pytest

from tests.running_room import RunningRoom, do, running_room
from tests.waiting import wait_until

pytestmark = pytest.mark.chaos

READERS, SILENT, LATE = 200, 10, 20
TURNS, MORE = 15, 3
GROWTH_MB = 50
READ_SECONDS = 120


async def read(room: RunningRoom, last_seq: "asyncio.Future[int]", after_seq: int = 0) -> list[int]:
    """The seqs one reader gets until it has the last one."""
    reader, writer = await asyncio.open_connection("127.0.0.1", room.port, limit=8 * 1024 * 1024)
    writer.write(f"GET /api/events?afterSeq={after_seq} HTTP/1.1\r\nHost: 127.0.0.1:{room.port}\r\n\r\n".encode())
    seqs: list[int] = []
    while not (last_seq.done() and seqs and seqs[-1] >= last_seq.result()):
        line = await reader.readline()
        assert line, "the stream has ended"
        if line.startswith(b"id: "):
            seqs.append(int(line[4:]))
    writer.close()
    return seqs


def silent_client(room: RunningRoom) -> socket.socket:
    client = socket.socket()
    client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
    client.connect(("127.0.0.1", room.port))
    client.sendall(f"GET /api/events HTTP/1.1\r\nHost: 127.0.0.1:{room.port}\r\n\r\n".encode())
    return client


def talk(room: RunningRoom) -> int:
    """Turns with live text; gives the last seq."""
    for _ in range(TURNS):
        steps = [{"many": [200, 200]}, {"thought": "hm"}, {"text": "."}]
        room.until_turn(room.turn(room.send("builder", content=do("x" * 10_000, steps=steps))))
    return int(room.get("/api/bootstrap")["cursor"])


async def test_two_hundred_readers_get_every_event_once_beside_some_that_never_read(tmp_path: Path) -> None:
    with running_room(tmp_path, "builder") as room:
        await asyncio.to_thread(room.until_agent, "builder", "ready")
        await asyncio.to_thread(talk, room)
        [server] = room.processes("groupx_serve")
        silent = [silent_client(room) for _ in range(SILENT)]
        last_seq: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        readers = [asyncio.create_task(read(room, last_seq)) for _ in range(READERS - LATE)]
        await asyncio.to_thread(talk, room)
        filled_mb = server.memory_info().rss / 1e6  # what waits for each reader is bounded, and has been there once
        readers += [asyncio.create_task(read(room, last_seq)) for _ in range(LATE)]
        last_seq.set_result(await asyncio.to_thread(lambda: [talk(room) for _ in range(MORE)][-1]))
        async with asyncio.timeout(READ_SECONDS):
            got = await asyncio.gather(*readers)
        after_mb = server.memory_info().rss / 1e6
        for client in silent:
            client.close()
        await asyncio.to_thread(wait_until, lambda: room.stream_clients() == 0, timeout_seconds=30, what="none is left")

    whole = list(range(1, last_seq.result() + 1))
    assert [seqs[: len(whole)] == whole for seqs in got] == [True] * READERS
    assert after_mb - filled_mb < GROWTH_MB, (filled_mb, after_mb)
