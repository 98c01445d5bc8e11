"""A client of the room's tools on asyncio, as cheap as it can be made: it speaks as the agent whose handle it has."""

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from tests.bench.load_client import NS_PER_MS, OPEN_SECONDS, REQUEST_SECONDS, UnexpectedAnswer
from tests.running_room import RunningRoom

PROTOCOL = "2025-11-25"
"""The era of most CLIs: its answers are event streams."""


class ToolClient:
    """One kept connection with one call at a time."""

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, port: int, handle: str, number: int
    ) -> None:
        self._reader, self._writer, self._number = reader, writer, number
        self._head = (
            f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-GroupX-Binding: {handle}\r\n"
            f"Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
            f"MCP-Protocol-Version: {PROTOCOL}\r\n"
        )

    async def call(self, tool: str, **arguments: Any) -> tuple[dict[str, Any], float]:
        """What the tool gave, and the milliseconds until it was here."""
        began = time.monotonic_ns()
        await self.start(tool, **arguments)
        answer = await self.finish()
        return answer, (time.monotonic_ns() - began) / NS_PER_MS

    async def start(self, tool: str, **arguments: Any) -> None:
        """Until the head of the answer is here: of a call that waits it comes with the first word of progress."""
        params = {"name": tool, "arguments": arguments, "_meta": {"progressToken": self._number}}
        body = json.dumps({"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params}).encode()
        self._writer.write(f"{self._head}Content-Length: {len(body)}\r\n\r\n".encode() + body)
        async with asyncio.timeout(REQUEST_SECONDS):
            head = await self._reader.readuntil(b"\r\n\r\n")
        if b" 200 " not in head[:16] or b"transfer-encoding: chunked" not in head.lower():
            raise UnexpectedAnswer(f"{tool}: {head[:200]!r}")

    async def finish(self) -> dict[str, Any]:
        async with asyncio.timeout(REQUEST_SECONDS):
            body = b""
            while size := int(await self._reader.readline(), 16):
                body += await self._reader.readexactly(size)
                await self._reader.readline()
            await self._reader.readline()
        for line in body.splitlines():
            message = json.loads(line[5:]) if line.startswith(b"data:") and len(line) > len("data: ") else {}
            if message.get("id") == self._number:
                return self._given(message)
        raise UnexpectedAnswer(f"no answer of the tool: {body[:300]!r}")

    def _given(self, message: dict[str, Any]) -> dict[str, Any]:
        result = message.get("result", {})
        if "structuredContent" not in result or result.get("isError"):
            raise UnexpectedAnswer(f"{json.dumps(message)[:300]}")
        given: dict[str, Any] = result["structuredContent"]
        return given


@asynccontextmanager
async def tool_clients(room: RunningRoom, handle: str, count: int) -> AsyncIterator[list[ToolClient]]:
    """Open connections of one agent, closed afterwards."""
    writers: list[asyncio.StreamWriter] = []
    clients: list[ToolClient] = []
    try:
        for number in range(count):
            async with asyncio.timeout(OPEN_SECONDS):
                reader, writer = await asyncio.open_connection("127.0.0.1", room.port)
            writers.append(writer)
            clients.append(ToolClient(reader, writer, room.port, handle, number + 1))
        yield clients
    finally:
        for writer in writers:
            writer.close()


def handle_of(room: RunningRoom, name: str) -> str:
    """The secret of the session that a scripted agent was given last."""
    rows = [json.loads(line) for line in (room.folder / name / "agent.jsonl").read_text().splitlines()]
    sessions = [row for row in rows if row["ev"] == "heard" and row["method"] == "session/new"]
    [header] = sessions[-1]["params"]["mcpServers"][0]["headers"]
    handle: str = header["value"]
    return handle
