"""The scripted agent as a client of the room's MCP server: the official SDK over HTTP, with what its session was given.

Heavy to import; `agent_process` does so when a directive wants a tool.
"""

import asyncio
import json
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_types import CallToolResult, TextContent

ERAS = {"old": "legacy", "new": "2026-07-28", "auto": "auto"}
"""How a directive calls the two protocols that a room has to speak; with `auto` the client finds out which it can."""
READ_SECONDS = 90.0
"""Longer than any tool may wait."""


class McpClient:
    """Of one session. It connects at the first call and keeps its connections over turns and restarts of the server."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self._url, self._headers = url, headers
        self._loop = asyncio.new_event_loop()
        self._hosts: dict[str, asyncio.Task[None]] = {}
        self._clients: dict[str, asyncio.Future[Client]] = {}
        threading.Thread(target=self._loop.run_forever, daemon=True).start()

    def call(
        self, tool: str, arguments: dict[str, Any], era: str, moved: Callable[[float, str | None], None] | None
    ) -> "Future[dict[str, Any]]":
        """What came of it: {isError, result, text}, or {failed} where there was no answer of a tool.

        `moved` is told of progress, which is asked for only where it is given.
        """
        return asyncio.run_coroutine_threadsafe(self._call(tool, arguments, era, moved), self._loop)

    def tools(self, era: str) -> "Future[dict[str, Any]]":
        """{tools, instructions}, as the server introduces itself."""
        return asyncio.run_coroutine_threadsafe(self._tools(era), self._loop)

    def drop(self) -> "Future[None]":
        """Hang up, whatever is under way."""
        return asyncio.run_coroutine_threadsafe(self._drop(), self._loop)

    async def _call(
        self, tool: str, arguments: dict[str, Any], era: str, moved: Callable[[float, str | None], None] | None
    ) -> dict[str, Any]:
        async def tell(progress: float, total: float | None, message: str | None) -> None:
            if moved is not None:
                moved(progress, message)

        try:
            client = await self._connected(era)
            answer = await client.call_tool(tool, arguments, progress_callback=tell if moved else None)
        except Exception as error:  # whatever the SDK makes of a broken connection or a refusal: the test reads it
            return {"failed": f"{type(error).__name__}: {error}"}
        return _shown(answer)

    async def _tools(self, era: str) -> dict[str, Any]:
        client = await self._connected(era)
        listed = await client.list_tools(cache_mode="refresh")
        tools = [tool.model_dump(mode="json", by_alias=True, exclude_none=True) for tool in listed.tools]
        return {"tools": tools, "instructions": client.instructions}

    async def _connected(self, era: str) -> Client:
        if era not in self._hosts or self._hosts[era].done():
            self._clients[era] = self._loop.create_future()
            self._hosts[era] = self._loop.create_task(self._host(era, self._clients[era]))
        return await asyncio.shield(self._clients[era])

    async def _host(self, era: str, ready: "asyncio.Future[Client]") -> None:
        """A client is entered and left in one task."""
        try:
            async with (
                httpx2.AsyncClient(headers=self._headers, timeout=READ_SECONDS) as http,
                Client(streamable_http_client(self._url, http_client=http), mode=ERAS[era]) as client,
            ):
                ready.set_result(client)
                await asyncio.Event().wait()
        except Exception as error:  # a refusal to connect belongs to the call that wanted the connection
            if not ready.done():
                ready.set_exception(error)

    async def _drop(self) -> None:
        for host in self._hosts.values():
            host.cancel()
        await asyncio.gather(*self._hosts.values(), return_exceptions=True)


def _shown(answer: CallToolResult) -> dict[str, Any]:
    text = "".join(part.text for part in answer.content if isinstance(part, TextContent))
    result = answer.structured_content
    if result is None and text.startswith("{"):
        result = json.loads(text)
    return {"isError": answer.is_error is True, "result": result, "text": text}
