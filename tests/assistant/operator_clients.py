"""The operator's MCP server in this process, and the official client of the assistant's session."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from assistant.actions.take_over import take_over
from assistant.operator.mount import operator_mount
from assistant.operator.room import OperatorRoom
from groupx.kernel.config import Limits, Timeouts
from memory.manual_compaction import Compact, ManualCompactions
from rooms.caller import operator_caller
from rooms.transactions import in_db
from tests.fakes.clock import FakeClock
from tests.rooms.running_tail import running_tail
from tests.setup.desks import AGENT, a_desk, write
from tests.turns.tool_clients import AgentAtWork
from turns.tools.mount import McpMount

HANDLE = "the-brain's-handle"


async def _nothing_to_sum_up() -> bool:
    return False


@asynccontextmanager
async def operator_server(
    clock: FakeClock, folder: Path, compact: Compact = _nothing_to_sum_up
) -> AsyncIterator[McpMount]:
    """Of a room that runs with the configuration file in this folder."""
    path = write(folder, {"agents": {"builder": AGENT}})
    limits = Limits()
    compactions = ManualCompactions(compact, limits.context_characters, clock)
    async with running_tail(clock) as tail:
        yield operator_mount(
            OperatorRoom(
                caller=operator_caller("Ada"),
                limits=limits,
                timeouts=Timeouts(),
                clock=clock,
                tail=tail,
                compactions=compactions,
                setup=a_desk(path, is_running=True),
            )
        )
        compactions.close()


async def a_brain(server: McpMount, clock: FakeClock, handle: str = HANDLE) -> AgentAtWork:
    """The assistant's process of this run, as it calls tools."""
    await in_db(take_over, "token", handle, driver="kimi", cwd="/tmp", pid=1, clock=clock)
    return AgentAtWork(server, handle)
