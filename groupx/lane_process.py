"""Composition root of one lane's process: what is wired to what, started in order, stopped in reverse."""

import asyncio
import os
import signal

from adapters.registry import driver_for
from groupx.agent_spec import agent_spec
from groupx.kernel.allocator import give_back_large_blocks
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import RunConfig
from groupx.kernel.ids import new_token
from groupx.kernel.logs import configure_logging, get_logger
from groupx.run_files import CliUse, LaneLock, forget_cli, read_secret
from groupx.worker_process import (
    close_when_failed,
    close_with_parent,
    end_orphans,
    exit_in_time,
    first_connection,
    record,
)
from rooms.actions.seed_room import agent_actor_id
from rooms.announcements import Announcement, Committed, LaneAction, LaneSignal, listen
from rooms.bodies import Body
from rooms.envelope import ActorRef
from rooms.transactions import close_database_threads
from turns.control import LaneControl
from turns.dispatch import Dispatcher
from turns.lane import LaneWorker
from turns.lane_jobs import LaneJobs
from turns.lane_link import LaneLink
from turns.lane_store import LaneStore
from turns.pauses import Budget
from turns.rollups import Rollups
from turns.sessions import AgentSessions, SessionHooks
from turns.short_session import ShortSession

log = get_logger()


def run_lane(agent_id: str, run: RunConfig, control_fd: int | None) -> None:
    """Work one agent's lane until the control line ends or a signal comes. Holds the lane's lock meanwhile.

    Raises:
        GroupXError: RUNTIME_LOCKED when another process on this machine holds the lane.
    """
    configure_logging(f"lane:{agent_id}")
    give_back_large_blocks()
    with LaneLock(run.run_dir, agent_id):
        asyncio.run(_work(agent_id, run, control_fd))
    close_database_threads()


async def _work(agent_id: str, run: RunConfig, control_fd: int | None) -> None:
    agent_config = run.config.agents[agent_id]
    await end_orphans(run.run_dir, agent_id)

    clock, control = SystemClock(), LaneControl()
    agent = ActorRef(actor_id=agent_actor_id(agent_id), display_name=agent_config.name or agent_id)
    lane_token = new_token()
    link = LaneLink(
        f"{run.origin.replace('http://', 'ws://')}/ws/lanes/{agent_id}", read_secret(run.run_dir), agent_id, clock
    )

    def tell(body: Body) -> None:
        link.transient(body, actor=agent, correlation_id=f"corr_{lane_token[:24]}")

    store = LaneStore(agent, lane_token, control, clock, failed=link.store_failed)
    spec, driver = agent_spec(agent_id, run), driver_for(agent_config.driver)
    sessions = AgentSessions(
        agent,
        spec,
        driver,
        f"{run.origin}/mcp",
        SessionHooks(
            tell=tell,
            process_spawned=lambda process: record(run.run_dir, agent_id, process, CliUse.TURNS),
            process_ended=lambda: forget_cli(run.run_dir, agent_id),
        ),
        store,
        control,
        clock,
    )
    dispatcher = Dispatcher(
        lane_token=lane_token, config=run.config, link=link, store=store, control=control, clock=clock
    )
    budget = Budget(limit=agent_config.spend_limit, days=run.config.days)
    short_session = ShortSession(
        spec=spec,
        driver=driver,
        timeouts=run.config.timeouts,
        process_spawned=lambda process: record(run.run_dir, agent_id, process, CliUse.SHORT_SESSION),
        process_ended=lambda: forget_cli(run.run_dir, agent_id, CliUse.SHORT_SESSION),
        clock=clock,
    )
    rollups = Rollups(agent, run.config.days, clock)
    jobs = LaneJobs(agent.actor_id, lane_token, short_session, store, control, clock, rollups.work, budget)
    worker = LaneWorker(agent, lane_token, os.getpid(), sessions, dispatcher, link, store, control, jobs, clock, budget)

    loop = asyncio.get_running_loop()
    for signal_number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_number, worker.close)
    end_listening = listen(lambda announcement: loop.call_soon_threadsafe(_pass_on, link, announcement))
    link_task = asyncio.create_task(link.run(), name="lane-link")
    parent_task = asyncio.create_task(close_with_parent(control_fd, worker.close), name="parent")
    last_exit_task = asyncio.create_task(exit_in_time(control, run.run_dir, agent_id), name="last-exit")
    for task in (link_task, parent_task):
        close_when_failed(task, worker.close)
    try:
        # The room's MCP server must be there before a CLI asks for it; without it the agent starts all the same.
        await first_connection(link, control, clock)
        await worker.run()
    finally:
        end_listening()
        rollups.close()
        side_tasks = (link_task, parent_task, last_exit_task)
        for task in side_tasks:
            task.cancel()
        await asyncio.gather(*side_tasks, return_exceptions=True)


def _pass_on(link: LaneLink, announcement: Announcement) -> None:
    match announcement:
        case Committed(_, seq):
            link.committed(seq)
        case LaneSignal(action=LaneAction.CARD):
            link.status()
        case LaneSignal(actor_id=actor_id, action=LaneAction.ORDERS):
            link.asked(actor_id)
        case _:
            pass
