"""The agents' MCP server: a call is known by its binding alone; its turn is looked up for each (edge)."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from rooms.transactions import in_reader
from turns.queries.members import check_handle, member_of
from turns.tools.catalog import TOOLS, argument_words, instructions
from turns.tools.desk import Desk, TellProgress
from turns.tools.open_calls import OpenCalls
from turns.tools.tool import AnyTool, ToolCall, ToolRoom
from turns.tools.use import McpUse


class MemberDesk(Desk):
    def __init__(self, room: ToolRoom, tools: Sequence[AnyTool] = TOOLS) -> None:
        self.tools, self._room = tools, room
        self.instructions, self.argument_words = instructions(room.agents), argument_words(room.agents)
        self._use, self._open_calls = McpUse(room.clock), OpenCalls()

    def check_handle(self, handle: str) -> None:
        check_handle(handle)

    async def noticed(self, handle: str, *, is_call: bool) -> None:
        await self._use.noticed(handle, is_call=is_call)

    @asynccontextmanager
    async def calling(self, handle: str, tell_progress: TellProgress) -> AsyncIterator[ToolCall]:
        member = await in_reader(member_of, handle)
        with self._open_calls.one_of(member):
            yield ToolCall(member=member, room=self._room, tell_progress=tell_progress)
