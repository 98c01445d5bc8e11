"""The parent at run time: keeps serve and one lane per agent alive on the socket it holds, and ends them in order.

Knows processes, never the database. Serve is restarted at once on the same socket, so a request sent
meanwhile waits and is answered; a lane is restarted with back-off, after what its CLI left was ended. Closing
is ordered and bounded: serve drains, lanes close, serve closes, orphans are ended (docs/architecture.md).
"""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from contextlib import suppress
from enum import StrEnum
from pathlib import Path
from typing import Any

from adapters.process import end_orphan
from groupx import backoff, run_files
from groupx.backoff import BackOff
from groupx.children import Child, Reaper
from groupx.control import Word
from groupx.kernel.config import RunConfig, Server
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.lifecycle import health_request
from groupx.listener import listen_address
from groupx.run_config import CONFIG_VARIABLE, PORT_VARIABLE, RUN_CONFIG_VARIABLE
from groupx.run_files import LANE_SECRET_VARIABLE
from groupx.terminal_words import gettext as _

log = get_logger()

HEALTHY_SECONDS = 20.0
PREPARE_SECONDS = 900.0
"""For serve to make the database ready: migrating a large one takes its time, and must not be cut short."""
CANCEL_MS, CLOSE_MS, LANE_MARGIN_MS = 4_000, 5_000, 1_000
"""A lane waits at most so long for its turn to stop and for its CLI to end, and has this much left for the rest."""
SERVE_SECONDS = 3.5
"""More than its own watchdog allows it (groupx/runtime.py)."""
ORPHAN_GRACE_SECONDS = 0.5
LANE_DOWN_DEATHS = 3
"""Deaths in a row after which the room is told that an agent's lane does not come up."""
SERVE_NAME = "serve"


class Ending(StrEnum):
    STOP = "stop"
    RESTART = "restart"


def base_command() -> list[str]:
    """How a process of ours is started so that it finds this very code, from whatever folder we were started."""
    manage = Path(__file__).resolve().parent.parent / "manage.py"
    if manage.is_file():
        return [sys.executable, str(manage)]
    return [sys.executable, "-P", "-m", "groupx"]  # -P: nothing in the current folder may shadow a module


def lane_name(agent_id: str) -> str:
    return f"lane-{agent_id}"


def lanes_grace_seconds(close_ms: int) -> float:
    """How long lanes may take to cancel their turns and close their CLIs: 10 s at most, however large closeMs is."""
    return (min(close_ms, CANCEL_MS) + min(close_ms, CLOSE_MS) + LANE_MARGIN_MS) / 1000


def children_environment(inherited: Mapping[str, str], run: RunConfig) -> dict[str, str]:
    """What children inherit, with the snapshot as their only configuration."""
    ours = {RUN_CONFIG_VARIABLE, CONFIG_VARIABLE, PORT_VARIABLE, LANE_SECRET_VARIABLE}
    kept = {name: value for name, value in inherited.items() if name not in ours}
    return {**kept, RUN_CONFIG_VARIABLE: str(run_files.snapshot_path(run.run_dir))}


class Supervisor:
    """One run, from its first child to the last."""

    def __init__(
        self,
        run: RunConfig,
        listener: socket.socket,
        *,
        command: list[str] | None = None,
        may_restart: Callable[[], None] = lambda: None,
    ) -> None:
        """`may_restart` raises GroupXError when a restart could not succeed; the run then goes on as it is."""
        self._run, self._listener = run, listener
        self._command = command or base_command()
        self._may_restart = may_restart
        self._env = children_environment(os.environ, run)
        self._needed_files = run_files.what_children_need(run.run_dir)
        self._children: dict[str, Child] = {}
        self._keepers: list[asyncio.Task[None]] = []
        self._ending: asyncio.Future[Ending] = asyncio.get_running_loop().create_future()
        self._failed_start: asyncio.Future[GroupXError] = asyncio.get_running_loop().create_future()
        self._prepared = asyncio.Event()
        self._reaper = Reaper()

    async def run(self, on_healthy: Callable[[], None] = lambda: None) -> Ending:
        """Serve until something ends the run; then nothing of it lives any more.

        Raises:
            GroupXError: START_FAILED when serve did not become healthy; nothing lives then either.
        """
        loop = asyncio.get_running_loop()
        self._reaper.begin()
        ending_signals = _ending_signals()
        for number in ending_signals:
            loop.add_signal_handler(number, self.end, Ending.STOP)
        try:
            self._keep(SERVE_NAME, backoff.SERVE)
            if await self._healthy():
                on_healthy()
                for agent_id in self._run.config.enabled_agents:
                    self._keep(lane_name(agent_id), backoff.LANE, agent_id)
                await self._ending
            return self._ending.result()
        finally:
            await self._close()
            for number in ending_signals:
                loop.remove_signal_handler(number)
            self._reaper.end()

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
    def _keep(self, name: str, back_off: BackOff, agent_id: str | None = None) -> None:
        keeper = asyncio.create_task(self._keep_alive(name, back_off, agent_id), name=f"keep-{name}")
        keeper.add_done_callback(self._keeper_done)
        self._keepers.append(keeper)

    def _keeper_done(self, keeper: asyncio.Task[None]) -> None:
        """A mistake of ours in a keeper ends the run loudly: nothing would be kept alive any more."""
        if not keeper.cancelled() and (error := keeper.exception()) is not None and not self._ending.done():
            self._ending.set_exception(error)

    async def _keep_alive(self, name: str, back_off: BackOff, agent_id: str | None) -> None:
        loop = asyncio.get_running_loop()
        deaths = 0
        while True:
            began = loop.time()
            try:
                child = await self._spawn(name, agent_id)
                await child.exited.wait()
                self._children.pop(name, None)
                run_files.forget_child(self._run.run_dir, name)
                exit_code = child.exit_code
            except OSError as error:
                log.error("child_not_started", child=name, reason=error.strerror)
                exit_code = None
            if self._ending.done():
                return
            if agent_id is None and not self._prepared.is_set():
                self._fail_start(exit_code)
                return
            deaths = back_off.count(deaths, loop.time() - began)
            delay = back_off.after(deaths)
            log.warning("child_died", child=name, exit_code=exit_code, deaths=deaths, restart_in_seconds=delay)
            if agent_id is not None:
                if deaths >= LANE_DOWN_DEATHS:
                    self._tell_serve(f"{Word.LANE_DOWN} {agent_id}")
                await self._end_cli(agent_id)
            await asyncio.sleep(delay)

    def _tell_serve(self, line: str) -> None:
        """A hint: without a server there is nobody to tell, and the next death says it again."""
        if (serve := self._children.get(SERVE_NAME)) is not None:
            serve.line.send(line)

    def _fail_start(self, exit_code: int | None) -> None:
        if not self._failed_start.done():
            self._failed_start.set_result(
                GroupXError(
                    ErrorCode.START_FAILED,
                    _("The server ended (exit code %(code)s) before it was ready; its last words stand above.")
                    % {"code": exit_code},
                )
            )

    async def _spawn(self, name: str, agent_id: str | None) -> Child:
        def command(control_fd: int) -> list[str]:
            if agent_id is not None:
                what = ["groupx_lane", agent_id]
            else:  # the first server of a run makes the database ready
                what = ["groupx_serve", "--fd", str(fd), *(() if self._prepared.is_set() else ("--prepare",))]
            return [*self._command, *what, "--control-fd", str(control_fd)]

        fd = self._listener.fileno()
        try:
            if run_files.restore_missing(self._run.run_dir, self._needed_files):
                log.warning("run_folder_restored", folder=str(self._run.run_dir))
        except OSError as error:  # the child will say what it misses
            log.warning("run_folder_not_restored", reason=error.strerror)
        child = await self._reaper.spawn(name, command, pass_fds=(fd,) if agent_id is None else (), env=self._env)
        self._children[name] = child
        child.line.on_line(lambda line: self._told(name, line))
        try:
            run_files.record_child(self._run.run_dir, name, child.pid, child.started_at)
        except OSError as error:  # it still ends with us; only a start after our own death could not end it
            log.warning("child_not_recorded", child=name, reason=error.strerror)
        log.info("child_started", child=name, pid=child.pid)
        return child

    def _told(self, name: str, line: str) -> None:
        match line:
            case Word.READY if name == SERVE_NAME:
                self._prepared.set()
            case Word.SHUTDOWN if name == SERVE_NAME:
                self.end(Ending.STOP)
            case Word.RESTART if name == SERVE_NAME:
                self._restart()
            case _:
                log.info("child_said", child=name, line=line)

    def _restart(self) -> None:
        try:
            self._may_restart()
        except GroupXError as error:
            log.error("restart_refused", code=error.code.value, reason=error.message)
            return
        self.end(Ending.RESTART)

    # ------------------------------------------------------------ the end
    async def _close(self) -> None:
        loop = asyncio.get_running_loop()
        began = loop.time()
        for keeper in self._keepers:
            keeper.cancel()
        await asyncio.gather(*self._keepers, return_exceptions=True)
        serve = self._children.pop(SERVE_NAME, None)
        if serve is not None:
            serve.line.send(Word.DRAIN)
        grace_seconds = lanes_grace_seconds(self._run.config.timeouts.close_ms)
        await _all_of(*(self._end_child(lane, grace_seconds) for lane in list(self._children.values())))
        await _all_of(self._end_left(), *([self._end_child(serve, SERVE_SECONDS)] if serve is not None else []))
        log.info("runtime_closed", took_ms=round((loop.time() - began) * 1000))

    async def _end_child(self, child: Child, grace_seconds: float) -> None:
        await child.end(grace_seconds)
        run_files.forget_child(self._run.run_dir, child.name)

    async def _end_left(self) -> None:
        """What lanes that were killed have left: their CLIs, and what those had started."""
        await _all_of(*(self._end_cli(cli.agent_id) for cli in run_files.recorded_clis(self._run.run_dir)))
        await self._reaper.end_adopted()

    async def _end_cli(self, agent_id: str) -> None:
        """End the CLI that a dead lane has left. One that closed in order has no record any more."""
        record = run_files.recorded_cli(self._run.run_dir, agent_id)
        if record is not None:
            await end_orphan(record.pid, record.started_at, ORPHAN_GRACE_SECONDS)
            run_files.forget_cli(self._run.run_dir, agent_id)


def _ending_signals() -> tuple[signal.Signals, ...]:
    """A terminal that closes ends the room, unless it was started with nohup."""
    hang_up = () if signal.getsignal(signal.SIGHUP) is signal.SIG_IGN else (signal.SIGHUP,)
    return (signal.SIGTERM, signal.SIGINT, *hang_up)


async def _all_of(*steps: Awaitable[None]) -> None:
    """One step that fails must not keep the others from ending what they have to end."""
    for result in await asyncio.gather(*steps, return_exceptions=True):
        if isinstance(result, Exception):
            log.error("closing_failed", exc_info=result)


async def until_healthy(server: Server) -> None:
    """Return when `GET /api/health` is answered with 200. The request waits in the listener's queue meanwhile.

    Unlike `lifecycle.probe` it can be cancelled at any moment: a start may be ended while serve is not up yet.
    """
    while True:
        with suppress(OSError):
            reader, writer = await asyncio.open_connection(listen_address(server.host), server.port)
            try:
                writer.write(health_request(server))
                status_line = await reader.readline()
                if status_line.split()[1:2] == [b"200"]:
                    return
            finally:
                writer.close()
                with suppress(OSError):
                    await writer.wait_closed()
        await asyncio.sleep(0.05)
