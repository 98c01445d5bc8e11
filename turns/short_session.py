"""A short-lived native session beside an agent's own: no tools of the room, nothing resumed, one prompt, its text.

It is another process of the same CLI in the same folder, so it neither waits for the agent's turn nor delays it. The
room sees nothing of it. Whatever happens, also when it is cancelled, its process has been ended and reaped before.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from adapters.contract import AdapterError, AgentSpec, Driver, OpenedProcess, Session, SessionInfo
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


async def _started(native_turn_id: str | None) -> None:
    pass


async def _save_nothing(text: str) -> bool:
    return True


NOBODY_FOLLOWS = TurnHooks(
    started=_started, save_partial=_save_nothing, tell=lambda event: None, heartbeat=lambda quiet_seconds: None
)


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
    most_seconds: float = SESSION_SECONDS
    hooks: TurnHooks = NOBODY_FOLLOWS
    opened: Callable[[SessionInfo], None] = lambda info: None
    """It is about to be prompted."""

    async def ask(self, prompt: str) -> JobEnd:
        """Send `prompt` once and give the answer, or why there is none."""
        try:
            return end_of(await self.run(prompt), self.clock.now())
        except AdapterError as error:
            log.info("short_session_failed", code=error.code)
            return JobEnd(failure=start_failed(error))
        except Exception:  # the border to a driver, which broke its contract: neither its lane nor a turn ends with it
            log.exception("short_session_broke")
            message = "The conversation with the agent broke in a way that GroupX did not expect."
            return JobEnd(failure=JobFailed(ErrorCode.PROTOCOL_INVALID_MESSAGE, message))

    async def run(self, prompt: str) -> TurnOutcome:
        """Send `prompt` once; never longer than `most_seconds`, and the time that closing may take (`closeMs`).

        Raises:
            AdapterError: no session came about.
        """
        began = self.clock.monotonic()
        try:
            session = await self._open()
            try:
                self.opened(session.info)
                left_seconds = self.most_seconds - (self.clock.monotonic() - began)
                turn = NativeTurn(NO_ONE, session, self.hooks, LaneControl(), self._timeouts(left_seconds), self.clock)
                return await turn.run(prompt)
            finally:
                await to_its_end(session.close())
        finally:
            self.process_ended()

    async def _open(self) -> Session:
        opening = asyncio.create_task(self.driver.open(self.spec, None, None, self.process_spawned), name="short-open")
        try:
            await self.clock.wait({opening}, self.most_seconds)
            if opening.done():
                return opening.result()
        except asyncio.CancelledError:
            await to_its_end(_give_up(opening))
            raise
        await to_its_end(_give_up(opening))
        raise AdapterError(
            ErrorCode.NATIVE_START_FAILED, f"The agent was not ready within {self.most_seconds:g} s.", temporary=True
        )

    def _timeouts(self, left_seconds: float) -> Timeouts:
        """Those of any turn, as far as the time in all allows."""
        most_ms = max(1, round(left_seconds * 1000))
        limits = ("turn_ms", "first_event_ms", "idle_ms")
        shorter = {name: min(most_ms, getattr(self.timeouts, name)) for name in limits}
        return self.timeouts.model_copy(update=shorter)


async def _give_up(opening: asyncio.Task[Session]) -> None:
    """An opening that is cancelled ends its process itself, one that has just succeeded does not."""
    opening.cancel()
    (opened,) = await asyncio.gather(opening, return_exceptions=True)
    if not isinstance(opened, BaseException):
        await opened.close()
