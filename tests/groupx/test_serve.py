"""The serve process as the parent starts it: docs/architecture.md, "Processes". Real processes, our contract."""

import asyncio
import json
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from groupx.control import ControlLine, Word
from groupx.kernel.clock import SystemClock
from rooms.envelope import ActorRef
from rooms.live_turn import LiveTurn
from tests.rooms.log_events import events_of
from turns.lane_frames import SECRET_HEADER
from turns.lane_link import LaneLink

EXIT_SECONDS = 5.0
TEXT, CLOSE = 0x1, 0x8
"""Opcodes of a WebSocket."""
TURN = LiveTurn(
    turn_id="turn_1",
    actor=ActorRef(actor_id="agent:builder", display_name="Builder"),
    correlation_id="corr_1",
    root_correlation_id="corr_1",
)


class Serve:
    def __init__(self, folder: Path, port: int, process: asyncio.subprocess.Process, line: ControlLine) -> None:
        self.folder, self.port, self.process, self.line = folder, port, process, line
        self.words: asyncio.Queue[str] = asyncio.Queue()
        line.on_line(self.words.put_nowait)

    async def ask(
        self, method: str, path: str, body: dict | None = None, media_type: str = "application/json"
    ) -> tuple[int, dict]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        raw = json.dumps(body).encode() if body is not None else b""
        writer.write(
            f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\nContent-Type: {media_type}\r\n"
            f"Content-Length: {len(raw)}\r\nConnection: close\r\n\r\n".encode()
            + raw
        )
        head, _, answer = (await reader.read()).partition(b"\r\n\r\n")
        writer.close()
        return int(head.split()[1]), json.loads(answer)

    @asynccontextmanager
    async def stream(self, query: str = "") -> AsyncIterator["Stream"]:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write(f"GET /api/events{query} HTTP/1.1\r\nHost: localhost:{self.port}\r\n\r\n".encode())
        await reader.readuntil(b"\r\n\r\n")
        stream = Stream(reader)
        assert await stream.chunk() == b"retry: 1000\n\n"
        try:
            yield stream
        finally:
            writer.close()

    async def secret(self) -> str:
        return (self.folder / ".groupx/run/secret").read_text().strip()


class Stream:
    def __init__(self, reader: asyncio.StreamReader) -> None:
        self._reader = reader

    async def chunk(self) -> bytes:
        """Empty at the end of the response."""
        size = int(await self._reader.readuntil(b"\r\n"), 16)
        return (await self._reader.readexactly(size + 2))[:-2]

    async def event(self) -> dict:
        """The next chunk's first event; comments are passed over."""
        while True:
            raw = await self.chunk()
            assert raw, "the stream has ended"
            if found := events_of(raw):
                return found[0]


@asynccontextmanager
async def serving(folder: Path) -> AsyncIterator[Serve]:
    config = {"agents": {"builder": {"driver": "kimi", "command": "unused"}}}
    (folder / "groupx.json").write_text(json.dumps(config))
    with socket.create_server(("127.0.0.1", 0), backlog=64) as listener:
        line, theirs = await ControlLine.pair()
        with theirs:
            fds = (listener.fileno(), theirs.fileno())
            process = await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "groupx", "groupx_serve", "--prepare"),
                *("--fd", str(fds[0]), "--control-fd", str(fds[1])),
                pass_fds=fds,
                env={**os.environ, "GROUPX_CONFIG": str(folder / "groupx.json")},
            )
        try:
            async with asyncio.timeout(40):
                serve = Serve(folder, listener.getsockname()[1], process, line)
                assert (await serve.words.get()).startswith(f"{Word.SIGN_IN} /admin/sign-in/?token=")
                assert await serve.words.get() == Word.READY
                yield serve
        finally:
            if process.returncode is None:
                process.kill()
            await process.wait()
            line.close()
            await line.closed()


def a_message(content: str) -> dict:
    return {"clientCommandId": f"c-{content}", "to": ["agent:builder"], "content": content}


async def test_what_is_posted_is_seen_and_replayed(tmp_path: Path):
    async with serving(tmp_path) as serve:
        status, health = await serve.ask("GET", "/api/health")
        assert (status, health["status"]) == (200, "ok")

        async with serve.stream() as stream:
            status, accepted = await serve.ask("POST", "/api/messages", a_message("hello"))
            assert status == 202
            assert (await stream.event())["eventId"] == accepted["messageEventId"]
        async with serve.stream("?afterSeq=1") as stream:
            assert (await stream.event())["seq"] == 2


async def test_a_lane_speaks_to_the_readers_and_hears_of_new_turns(tmp_path: Path):
    async with serving(tmp_path) as serve:
        link = LaneLink(f"ws://127.0.0.1:{serve.port}/ws/lanes/builder", await serve.secret(), "builder", SystemClock())
        running = asyncio.create_task(link.run())
        await link.connected.wait()
        async with serve.stream() as stream:
            link.begin_turn(TURN)
            link.content("turn_1", "live")
            assert await link.flush("turn_1", 5)
            event = await stream.event()
            assert (event["type"], event["body"]["text"]) == ("turn.content.delta", "live")

            await serve.ask("POST", "/api/messages", a_message("work"))
            assert type(await link.signals.get()).__name__ == "Wake"
        async with serve.stream("?afterSeq=2") as late:
            event = await late.event()
            assert (event["body"]["text"], event["body"]["replace"]) == ("live", True)
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_its_files_are_private_also_when_nobody_has_prepared_the_folder(tmp_path: Path):
    async with serving(tmp_path):
        found = [tmp_path / ".groupx", *(tmp_path / ".groupx").rglob("*")]
        assert {"run", "secret", "groupx.db"} <= {path.name for path in found}
        assert [path.name for path in found if path.stat().st_mode & 0o077] == []


async def test_a_lane_that_the_parent_has_given_up_shows_on_its_card_and_in_the_room(tmp_path: Path):
    async with serving(tmp_path) as serve, serve.stream() as stream:
        serve.line.send(f"{Word.LANE_DOWN} nobody")
        serve.line.send(f"{Word.LANE_DOWN} builder")

        event = await stream.event()

        assert (event["type"], event["body"]["errorCode"]) == ("system.error", "START_FAILED")
        _, agents = await serve.ask("GET", "/api/agents")
        assert [(agent["status"], agent["lastError"]["code"]) for agent in agents["items"]] == [
            ("failed", "START_FAILED")
        ]


async def test_a_doubled_slash_is_no_way_around_the_media_type(tmp_path: Path):
    async with serving(tmp_path) as serve:
        for path in ("//api/messages", "/api//messages", "/%2Fapi/messages", "/api/messages%00"):
            status, refused = await serve.ask("POST", path, a_message("hello"), media_type="text/plain")
            assert (status, refused["error"]["code"]) == (404, "NOT_FOUND"), path


async def test_draining_takes_nothing_new_ends_streams_and_the_end_of_the_line_ends_the_process(tmp_path: Path):
    async with serving(tmp_path) as serve, serve.stream() as stream:
        serve.line.send(Word.DRAIN)
        assert await stream.chunk() == b""

        status, health = await serve.ask("GET", "/api/health")
        assert (status, health["status"], len(health["runtimeKey"])) == (503, "closing", 64)
        status, refused = await serve.ask("POST", "/api/messages", a_message("late"))
        assert (status, refused["error"]["code"]) == (503, "RUNTIME_CLOSING")
        assert serve.process.returncode is None

        serve.line.close()
        async with asyncio.timeout(EXIT_SECONDS):
            assert await serve.process.wait() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
async def test_a_signal_ends_streams_and_the_process(tmp_path: Path, number: signal.Signals):
    async with serving(tmp_path) as serve, serve.stream() as stream:
        serve.process.send_signal(number)
        assert await stream.chunk() == b""
        async with asyncio.timeout(EXIT_SECONDS):
            assert await serve.process.wait() == 0


async def test_foreign_hosts_and_lanes_without_the_secret_get_nowhere(tmp_path: Path):
    async with serving(tmp_path) as serve:
        reader, writer = await asyncio.open_connection("127.0.0.1", serve.port)
        writer.write(b"GET /api/bootstrap HTTP/1.1\r\nHost: rebound.example\r\nConnection: close\r\n\r\n")
        answer = await reader.read()
        writer.close()
        assert answer.startswith(b"HTTP/1.1 403") and b"ORIGIN_FORBIDDEN" in answer

        reader, writer = await asyncio.open_connection("127.0.0.1", serve.port)
        writer.write(
            f"GET /ws/lanes/builder HTTP/1.1\r\nHost: 127.0.0.1:{serve.port}\r\nUpgrade: websocket\r\n"
            "Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            "Origin: http://evil.example\r\n\r\n".encode()
        )
        assert (await reader.readline()).startswith(b"HTTP/1.1 403")
        writer.close()

        link = LaneLink(f"ws://127.0.0.1:{serve.port}/ws/lanes/builder", "a guess", "builder", SystemClock())
        running = asyncio.create_task(link.run())
        link.begin_turn(TURN)
        link.content("turn_1", "from nobody")
        async with serve.stream() as stream:
            await serve.ask("POST", "/api/messages", a_message("only this"))
            assert (await stream.event())["type"] == "message.created"
        running.cancel()
        await asyncio.gather(running, return_exceptions=True)


async def test_a_lane_that_is_gone_before_it_was_answered_is_daily_life(tmp_path: Path, capfd: pytest.CaptureFixture):
    def frame(opcode: int, payload: bytes = b"") -> bytes:
        return bytes([0x80 | opcode, 0x80 | len(payload)]) + bytes(4) + payload  # masked with zeros

    async with serving(tmp_path) as serve:
        reader, writer = await asyncio.open_connection("127.0.0.1", serve.port)
        writer.write(
            f"GET /ws/lanes/builder HTTP/1.1\r\nHost: 127.0.0.1:{serve.port}\r\nUpgrade: websocket\r\n"
            f"Connection: Upgrade\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n"
            f"{SECRET_HEADER}: {await serve.secret()}\r\n\r\n".encode()
        )
        await reader.readuntil(b"\r\n\r\n")
        writer.write(frame(TEXT, b'{"type": "flush", "turnId": "turn_1"}') + frame(CLOSE))
        await reader.read()
        writer.close()
        serve.line.close()
        await serve.process.wait()
    said = [json.loads(line) for line in capfd.readouterr().err.splitlines() if '"lane_' in line]
    assert [(line["event"], line["level"]) for line in said] == [
        ("lane_connected", "info"),
        ("lane_disconnected", "info"),
    ]
