"""Open, resume and replace an agent's native session, with the room's books kept in step.

A start that may work later is tried three times with back-off, each try visible; then the agent shows its
error and its queue waits for a restart.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace

from adapters.contract import AdapterError, AgentSpec, Driver, McpEndpoint, Session, SessionInfo
from groupx.kernel.clock import Clock, iso
from groupx.kernel.errors import ErrorCode
from groupx.kernel.ids import new_handle
from groupx.kernel.logs import get_logger
from rooms.actions.bind_session import (
    BoundSession,
    NewSession,
    announce_session_start,
    bind_session,
    record_session_failure,
    unbind_session,
)
from rooms.bodies import Body, SessionFailed, SessionRetrying
from rooms.envelope import ActorRef
from rooms.queries import newest_native_session
from rooms.transactions import in_db, in_reader
from turns.actions.lane_status import set_lane_status
from turns.state import LaneStatus

log = get_logger()

START_TRIES = 3
BACKOFF_SECONDS = (1.0, 2.0, 4.0)


@dataclass(frozen=True, kw_only=True)
class LiveSession:
    """An open native session and what the room knows of it. `agent` carries the instance."""

    session: Session
    bound: BoundSession
    agent: ActorRef

    @property
    def info(self) -> SessionInfo:
        return self.session.info


@dataclass(frozen=True, kw_only=True)
class SessionHooks:
    """What the lane's surroundings want to know; all return at once."""

    tell: Callable[[Body], None]
    process_opened: Callable[[int, float], None]
    process_ended: Callable[[], None]


class AgentSessions:
    def __init__(
        self,
        agent: ActorRef,
        spec: AgentSpec,
        driver: Driver,
        lane_token: str,
        mcp_url: str,
        hooks: SessionHooks,
        clock: Clock,
    ) -> None:
        self._agent, self._spec, self._driver = agent, spec, driver
        self._lane_token, self._mcp_url, self._hooks, self._clock = lane_token, mcp_url, hooks, clock
        self._resume_next = True

    def forget_native_session(self) -> None:
        """The next session starts fresh: the last one turned out to be dead."""
        self._resume_next = False

    async def open(self, interrupted: asyncio.Event) -> LiveSession | None:
        """Open a session, or give None after the failure was shown on the card and in the room.

        `interrupted`: set when the lane is to close or restart; then no further try is made.
        """
        await in_db(announce_session_start, self._agent, clock=self._clock)
        for attempt in range(1, START_TRIES + 1):
            await self._status(LaneStatus.STARTING, "")
            try:
                return await self._open_once()
            except AdapterError as error:
                log.warning("session_open_failed", code=error.code, attempt=attempt, exit_code=error.exit_code)
                if not error.temporary or attempt == START_TRIES or interrupted.is_set():
                    await self._give_up(error)
                    return None
                await self._retry_later(error, attempt, interrupted)
        return None

    async def close(self, live: LiveSession, reason: str | None) -> None:
        """End the process and close its binding."""
        await live.session.close()
        self._hooks.process_ended()
        await in_db(
            unbind_session,
            self._agent,
            live.bound,
            exit_code=live.session.exit_code,
            reason=reason,
            clock=self._clock,
        )

    async def _open_once(self) -> LiveSession:
        handle = new_handle()
        resume, moved = await in_reader(self._to_resume)
        session = await self._driver.open(self._spec, McpEndpoint(url=self._mcp_url, binding_handle=handle), resume)
        info = session.info
        self._hooks.process_opened(info.process.pid, info.process.started_at)
        try:
            bound = await in_db(
                bind_session,
                self._agent,
                NewSession(
                    handle=handle,
                    pid=info.process.pid,
                    process_started_at=info.process.started_at,
                    native_session_id=info.native_session_id,
                    cwd=str(self._spec.cwd),
                    resumed=info.resumed,
                    context_lost=info.context_lost or moved,
                    agent_name=info.agent_name,
                    agent_version=info.agent_version,
                ),
                clock=self._clock,
            )
        except BaseException:
            await session.close()
            raise
        self._resume_next = True
        await self._status(
            LaneStatus.READY,
            "",
            instance_id=bound.instance_id,
            capabilities={name: evidence.value for name, evidence in info.capabilities.items()},
        )
        log.info("session_ready", instance_id=bound.instance_id, resumed=info.resumed, version=info.agent_version)
        return LiveSession(session=session, bound=bound, agent=replace(self._agent, instance_id=bound.instance_id))

    def _to_resume(self) -> tuple[str | None, bool]:
        """(native session to resume, whether one is left behind because the folder has changed)."""
        former = newest_native_session(self._agent.actor_id)
        if former is None:
            return None, False
        native_session_id, cwd = former
        if not self._resume_next:
            return None, True
        if cwd != str(self._spec.cwd):
            return None, True
        return native_session_id, False

    async def _retry_later(self, error: AdapterError, attempt: int, interrupted: asyncio.Event) -> None:
        seconds = error.retry_after_seconds or BACKOFF_SECONDS[attempt - 1]
        next_at = self._clock.now().timestamp() + seconds
        self._hooks.tell(
            SessionRetrying(
                actor_id=self._agent.actor_id,
                attempt=attempt,
                max_attempts=START_TRIES,
                next_attempt_at=iso(type(self._clock.now()).fromtimestamp(next_at, self._clock.now().tzinfo)),
                error_code=error.code.value,
            )
        )
        await self._status(LaneStatus.RETRYING, error.message, last_error=_card(error))
        waiting = asyncio.create_task(interrupted.wait(), name="retry-interrupted")
        try:
            await self._clock.wait({waiting}, seconds)
        finally:
            waiting.cancel()

    async def _give_up(self, error: AdapterError) -> None:
        blocked = error.code is ErrorCode.NATIVE_POLICY_BLOCKED
        status = LaneStatus.NATIVE_POLICY_BLOCKED if blocked else LaneStatus.FAILED
        await self._status(status, error.message, last_error=_card(error), instance_id=None)
        failure = SessionFailed(
            actor_id=self._agent.actor_id,
            error_code=error.code.value,
            message=error.message,
            hint=error.hint,
            exit_code=error.exit_code,
        )
        await in_db(record_session_failure, self._agent, failure, clock=self._clock)

    async def _status(self, status: LaneStatus, text: str, **more: object) -> None:
        await in_db(
            set_lane_status,
            self._agent.actor_id,
            self._lane_token,
            status,
            text,
            clock=self._clock,
            **more,  # type: ignore[arg-type]
        )


def _card(error: AdapterError) -> dict[str, object]:
    """`lastError` of the card: code, sentence, exit code, last words."""
    card: dict[str, object] = {"code": error.code.value, "message": error.message, "output": error.output}
    return (
        card
        | ({"exitCode": error.exit_code} if error.exit_code is not None else {})
        | ({"hint": error.hint} if error.hint else {})
    )
