"""The operator's MCP server: open to the brain of this run, who needs no turn (edge)."""

from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager

from assistant.operator.catalog import TOOLS, argument_words, instructions
from assistant.operator.room import OperatorCall, OperatorRoom
from assistant.queries.brain import check_operator_handle
from rooms.transactions import in_reader
from turns.tools.desk import Desk, TellProgress
from turns.tools.tool import AnyTool


class OperatorDesk(Desk):
    def __init__(self, room: OperatorRoom, tools: Sequence[AnyTool] = TOOLS) -> None:
        self.tools, self._room = tools, room
        self.instructions, self.argument_words = instructions(room.agents), argument_words(room.agents)

    def check_handle(self, handle: str) -> None:
        check_operator_handle(handle)

    @asynccontextmanager
    async def calling(self, handle: str, tell_progress: TellProgress) -> AsyncIterator[OperatorCall]:
        await in_reader(check_operator_handle, handle)
        yield OperatorCall(room=self._room, tell_progress=tell_progress)
