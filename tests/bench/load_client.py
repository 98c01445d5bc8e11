"""The load: raw HTTP/1.1 and event streams on asyncio, as cheap as they can be made, since they share the machine.

One connection carries one request at a time. A stream gives its blocks as bytes with the time they were read;
who wants JSON parses it. Times are the machine's monotonic nanoseconds, which the scripted agents log too.
"""

import asyncio
import json
import socket
import time
import uuid
from collections.abc import Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

REQUEST_SECONDS = 60.0
OPEN_SECONDS = 20.0
NS_PER_MS = 1e6

type TakeBlock = Callable[[bytes, int], None]
"""Gets one block of an event stream (its lines without the blank one) and when it was read."""


class UnexpectedAnswer(Exception):
    """The server answered something that the bench did not ask for; the measurement means nothing."""


class Connection(asyncio.Protocol):
    """A kept connection that sends one request and gives the status and the body of its answer."""

    def __init__(self) -> None:
        self._received = bytearray()
        self._transport: asyncio.WriteTransport | None = None
        self._answered: asyncio.Future[tuple[int, bytes]] | None = None

    async def request(self, method: str, path: str, body: bytes = b"") -> tuple[int, bytes]:
        assert self._transport is not None
        self._answered = asyncio.get_running_loop().create_future()
        head = f"{method} {path} HTTP/1.1\r\nHost: {self._host}\r\nAccept: application/json\r\n"
        if body:
            head += f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n"
        self._transport.write(head.encode() + b"\r\n" + body)
        return await asyncio.wait_for(self._answered, REQUEST_SECONDS)

    def close(self) -> None:
        if self._transport is not None:
            self._transport.close()

    # ------------------------------------------------------------ asyncio.Protocol
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        host, port = transport.get_extra_info("peername")
        self._host = f"{host}:{port}"
        transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self._transport = transport

    def data_received(self, data: bytes) -> None:
        self._received += data
        end = self._received.find(b"\r\n\r\n")
        if end < 0:
            return
        whole = end + 4 + _content_length(bytes(self._received[:end]))
        if len(self._received) >= whole and self._answered is not None and not self._answered.done():
            status, body = int(self._received[9:12]), bytes(self._received[end + 4 : whole])
            del self._received[:whole]
            self._answered.set_result((status, body))

    def connection_lost(self, exc: Exception | None) -> None:
        if self._answered is not None and not self._answered.done():
            self._answered.set_exception(exc or ConnectionResetError("the server closed the connection"))


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n")[1:]:
        if line.startswith(b"content-length:"):
            return int(line[15:])
    raise UnexpectedAnswer(f"an answer without Content-Length: {head[:200]!r}")


class StreamReader(asyncio.Protocol):
    """A reader of /api/events; comments and `retry` are left out."""

    def __init__(self, port: int, after_seq: int, take: TakeBlock) -> None:
        self._request = f"GET /api/events?afterSeq={after_seq} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode()
        self._take = take
        self._has_head = False
        self._raw = self._text = b""
        self.opened: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self.bytes_read = 0
        self.is_lost = False

    def close(self) -> None:
        self._transport.close()

    # ------------------------------------------------------------ asyncio.Protocol
    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.WriteTransport)
        self._transport = transport
        transport.write(self._request)

    def data_received(self, data: bytes) -> None:
        read_at = time.monotonic_ns()
        self.bytes_read += len(data)
        self._raw += data
        if not self._has_head and not self._read_head():
            return
        self._read_chunks()
        *blocks, self._text = self._text.split(b"\n\n")
        for block in blocks:
            if block.startswith((b"id:", b"data:")):
                self._take(block, read_at)

    def connection_lost(self, exc: Exception | None) -> None:
        self.is_lost = True
        if not self.opened.done():
            self.opened.set_exception(exc or ConnectionResetError("the stream ended before it began"))

    def _read_head(self) -> bool:
        head, end, rest = self._raw.partition(b"\r\n\r\n")
        if not end:
            return False
        self._raw, self._has_head = rest, True
        if b" 200 " not in head[:16] or b"transfer-encoding: chunked" not in head.lower():
            self.opened.set_exception(UnexpectedAnswer(f"no event stream: {head[:200]!r}"))
        else:
            self.opened.set_result(None)
        return True

    def _read_chunks(self) -> None:
        raw, at, parts = self._raw, 0, []
        while (end_of_size := raw.find(b"\r\n", at)) >= 0:
            begin = end_of_size + 2
            end = begin + int(raw[at:end_of_size], 16)
            if len(raw) < end + 2:
                break
            parts.append(raw[begin:end])
            at = end + 2
        if parts:
            self._text += b"".join(parts)
            self._raw = raw[at:]


# ---------------------------------------------------------------- opening
@asynccontextmanager
async def connections(port: int, count: int):
    """`count` open connections, closed afterwards."""
    loop = asyncio.get_running_loop()
    opened: list[Connection] = []
    try:
        for _ in range(count):
            async with asyncio.timeout(OPEN_SECONDS):
                opened.append((await loop.create_connection(Connection, "127.0.0.1", port))[1])
        yield opened
    finally:
        for connection in opened:
            connection.close()


@asynccontextmanager
async def streams(port: int, takers: Sequence[TakeBlock], after_seq: int):
    """An open event stream per taker, from the same cursor on, closed afterwards."""
    loop = asyncio.get_running_loop()
    opened: list[StreamReader] = []
    try:
        for take in takers:
            async with asyncio.timeout(OPEN_SECONDS):
                reader = (
                    await loop.create_connection(lambda t=take: StreamReader(port, after_seq, t), "127.0.0.1", port)
                )[1]
                opened.append(reader)
                await reader.opened
        yield opened
    finally:
        for reader in opened:
            reader.close()


# ---------------------------------------------------------------- asking
async def timed_get(connection: Connection, path: str) -> float:
    """Milliseconds until the whole answer is here."""
    began = time.monotonic_ns()
    status, body = await connection.request("GET", path)
    took_ms = (time.monotonic_ns() - began) / NS_PER_MS
    if status != 200:
        raise UnexpectedAnswer(f"GET {path}: {status} {body[:300]!r}")
    return took_ms


async def ping(connection: Connection) -> float:
    """Milliseconds of the yardstick."""
    return await timed_get(connection, "/api/ping")


async def get(connection: Connection, path: str) -> dict[str, Any]:
    status, body = await connection.request("GET", path)
    if status != 200:
        raise UnexpectedAnswer(f"GET {path}: {status} {body[:300]!r}")
    return json.loads(body)


async def command(connection: Connection, path: str, **fields: Any) -> tuple[dict[str, Any], float]:
    """The answer to a command that was taken, and the milliseconds until it came."""
    body = json.dumps({"clientCommandId": uuid.uuid4().hex, **fields}).encode()
    began = time.monotonic_ns()
    status, answer = await connection.request("POST", path, body)
    took_ms = (time.monotonic_ns() - began) / NS_PER_MS
    if status not in (200, 202):
        raise UnexpectedAnswer(f"POST {path}: {status} {answer[:300]!r}")
    return json.loads(answer), took_ms


async def post(connection: Connection, content: str, *names: str) -> tuple[dict[str, Any], float]:
    to = ["@all"] if names == ("@all",) else [f"agent:{name}" for name in names]
    return await command(connection, "/api/messages", to=to, content=content)


async def spread[T](
    opened: Sequence[Connection], count: int, ask: Callable[[Connection, int], Awaitable[T]]
) -> list[T]:
    """`count` calls over the connections, each connection one after the other."""
    numbers = iter(range(count))

    async def work(connection: Connection) -> list[T]:
        return [await ask(connection, number) for number in numbers]

    return [one for done in await asyncio.gather(*(work(connection) for connection in opened)) for one in done]
