"""The brain's native session: opened with the operator's tools, resumed where there is one to resume, and ended.

A start that may work later is tried three times with back-off; then it has failed until somebody asks again.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from adapters.contract import AdapterError, AgentSpec, Driver, McpEndpoint, OpenedProcess, Session
from assistant.actions.show_brain import show_brain
from assistant.state import BrainStatus
from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from groupx.kernel.text import clip
from turns.control import LaneControl
from turns.lane_link import LaneLink
from turns.lane_store import LaneStore
from turns.pauses import sound_delay
from turns.sessions import BACKOFF_SECONDS, RESUME_TRIES, START_TRIES, error_card

log = get_logger()

STATUS_CHARS = 300
CLI_CHARS = 80


@dataclass(frozen=True, kw_only=True)
class BrainCli:
    """How its CLI is opened, and who hears of its process."""

    spec: AgentSpec
    driver: Driver
    mcp: McpEndpoint
    process_spawned: Callable[[OpenedProcess], None]
    process_ended: Callable[[], None]


class BrainSession:
    """`session` is the open one. All methods belong to one loop."""

    def __init__(
        self, token: str, cli: BrainCli, link: LaneLink, store: LaneStore, control: LaneControl, clock: Clock
    ) -> None:
        self._token, self._cli = token, cli
        self._link, self._store, self._control, self._clock = link, store, control, clock
        self.session: Session | None = None
        self.failure: AdapterError | None = None
        """Why there is none, of the last start that failed."""
        self.resumes: str | None = None
        """The native session that the next one goes on with."""

    async def open(self) -> bool:
        """False when it failed, which the brain's row then says, or when the brain is to close."""
        failed_resumes = 0
        for attempt in range(1, START_TRIES + 1):
            await self._show(BrainStatus.STARTING)
            try:
                return await self._open_unless_stopped()
            except AdapterError as error:
                failed_resumes += error.while_resuming
                if failed_resumes == RESUME_TRIES:
                    self.resumes = None
                log.warning("brain_open_failed", code=error.code, attempt=attempt, exit_code=error.exit_code)
                if not error.temporary or attempt == START_TRIES or sound_delay(error.retry_after_seconds):
                    await self.fail(error)
                    return False
                await self._show(BrainStatus.STARTING, error.message, last_error=error_card(error))
                await self._stopping_within(BACKOFF_SECONDS[attempt - 1])
            if self._control.stop is not None:
                return False
        return False

    async def fail(self, error: AdapterError) -> None:
        self.failure = error
        await self._show(BrainStatus.FAILED, error.message, last_error=error_card(error))

    async def ready(self) -> None:
        """It waits for a question."""
        self.failure = None
        await self._show(BrainStatus.READY, last_error=None)

    async def close(self) -> None:
        session, self.session = self.session, None
        if session is not None:
            await session.close()
            self._cli.process_ended()

    async def forget(self) -> None:
        """Its native session is gone; the next one starts afresh."""
        self.resumes = None
        await self.close()

    async def _open_unless_stopped(self) -> bool:
        opening = asyncio.create_task(self._open_once(), name="brain-open")
        stopping = asyncio.create_task(self._control.stopping.wait(), name="stopping")
        try:
            await self._clock.wait({opening, stopping}, None)
            return await opening if opening.done() else False
        finally:
            for task in (opening, stopping):
                task.cancel()
            await asyncio.gather(opening, stopping, return_exceptions=True)

    async def _open_once(self) -> bool:
        cli = self._cli
        try:
            session = await cli.driver.open(cli.spec, cli.mcp, self.resumes, cli.process_spawned)
        except BaseException:  # failed or cancelled: either way its process is gone
            cli.process_ended()
            raise
        info = session.info
        try:
            words = [info.agent_name or Path(cli.spec.argv[-1]).name, info.agent_version or ""]
            await self._show(
                BrainStatus.READY,
                last_error=None,
                native_session_id=info.native_session_id,
                cli=clip(" ".join(words).strip(), CLI_CHARS),
            )
        except BaseException:  # failed or cancelled: nothing of it is left
            await session.close()
            cli.process_ended()
            raise
        self.session, self.failure, self.resumes = session, None, info.native_session_id
        log.info("brain_ready", resumed=info.resumed, version=info.agent_version)
        return True

    async def _show(self, status: BrainStatus, text: str = "", **more: object) -> None:
        await self._store.write(show_brain, self._token, status, clip(text, STATUS_CHARS), clock=self._clock, **more)
        self._link.status()

    async def _stopping_within(self, seconds: float) -> None:
        stopping = asyncio.create_task(self._control.stopping.wait(), name="stopping")
        try:
            await self._clock.wait({stopping}, seconds)
        finally:
            stopping.cancel()
            await asyncio.gather(stopping, return_exceptions=True)
