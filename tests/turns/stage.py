"""A lane worker on a real database with a scripted agent: what the tests of lanes stand on."""

import asyncio
from collections.abc import Callable
from pathlib import Path

from adapters.contract import AdapterError, AgentSpec, Driver
from groupx.kernel.clock import Clock, SystemClock
from groupx.kernel.config import GroupXConfig
from groupx.kernel.ids import new_token
from rooms.announcements import listen
from rooms.transactions import in_reader
from tests import given
from tests.fakes.adapter import ScriptedDriver, ScriptedSession
from turns.control import LaneControl
from turns.dispatch import Dispatcher
from turns.lane import LaneWorker
from turns.lane_jobs import AskSelf, IdleWork, LaneJobs
from turns.lane_link import LaneLink
from turns.lane_store import LaneStore
from turns.models import Turn
from turns.pauses import NO_BUDGET, Budget
from turns.sessions import AgentSessions, SessionHooks
from turns.short_session import ShortSession

WAIT_SECONDS = 10


async def no_idle_work(ask: AskSelf) -> bool:
    return False


async def until[T](look: Callable[[], T]) -> T:
    """The first truthy value of `look`, asked again after each write of this process."""
    loop, committed = asyncio.get_running_loop(), asyncio.Event()
    stop_listening = listen(lambda _: loop.call_soon_threadsafe(committed.set))
    try:
        async with asyncio.timeout(WAIT_SECONDS):
            while True:
                committed.clear()
                if found := await in_reader(look):
                    return found
                await committed.wait()
    finally:
        stop_listening()


class LaneStage:
    """`async with LaneStage(...)`: the worker runs inside the block and is closed at its end."""

    def __init__(
        self,
        config: GroupXConfig,
        name: str,
        *script: ScriptedSession | AdapterError | asyncio.Event,
        driver: Driver | None = None,
        spec: AgentSpec | None = None,
        budget: Budget = NO_BUDGET,
        clock: Clock | None = None,
        jobs_driver: Driver | None = None,
        jobs_spec: AgentSpec | None = None,
        idle_work: IdleWork = no_idle_work,
    ) -> None:
        """`script` is what a scripted driver opens; with `driver` and `spec` a real one opens what it finds. Short
        sessions are opened by `jobs_driver` and as `jobs_spec` says, if there are any."""
        clock, self.control = clock or SystemClock(), LaneControl()
        self.driver = driver or ScriptedDriver(*script)
        self.told: list[object] = []
        token, agent = new_token(), given.agent(name)
        self.link = LaneLink("ws://127.0.0.1:9/never", "secret", name, clock)
        self.store_failed = asyncio.Event()
        store = LaneStore(agent, token, self.control, clock, failed=lambda reason: self.store_failed.set())
        spec = spec or AgentSpec(agent_id=name, driver="scripted", argv=("scripted",), cwd=Path("/tmp"))
        sessions = AgentSessions(
            agent,
            spec,
            self.driver,
            "http://127.0.0.1:9/mcp",
            SessionHooks(tell=self.told.append, process_spawned=lambda process: None, process_ended=lambda: None),
            store,
            self.control,
            clock,
        )
        dispatcher = Dispatcher(
            lane_token=token, config=config, link=self.link, store=store, control=self.control, clock=clock
        )
        self.short_processes: list[str] = []
        short = ShortSession(
            spec=jobs_spec or spec,
            driver=jobs_driver or self.driver,
            timeouts=config.timeouts,
            process_spawned=lambda process: self.short_processes.append("spawned"),
            process_ended=lambda: self.short_processes.append("ended"),
            clock=clock,
        )
        jobs = LaneJobs(agent.actor_id, token, short, store, self.control, clock, idle_work, budget)
        self.worker = LaneWorker(
            agent, token, 1, sessions, dispatcher, self.link, store, self.control, jobs, clock, budget
        )

    async def __aenter__(self) -> "LaneStage":
        self.task = asyncio.create_task(self.worker.run())
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self.worker.close()
        async with asyncio.timeout(WAIT_SECONDS):
            await asyncio.gather(self.task, return_exceptions=True)

    async def until[T](self, look: Callable[[], T]) -> T:
        return await until(look)

    async def status_of(self, turn_id: str, *wanted: str) -> str:
        """Wait until the turn has one of these statuses."""
        return await self.until(
            lambda: Turn.objects.filter(turn_id=turn_id, status__in=wanted).values_list("status", flat=True).first()
        )
