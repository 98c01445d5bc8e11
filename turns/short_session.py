"""A short-lived native session beside an agent's own: no tools of the room, nothing resumed, one prompt, its text.

It is another process of the same CLI in the same folder, so it neither waits for the agent's turn nor delays it. The
room sees nothing of it. Whatever happens, also when it is cancelled, its process has been ended and reaped before.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from adapters.contract import AdapterError, AgentSpec, Driver, OpenedProcess, Session
from groupx.kernel.cancellation import to_its_end
from groupx.kernel.clock import Clock
from groupx.kernel.config import Timeouts
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger
from turns.control import LaneControl
from turns.job_ends import JobEnd, JobFailed, end_of, start_failed
from turns.native_turn import NativeTurn, TurnHooks
from turns.settlement import TurnOutcome

log = get_logger()

SESSION_SECONDS = 600.0
"""From the start of the process to its answer."""
NO_ONE = "short-session"


@dataclass(frozen=True, kw_only=True)
class ShortSession:
    """How to open one; each `ask` opens another."""

    spec: AgentSpec
    driver: Driver
    timeouts: Timeouts
    process_spawned: Callable[[OpenedProcess], None]
    """A CLI exists from now on, also if its session never comes about."""
    process_ended: Callable[[], None]
    clock: Clock

    async def ask(self, prompt: str) -> JobEnd:
        """Send `prompt` once and give the answer, or why there is none; never longer than SESSION_SECONDS, and the time
        that closing may take (`closeMs`)."""
        began = self.clock.monotonic()
        try:
            session = await self._open()
            try:
                left_seconds = SESSION_SECONDS - (self.clock.monotonic() - began)
                return end_of(await self._run(session, prompt, left_seconds), self.clock.now())
            finally:
                await to_its_end(session.close())
        except AdapterError as error:
            log.info("short_session_failed", code=error.code)
            return JobEnd(failure=start_failed(error))
        except Exception:  # the border to a driver, which broke its contract: neither its lane nor a turn ends with it
            log.exception("short_session_broke")
            message = "The conversation with the agent broke in a way that GroupX did not expect."
            return JobEnd(failure=JobFailed(ErrorCode.PROTOCOL_INVALID_MESSAGE, message))
        finally:
            self.process_ended()

    async def _open(self) -> Session:
        opening = asyncio.create_task(self.driver.open(self.spec, None, None, self.process_spawned), name="short-open")
        try:
            await self.clock.wait({opening}, SESSION_SECONDS)
            if opening.done():
                return opening.result()
        except asyncio.CancelledError:
            await to_its_end(_give_up(opening))
            raise
        await to_its_end(_give_up(opening))
        raise AdapterError(
            ErrorCode.NATIVE_START_FAILED, f"The agent was not ready within {SESSION_SECONDS:g} s.", temporary=True
        )

    async def _run(self, session: Session, prompt: str, seconds: float) -> TurnOutcome:
        timeouts = self.timeouts.model_copy(update={"turn_ms": max(1, round(seconds * 1000))})
        return await NativeTurn(NO_ONE, session, _HOOKS, LaneControl(), timeouts, self.clock).run(prompt)


async def _give_up(opening: asyncio.Task[Session]) -> None:
    """An opening that is cancelled ends its process itself, one that has just succeeded does not."""
    opening.cancel()
    (opened,) = await asyncio.gather(opening, return_exceptions=True)
    if not isinstance(opened, BaseException):
        await opened.close()


async def _started(native_turn_id: str | None) -> None:
    pass


async def _save_nothing(text: str) -> bool:
    return True


_HOOKS = TurnHooks(
    started=_started, save_partial=_save_nothing, tell=lambda event: None, heartbeat=lambda quiet_seconds: None
)
"""Nobody follows it."""
