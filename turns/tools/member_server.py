"""The MCP server that an agent's session is given: its tools work while it is in a turn (edge). Heavy to import."""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from rooms.transactions import in_reader
from turns.queries.members import member_of
from turns.tools import server
from turns.tools.catalog import TOOLS, argument_words, instructions
from turns.tools.open_calls import OpenCalls
from turns.tools.tool import AnyTool, ToolCall, ToolRoom
from turns.tools.use import McpUse


def session_manager(room: ToolRoom, tools: Sequence[AnyTool] = TOOLS) -> StreamableHTTPSessionManager:
    words = argument_words(room.agents)
    return server.session_manager(Members(room), tools, instructions=instructions(room.agents), words=words)


class Members:
    """Agents in their turns. A call is evidence of what an agent's CLI is able to, and a sign of life of its turn."""

    def __init__(self, room: ToolRoom) -> None:
        self._room = room
        self._open_calls = OpenCalls()
        self.noticed = McpUse(room.clock).noticed

    @asynccontextmanager
    async def call_of(
        self, handle: str, tell_progress: Callable[[float, str], Awaitable[None]]
    ) -> AsyncIterator[ToolCall]:
        member = await in_reader(member_of, handle)
        with self._open_calls.one_of(member):
            yield ToolCall(member=member, room=self._room, tell_progress=tell_progress)
