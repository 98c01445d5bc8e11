"""The MCP server that the assistant's own session is given. Its calls come from no turn (edge). Heavy to import."""

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from assistant.operator.catalog import ARGUMENT_WORDS, INSTRUCTIONS, TOOLS
from assistant.operator.room import OperatorCall, OperatorRoom
from assistant.queries.brain import check_operator_handle
from rooms.transactions import in_reader
from turns.tools import server


def session_manager(room: OperatorRoom) -> StreamableHTTPSessionManager:
    return server.session_manager(Operator(room), TOOLS, instructions=INSTRUCTIONS, words=ARGUMENT_WORDS)


class Operator:
    """The brain of this run, and nobody else."""

    def __init__(self, room: OperatorRoom) -> None:
        self._room = room

    async def noticed(self, handle: str, *, is_call: bool) -> None:
        """Nothing: the assistant is no member whose evidence is kept."""

    @asynccontextmanager
    async def call_of(
        self, handle: str, tell_progress: Callable[[float, str], Awaitable[None]]
    ) -> AsyncIterator[OperatorCall]:
        await in_reader(check_operator_handle, handle)
        yield OperatorCall(room=self._room, tell_progress=tell_progress)
