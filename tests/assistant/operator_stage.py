"""The operator's MCP server in this process, and the assistant's brain that calls it with the official client."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from assistant.actions.take_over import take_over
from assistant.operator.desk import OperatorDesk
from assistant.operator.room import OperatorRoom
from groupx.kernel.config import Limits, Timeouts
from memory.manual_compaction import Compact, ManualCompactions
from rooms.caller import operator_caller
from tests.fakes.clock import FakeClock
from tests.rooms.running_tail import running_tail
from tests.setup.desks import AGENT, a_desk, write
from tests.turns.tool_clients import AGENTS, AgentAtWork
from turns.tools.mount import McpMount

HANDLE = "the handle of this run"


def begin_brain(clock: FakeClock, handle: str = HANDLE) -> None:
    take_over("brain", handle, driver="acp", cwd="/room", pid=1, clock=clock)


async def _nothing_to_sum_up() -> bool:
    return False


@asynccontextmanager
async def operator_server(
    clock: FakeClock, folder: Path, compact: Compact = _nothing_to_sum_up, **limits: int
) -> AsyncIterator[McpMount]:
    """Of a room that runs with the configuration file in this folder."""
    path = write(folder, {"agents": {"builder": AGENT}})
    compactions = ManualCompactions(compact, Limits(**limits).context_characters, clock)
    async with running_tail(clock) as tail:
        room = OperatorRoom(
            caller=operator_caller(),
            agents=AGENTS,
            limits=Limits(**limits),
            timeouts=Timeouts(),
            clock=clock,
            tail=tail,
            setup=a_desk(path, is_running=True),
            compactions=compactions,
        )
        yield McpMount(OperatorDesk(room))
        compactions.close()


def brain_of(server: McpMount, handle: str = HANDLE) -> AgentAtWork:
    return AgentAtWork(server, handle)
