"""Composition root of the assistant's process: what is wired to what, started in order, stopped in reverse."""

import asyncio
import signal
from pathlib import Path

from adapters.contract import AgentSpec, McpEndpoint
from adapters.registry import driver_for
from assistant.brain import Brain, BrainFacts
from assistant.brain_session import BrainCli, BrainSession
from assistant.prompt import prompt_of
from assistant.state import BRAIN
from groupx.agent_spec import LONGEST_CLOSE_MS
from groupx.kernel.allocator import give_back_large_blocks
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import Assistant, RunConfig
from groupx.kernel.ids import new_handle, new_token
from groupx.kernel.logs import configure_logging
from groupx.run_files import CliUse, LaneLock, forget_cli, read_secret
from groupx.worker_process import (
    close_when_failed,
    close_with_parent,
    end_orphans,
    exit_in_time,
    first_connection,
    record,
)
from rooms.caller import operator_caller
from rooms.transactions import close_database_threads
from turns.control import LaneControl
from turns.lane_link import LaneLink
from turns.lane_store import LaneStore

MCP_PATH = "/operator/mcp"
"""Some CLIs take no address that does not end in /mcp."""


def run_assistant(run: RunConfig, assistant: Assistant, control_fd: int | None) -> None:
    """Answer questions until the control line ends or a signal comes. Holds the brain's lock meanwhile.

    Raises:
        GroupXError: RUNTIME_LOCKED when another process on this machine is the brain.
    """
    configure_logging("assistant")
    give_back_large_blocks()
    with LaneLock(run.run_dir, BRAIN):
        asyncio.run(_work(run, assistant, control_fd))
    close_database_threads()


async def _work(run: RunConfig, assistant: Assistant, control_fd: int | None) -> None:
    await end_orphans(run.run_dir, BRAIN)
    clock, control = SystemClock(), LaneControl()
    actor, token, handle = operator_caller(assistant.name).actor, new_token(), new_handle()
    link = LaneLink(f"{run.origin.replace('http://', 'ws://')}/ws/assistant", read_secret(run.run_dir), BRAIN, clock)
    store = LaneStore(actor, token, control, clock, failed=link.store_failed)
    cli = BrainCli(
        spec=_spec(run, assistant),
        driver=driver_for(assistant.brain.driver),
        mcp=McpEndpoint(url=f"{run.origin}{MCP_PATH}", binding_handle=handle),
        process_spawned=lambda process: record(run.run_dir, BRAIN, process, CliUse.TURNS),
        process_ended=lambda: forget_cli(run.run_dir, BRAIN),
    )
    facts = BrainFacts(
        token=token,
        handle=handle,
        actor=actor,
        driver=assistant.brain.driver,
        cwd=assistant.brain.cwd,
        timeouts=run.config.timeouts,
        prompt_of=lambda content: prompt_of(
            content, name=assistant.name, extra_instructions=assistant.extra_instructions
        ),
    )
    session = BrainSession(token, cli, link, store, control, clock)
    brain = Brain(facts, session, link, store, control, clock)

    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_number, brain.close)
    link_task = asyncio.create_task(link.run(), name="assistant-link")
    parent_task = asyncio.create_task(close_with_parent(control_fd, brain.close), name="parent")
    last_exit_task = asyncio.create_task(exit_in_time(control, run.run_dir, BRAIN), name="last-exit")
    for task in (link_task, parent_task):
        close_when_failed(task, brain.close)
    try:
        await first_connection(link, control, clock)  # its tools must be there before its CLI asks for them
        await brain.run()
    finally:
        side_tasks = (link_task, parent_task, last_exit_task)
        for task in side_tasks:
            task.cancel()
        await asyncio.gather(*side_tasks, return_exceptions=True)


def _spec(run: RunConfig, assistant: Assistant) -> AgentSpec:
    brain, timeouts = assistant.brain, run.config.timeouts
    return AgentSpec(
        agent_id=BRAIN,
        driver=brain.driver,
        argv=brain.argv,
        cwd=Path(brain.cwd),
        run_dir=run.run_dir,
        handshake_ms=timeouts.handshake_ms,
        request_ms=timeouts.request_ms,
        close_ms=min(timeouts.close_ms, LONGEST_CLOSE_MS),
    )
