"""The parent at run time: serve and one lane per agent on the socket it holds, from the first start to the ordered end.

Knows processes, never the database. Serve is restarted at once on the same socket, so a request sent
meanwhile waits and is answered; a lane is restarted with back-off, after what its CLI left was ended
(groupx/keeper.py keeps each alive). Closing is ordered and bounded: serve drains, lanes close, serve closes,
orphans are ended (docs/architecture.md).
"""

import asyncio
import socket
from collections.abc import Awaitable, Callable, Coroutine
from contextlib import suppress
from enum import StrEnum
from typing import Any

from adapters.process import end_orphan
from groupx import run_files
from groupx.child_plans import (
    PREPARE_SECONDS,
    SERVE_NAME,
    assistant_plan,
    base_command,
    children_environment,
    lane_plan,
    serve_plan,
    setup_plan,
)
from groupx.children import Reaper
from groupx.control import Word
from groupx.ending_signals import ended_by_signals
from groupx.keeper import ChildPlan, Keeper
from groupx.kernel.clock import Clock, SystemClock
from groupx.kernel.config import RunConfig
from groupx.kernel.environment import inherited
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.lifecycle import until_healthy
from groupx.terminal_words import gettext as _

log = get_logger()

HEALTHY_SECONDS = 20.0
CANCEL_MS, CLOSE_MS, LANE_MARGIN_MS = 4_000, 5_000, 1_000
"""A lane waits at most so long for its turn to stop and for its CLI to end, and has this much left for the rest."""
SERVE_SECONDS = 3.5
"""More than its own watchdog allows it (groupx/serving.py)."""
ORPHAN_GRACE_SECONDS = 0.5
LANE_DOWN_DEATHS = 3
"""Deaths in a row after which the room is told that an agent's lane does not come up."""
ASSISTANT_CLI = "__assistant__"
"""As its process records its CLI (assistant/state.py)."""
ASSISTANT_LATER_SECONDS = 2.0
"""The room and its agents come up first; nobody asks the assistant in that time."""


class Ending(StrEnum):
    STOP = "stop"
    RESTART = "restart"


def lanes_grace_seconds(close_ms: int) -> float:
    """How long lanes may take to cancel their turns and close their CLIs: 10 s at most, however large closeMs is."""
    return (min(close_ms, CANCEL_MS) + min(close_ms, CLOSE_MS) + LANE_MARGIN_MS) / 1000


class Supervisor:
    """One run, from its first child to the last."""

    def __init__(
        self,
        run: RunConfig,
        listener: socket.socket,
        *,
        command: list[str] | None = None,
        may_restart: Callable[[], None] = lambda: None,
        configured: Callable[[], None] = lambda: None,
        reaper: Reaper | None = None,
        clock: Clock | None = None,
    ) -> None:
        """
        `may_restart` raises GroupXError when a restart could not succeed; the run then goes on as it is. `configured`:
        the setup, if that is what runs, has written the configuration.
        """
        self._run, self._listener = run, listener
        self._command = command or base_command()
        self._may_restart, self._configured = may_restart, configured
        self._env = children_environment(inherited(), run)
        self._needed_files = run_files.what_children_need(run.run_dir)
        self._clock = clock or SystemClock()
        self._prepared = asyncio.Event()
        self._serve = self._keeper(self._plan_of_serve())
        self._lanes: list[Keeper] = []
        self._keeping: list[asyncio.Task[None]] = []
        self._ending: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._failed_start: asyncio.Future[GroupXError] = asyncio.get_running_loop().create_future()
        self._reaper = reaper or Reaper()
        self.sign_in: str | None = None
        """Path of a link that signs in to the admin once, from the first server; a secret."""

    async def run(self, on_healthy: Callable[[], None] = lambda: None) -> Ending:
        """`live` as all that this process does: its signals end the run."""
        with ended_by_signals(lambda: self.end(Ending.STOP)):
            self._reaper.begin()
            try:
                return await self.live(on_healthy)
            finally:
                self._reaper.end()

    async def live(self, on_healthy: Callable[[], None] = lambda: None) -> Ending:
        """Serve until something ends the run; then nothing of it lives any more.

        Raises:
            GroupXError: START_FAILED when serve did not become healthy; nothing lives then either.
        """
        try:
            self._keep(self._serve)
            if await self._healthy():
                on_healthy()
                self._lanes = [self._keeper(self._plan_of_lane(a)) for a in self._run.config.enabled_agents]
                for lane in self._lanes:
                    self._keep(lane)
                if self._run.config.has_assistant:
                    assistant = self._keeper(self._plan_of_assistant())
                    self._lanes.append(assistant)
                    self._keep(assistant, after_seconds=ASSISTANT_LATER_SECONDS)
                await self._ending
            return self._ending.result()
        finally:
            await self._close()

    def tell(self, line: str) -> None:
        """A word to the server; nobody hears it while there is none."""
        self._serve.send(line)

    def end(self, ending: Ending) -> None:
        """Begin the ordered close. The first one to ask decides how it ends."""
        if not self._ending.done():
            log.info("runtime_ending", ending=ending.value)
            self._ending.set_result(ending)

    # ------------------------------------------------------------ start
    async def _healthy(self) -> bool:
        """False when the run was ended before it had begun."""
        await self._first_of(self._prepared.wait(), PREPARE_SECONDS)
        await self._first_of(until_healthy(self._run.config.server), HEALTHY_SECONDS)
        return not self._ending.done()

    async def _first_of(self, step: Coroutine[Any, Any, Any], timeout_seconds: float) -> None:
        """Wait for a step of the start; returns earlier when the run is ended meanwhile."""
        task = asyncio.create_task(step, name="start")
        try:
            await asyncio.wait(
                {task, self._ending, self._failed_start},
                timeout=timeout_seconds,
                return_when=asyncio.FIRST_COMPLETED,
            )
            if self._failed_start.done() and not self._ending.done():
                raise self._failed_start.result()
            if not task.done() and not self._ending.done():
                raise GroupXError(
                    ErrorCode.START_FAILED,
                    _("The server did not become ready within %(seconds)d seconds.") % {"seconds": timeout_seconds},
                )
        finally:
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

    # ------------------------------------------------------------ keeping alive
    def _keeper(self, plan: ChildPlan) -> Keeper:
        return Keeper(plan, self._run.run_dir, self._needed_files, self._env, self._clock)

    def _keep(self, keeper: Keeper, after_seconds: float = 0.0) -> None:
        async def keep() -> None:
            if after_seconds:
                await self._clock.sleep(after_seconds)
            await keeper.run(self._reaper)

        keeping = asyncio.create_task(keep(), name=f"keep-{keeper.name}")
        keeping.add_done_callback(self._keeping_ended)
        self._keeping.append(keeping)

    def _keeping_ended(self, keeping: asyncio.Task[None]) -> None:
        """A mistake of ours in a keeper ends the run loudly: nothing would be kept alive any more."""
        if not keeping.cancelled() and (error := keeping.exception()) is not None and not self._ending.done():
            self._ending.set_exception(error)

    def _plan_of_serve(self) -> ChildPlan:
        async def died(exit_code: int | None, deaths: int) -> bool:
            if not self._prepared.is_set():
                self._fail_start(
                    _("The server ended (exit code %(code)s) before it was ready; the terminal shows its last words.")
                    % {"code": exit_code}
                )
            return self._prepared.is_set() and not self._ending.done()

        fd, told = self._listener.fileno(), self._told_by_serve
        if self._run.is_setup:
            return setup_plan(self._command, fd, told=told, died=died)
        return serve_plan(self._command, fd, is_prepared=self._prepared.is_set, told=told, died=died)

    def _plan_of_lane(self, agent_id: str) -> ChildPlan:
        async def died(exit_code: int | None, deaths: int) -> bool:
            if self._ending.done():
                return False
            if deaths >= LANE_DOWN_DEATHS:  # without a server nobody hears it, and the next death says it again
                self._serve.send(f"{Word.LANE_DOWN} {agent_id}")
            await self._end_clis(agent_id)
            return True

        return lane_plan(self._command, agent_id, died=died)

    def _plan_of_assistant(self) -> ChildPlan:
        async def died(exit_code: int | None, deaths: int) -> bool:
            if self._ending.done():
                return False
            await self._end_clis(ASSISTANT_CLI)
            return True

        return assistant_plan(self._command, died=died)

    def _fail_start(self, why: str) -> None:
        if not self._failed_start.done():
            self._failed_start.set_result(GroupXError(ErrorCode.START_FAILED, why))

    def _told_by_serve(self, line: str) -> None:
        match line.split(maxsplit=1):
            case [Word.FAILED, sentence]:
                self._fail_start(sentence)
            case [Word.CONFIGURED]:
                self._configured()
            case [Word.SIGN_IN, path]:
                self.sign_in = path
            case [Word.READY]:
                self._prepared.set()
            case [Word.SHUTDOWN]:
                self.end(Ending.STOP)
            case [Word.RESTART]:
                self._restart()
            case _:
                log.info("child_said", child=SERVE_NAME, line=line)

    def _restart(self) -> None:
        try:
            self._may_restart()
        except GroupXError as error:
            log.error("restart_refused", code=error.code.value, reason=error.message)
            return
        self.end(Ending.RESTART)

    # ------------------------------------------------------------ the end
    async def _close(self) -> None:
        began = self._clock.monotonic()
        for keeping in self._keeping:
            keeping.cancel()
        await asyncio.gather(*self._keeping, return_exceptions=True)
        self._serve.send(Word.DRAIN)
        grace_seconds = lanes_grace_seconds(self._run.config.timeouts.close_ms)
        await _all_of(*(lane.end(grace_seconds) for lane in self._lanes))
        end_left = () if self._run.is_setup else (self._end_left(),)  # a room may run beside the setup already
        await _all_of(*end_left, self._serve.end(SERVE_SECONDS))
        log.info("runtime_closed", took_ms=round((self._clock.monotonic() - began) * 1000))

    async def _end_left(self) -> None:
        """What lanes that were killed have left: their CLIs, and what those had started."""
        await _all_of(*(self._end_cli(cli) for cli in run_files.recorded_clis(self._run.run_dir)))
        await self._reaper.end_adopted()

    async def _end_clis(self, agent_id: str) -> None:
        """End what a dead lane has left. A lane that closed in order has no records any more."""
        await _all_of(*(self._end_cli(cli) for cli in run_files.recorded_clis(self._run.run_dir, agent_id)))

    async def _end_cli(self, cli: run_files.RecordedCli) -> None:
        await end_orphan(cli.pid, cli.started_at, ORPHAN_GRACE_SECONDS)
        run_files.forget_cli(self._run.run_dir, cli.agent_id, cli.use)


async def _all_of(*steps: Awaitable[None]) -> None:
    """One step that fails must not keep the others from ending what they have to end."""
    for result in await asyncio.gather(*steps, return_exceptions=True):
        if isinstance(result, Exception):
            log.error("closing_failed", exc_info=result)
