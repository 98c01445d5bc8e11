"""The operator's MCP server in this process, and the assistant's brain that calls it with the official client."""

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import Any

from assistant.actions.take_over import take_over
from assistant.operator.desk import OperatorDesk
from assistant.operator.room import OperatorRoom
from groupx.kernel.config import Limits, Timeouts
from memory.manual_compaction import ManualCompactions
from rooms.caller import operator_caller
from tests.fakes.clock import FakeClock
from tests.rooms.running_tail import running_tail
from tests.turns.tool_clients import AGENTS, AgentAtWork
from turns.tools.mount import McpMount

HANDLE = "the handle of this run"


class SetupInMemory:
    """A setup desk without a file."""

    def __init__(self) -> None:
        self.config: dict[str, Any] = {"serverPort": 4310, "storagePath": ".groupx/groupx.db", "agents": []}

    async def read(self) -> Mapping[str, Any]:
        return {"configPath": "/room/groupx.json", "existing": True, "runtimeActive": True, "config": self.config}

    async def save(self, config: Mapping[str, Any]) -> Mapping[str, Any]:
        self.config = dict(config)
        return {"saved": True, "restartRequired": True, "configPath": "/room/groupx.json", "agents": []}


def begin_brain(clock: FakeClock) -> None:
    take_over("brain", HANDLE, driver="acp", cwd="/room", pid=1, clock=clock)


async def _nothing_to_sum_up() -> bool:
    return False


@asynccontextmanager
async def operator_server(clock: FakeClock, **limits: int) -> AsyncIterator[McpMount]:
    compactions = ManualCompactions(_nothing_to_sum_up, Limits(**limits).context_characters, clock)
    async with running_tail(clock) as tail:
        room = OperatorRoom(
            caller=operator_caller(),
            agents=AGENTS,
            limits=Limits(**limits),
            timeouts=Timeouts(),
            clock=clock,
            tail=tail,
            setup=SetupInMemory(),
            compactions=compactions,
        )
        yield McpMount(OperatorDesk(room))
        compactions.close()


def brain_of(server: McpMount) -> AgentAtWork:
    return AgentAtWork(server, HANDLE)
