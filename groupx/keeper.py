"""One child of the parent, kept alive: started, watched, ended when it hangs, started again with growing pauses.

Knows processes and their records, not what the child is for.
"""

import asyncio
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from groupx import run_files
from groupx.backoff import BackOff
from groupx.children import Child, Reaper
from groupx.control import Word
from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from groupx.watchdog import Watchdog

log = get_logger()


@dataclass(frozen=True, kw_only=True)
class ChildPlan:
    """How a child is started, and who hears of it."""

    name: str
    command: Callable[[int], list[str]]
    """Its arguments, given the descriptor of its control line."""
    pass_fds: Sequence[int] = ()
    back_off: BackOff
    start_seconds: Callable[[], float]
    """How long it may take to say its first word."""
    told: Callable[[str], None]
    """Hears every word of the child but `pong`."""
    died: Callable[[int | None, int], Awaitable[bool]]
    """Called with the exit code (None: it could not be started) and the deaths in a row; False: let it rest."""


class Keeper:
    """`run` keeps the child alive until it is cancelled; the child then lives on for `end`."""

    def __init__(
        self, plan: ChildPlan, run_dir: Path, needed_files: dict[str, str], env: Mapping[str, str], clock: Clock
    ) -> None:
        self._plan, self._run_dir, self._needed_files = plan, run_dir, needed_files
        self._env, self._clock = env, clock
        self._child: Child | None = None

    @property
    def name(self) -> str:
        return self._plan.name

    def send(self, line: str) -> None:
        """A hint: while there is no child nobody hears it."""
        if self._child is not None:
            self._child.line.send(line)

    async def run(self, reaper: Reaper) -> None:
        deaths = 0
        while True:
            began = self._clock.monotonic()
            try:
                child, watchdog = await self._spawn(reaper)
                await self._until_exit(child, watchdog)
                self._forget()
                exit_code = child.exit_code
            except OSError as error:
                log.error("child_not_started", child=self.name, reason=error.strerror)
                exit_code = None
            deaths = self._plan.back_off.count(deaths, self._clock.monotonic() - began)
            if not await self._plan.died(exit_code, deaths):
                return
            delay = self._plan.back_off.after(deaths)
            log.warning("child_died", child=self.name, exit_code=exit_code, deaths=deaths, restart_in_seconds=delay)
            await self._clock.sleep(delay)

    async def end(self, grace_seconds: float) -> None:
        """End the child in order, if there is one; bounded."""
        if self._child is not None:
            await self._child.end(grace_seconds)
            self._forget()

    async def _spawn(self, reaper: Reaper) -> tuple[Child, Watchdog]:
        try:
            if run_files.restore_missing(self._run_dir, self._needed_files):
                log.warning("run_folder_restored", folder=str(self._run_dir))
        except OSError as error:  # the child will say what it misses
            log.warning("run_folder_not_restored", reason=error.strerror)
        child = await reaper.spawn(self.name, self._plan.command, pass_fds=self._plan.pass_fds, env=self._env)
        self._child = child
        watchdog = Watchdog(lambda: child.line.send(Word.PING), self._plan.start_seconds(), self._clock)

        def hear(line: str) -> None:
            watchdog.heard()
            if line != Word.PONG:
                self._plan.told(line)

        child.line.on_line(hear)
        try:
            run_files.record_child(self._run_dir, self.name, child.pid, child.started_at)
        except OSError as error:  # it still ends with us; only a start after our own death could not end it
            log.warning("child_not_recorded", child=self.name, reason=error.strerror)
        log.info("child_started", child=self.name, pid=child.pid)
        return child, watchdog

    async def _until_exit(self, child: Child, watchdog: Watchdog) -> None:
        exited = asyncio.create_task(child.exited.wait(), name=f"exit-of-{self.name}")
        hung = asyncio.create_task(watchdog.until_hung(), name=f"watchdog-of-{self.name}")
        try:
            await self._clock.wait({exited, hung}, None)
            if not exited.done():
                log.error("child_hung", child=self.name, pid=child.pid)
                child.kill()
                await child.exited.wait()
        finally:
            for task in (exited, hung):
                task.cancel()
            await asyncio.gather(exited, hung, return_exceptions=True)

    def _forget(self) -> None:
        self._child = None
        run_files.forget_child(self._run_dir, self.name)
