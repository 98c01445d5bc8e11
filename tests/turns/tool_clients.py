"""The room's MCP server in this process, and the official client of an agent in its turn."""

import json
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client

from groupx.kernel.config import Limits, Timeouts
from tests.fakes.clock import FakeClock
from tests.rooms.running_tail import running_tail
from turns.tools.member_desk import MemberDesk
from turns.tools.mount import McpMount
from turns.tools.tool import ToolRoom

ERAS = ("legacy", "2026-07-28")
AGENTS = ("agent:builder", "agent:reviewer", "agent:scribe")
ADDRESS = "http://127.0.0.1:4310"


type Application = Callable[..., Awaitable[None]]


@asynccontextmanager
async def room_of_tools(clock: FakeClock, **limits: int) -> AsyncIterator[ToolRoom]:
    async with running_tail(clock) as tail:
        yield ToolRoom(agents=AGENTS, limits=Limits(**limits), timeouts=Timeouts(), clock=clock, tail=tail)


@asynccontextmanager
async def tool_server(clock: FakeClock, **limits: int) -> AsyncIterator[McpMount]:
    async with room_of_tools(clock, **limits) as room:
        yield McpMount(MemberDesk(room))


def http_to(server: Application, handle: str | None = None) -> httpx2.AsyncClient:
    headers = {"X-GroupX-Binding": handle} if handle else {}
    return httpx2.AsyncClient(transport=httpx2.ASGITransport(server), base_url=ADDRESS, headers=headers)


@asynccontextmanager
async def tools_for(server: Application, handle: str, era: str = "2026-07-28") -> AsyncIterator[Client]:
    """The client that an agent's CLI would be, with the secret of its session."""
    async with (
        http_to(server, handle) as http,
        Client(streamable_http_client(f"{ADDRESS}/mcp", http_client=http), mode=era) as client,
    ):
        yield client


@dataclass(frozen=True)
class AgentAtWork:
    """Calls tools as the agent with this session; each time with a client of its own."""

    server: Application
    handle: str

    async def answer(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """Structured, and the same as text."""
        return await self._content(tool, arguments, is_error=False)

    async def refusal(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """`{code, message, details}`"""
        return await self._content(tool, arguments, is_error=True)

    async def _content(self, tool: str, arguments: dict[str, Any], *, is_error: bool) -> dict[str, Any]:
        async with tools_for(self.server, self.handle) as client:
            result = await client.call_tool(tool, arguments)
        assert result.is_error is is_error, result
        [text] = result.content
        assert json.loads(text.text) == result.structured_content
        return result.structured_content
