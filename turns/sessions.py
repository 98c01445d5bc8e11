"""Open, resume and replace an agent's native session, with the room's books kept in step.

A start that may work later is tried three times with back-off, each try visible; then the agent shows its
error and its queue waits for a restart.
"""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path

from adapters.contract import AdapterError, AgentSpec, Driver, McpEndpoint, OpenedProcess, Session, SessionInfo
from groupx.kernel.canonical import fingerprint
from groupx.kernel.clock import Clock, iso
from groupx.kernel.errors import ErrorCode
from groupx.kernel.ids import new_handle
from groupx.kernel.logs import get_logger
from rooms.actions.bind_session import (
    BoundSession,
    NewSession,
    announce_session_start,
    bind_session,
    close_former_sessions,
    expect_session,
    forget_expected_session,
    record_session_failure,
    unbind_session,
)
from rooms.bodies import Body, SessionFailed, SessionRetrying
from rooms.envelope import ActorRef
from rooms.queries import newest_native_session
from turns.actions.note_evidence import CliFacts, KnownCli, meet_cli
from turns.control import LaneControl
from turns.lane_store import LaneStore
from turns.pauses import sound_delay
from turns.state import LaneStatus

log = get_logger()

START_TRIES = 3
RESUME_TRIES = 2
"""A session whose resumption kills or silences its agent so often is dead: the last try starts a fresh one."""
BACKOFF_SECONDS = (1.0, 2.0, 4.0)


@dataclass(frozen=True, kw_only=True)
class LiveSession:
    """An open native session and what the room knows of it. `agent` carries the instance."""

    session: Session
    bound: BoundSession
    agent: ActorRef
    cli: KnownCli

    @property
    def info(self) -> SessionInfo:
        return self.session.info


@dataclass(frozen=True, kw_only=True)
class SessionHooks:
    """What the lane's surroundings want to know; all return at once."""

    tell: Callable[[Body], None]
    process_spawned: Callable[[OpenedProcess], None]
    """A CLI exists from now on, also if its session never comes about."""
    process_ended: Callable[[], None]


class AgentSessions:
    def __init__(
        self,
        agent: ActorRef,
        spec: AgentSpec,
        driver: Driver,
        mcp_url: str,
        hooks: SessionHooks,
        store: LaneStore,
        control: LaneControl,
        clock: Clock,
    ) -> None:
        self._agent, self._spec, self._driver = agent, spec, driver
        self._mcp_url, self._hooks = mcp_url, hooks
        self._store, self._control, self._clock = store, control, clock
        self._resume_next = True
        self._fresh_was_asked = False

    def forget_native_session(self, *, was_asked: bool = False) -> None:
        """The next session starts fresh: the last one turned out to be dead, or a person wants another."""
        self._resume_next = False
        self._fresh_was_asked |= was_asked

    async def open(self) -> LiveSession | None:
        """Open a session; None after its failure was shown on the card and in the room, or when the lane is to stop.

        A stop ends an opening that is under way: no CLI is left in mid-handshake.

        Raises:
            AdapterError: of an agent whose model's service wants to be left alone, with the delay that it gave.
        """
        await self._store.write(announce_session_start, self._agent, clock=self._clock)
        failed_resumes = 0
        for attempt in range(1, START_TRIES + 1):
            await self._store.show(LaneStatus.STARTING)
            try:
                return await self._open_unless_stopped()
            except AdapterError as error:
                failed_resumes += error.while_resuming
                if failed_resumes == RESUME_TRIES:
                    self.forget_native_session()
                log.warning("session_open_failed", code=error.code, attempt=attempt, exit_code=error.exit_code)
                if _is_to_be_left_alone(error):
                    raise
                if not error.temporary or attempt == START_TRIES:
                    await self.give_up(error)
                    return None
                await self._retry_later(error, attempt)
            if self._control.stop is not None:
                return None
        return None

    async def _open_unless_stopped(self) -> LiveSession | None:
        opening = asyncio.create_task(self._open_once(), name="session-open")
        stopping = asyncio.create_task(self._control.stopping.wait(), name="stopping")
        try:
            await self._clock.wait({opening, stopping}, None)
            return await opening if opening.done() else None
        finally:
            for task in (opening, stopping):
                task.cancel()
            await asyncio.gather(opening, stopping, return_exceptions=True)

    async def close(self, live: LiveSession, reason: str | None) -> None:
        """End the process and close its binding."""
        await live.session.close()
        self._hooks.process_ended()
        await self._store.write(
            unbind_session,
            self._agent,
            live.bound,
            exit_code=live.session.exit_code,
            reason=reason,
            clock=self._clock,
        )

    async def _open_once(self) -> LiveSession:
        handle = new_handle()
        resume, moved = await self._store.read(self._to_resume)
        mcp = McpEndpoint(url=self._mcp_url, binding_handle=handle)
        await self._store.write(expect_session, self._agent, handle, str(self._spec.cwd), clock=self._clock)
        try:
            session = await self._driver.open(self._spec, mcp, resume, self._hooks.process_spawned)
        except BaseException:  # failed or cancelled: either way its process is gone
            self._hooks.process_ended()
            await self._store.attempt(forget_expected_session, handle)
            raise
        info = session.info
        try:
            books = self._books_of(handle, info, moved)
            bound = await self._store.write(bind_session, self._agent, books, clock=self._clock)
            facts = cli_facts(self._spec, info)
            cli = await self._store.write(meet_cli, facts, info.capabilities, clock=self._clock)
            await self._store.show(LaneStatus.READY, instance_id=bound.instance_id, cli_id=cli.cli_id)
        except BaseException:  # failed or cancelled: nothing of it is left
            await session.close()
            self._hooks.process_ended()
            # The writes run in order: what was bound is closed again.
            await self._store.attempt(close_former_sessions, self._agent, clock=self._clock)
            raise
        self._resume_next, self._fresh_was_asked = True, False
        log.info("session_ready", instance_id=bound.instance_id, resumed=info.resumed, version=info.agent_version)
        here = replace(self._agent, instance_id=bound.instance_id)
        return LiveSession(session=session, bound=bound, agent=here, cli=cli)

    def _books_of(self, handle: str, info: SessionInfo, moved: bool) -> NewSession:
        return NewSession(
            handle=handle,
            pid=info.process.pid,
            process_started_at=info.process.started_at,
            native_session_id=info.native_session_id,
            cwd=str(self._spec.cwd),
            resumed=info.resumed,
            context_lost=info.context_lost or moved,
            agent_name=info.agent_name,
            agent_version=info.agent_version,
            fresh_was_asked=self._fresh_was_asked,
        )

    def _to_resume(self) -> tuple[str | None, bool]:
        """(native session to resume, whether one is left behind: dead, of another folder, or of a restored room)."""
        former = newest_native_session(self._agent.actor_id)
        if former is None:
            return None, False
        if not (self._resume_next and former.is_resumable) or former.cwd != str(self._spec.cwd):
            return None, True
        return former.native_session_id, False

    async def _retry_later(self, error: AdapterError, attempt: int) -> None:
        seconds = sound_delay(error.retry_after_seconds) or BACKOFF_SECONDS[attempt - 1]
        self._hooks.tell(
            SessionRetrying(
                actor_id=self._agent.actor_id,
                attempt=attempt,
                max_attempts=START_TRIES,
                next_attempt_at=iso(self._clock.now() + timedelta(seconds=seconds)),
                error_code=error.code.value,
            )
        )
        await self._store.show(LaneStatus.RETRYING, error.message, last_error=error_card(error))
        stopping = asyncio.create_task(self._control.stopping.wait(), name="stopping")
        try:
            await self._clock.wait({stopping}, seconds)
        finally:
            stopping.cancel()
            await asyncio.gather(stopping, return_exceptions=True)

    async def give_up(self, error: AdapterError) -> None:
        """Show the failure on the card and tell it in the room; queued turns stay queued."""
        blocked = error.code is ErrorCode.NATIVE_POLICY_BLOCKED
        status = LaneStatus.NATIVE_POLICY_BLOCKED if blocked else LaneStatus.FAILED
        await self._store.show(status, error.message, last_error=error_card(error), instance_id=None)
        failure = self.start_failure(error)
        await self._store.write(record_session_failure, self._agent, failure, clock=self._clock)

    def start_failure(self, error: AdapterError, paused_until: datetime | None = None) -> SessionFailed:
        """As the room is told."""
        return SessionFailed(
            actor_id=self._agent.actor_id,
            error_code=error.code.value,
            message=error.message,
            hint=error.hint,
            exit_code=error.exit_code,
            paused_until=iso(paused_until) if paused_until else None,
        )


def cli_facts(spec: AgentSpec, info: SessionInfo) -> CliFacts:
    """Which CLI this session is of. What a person adds to the open driver's command makes it another one."""
    added = [list(spec.args), spec.mode] if spec.args or spec.mode else None
    return CliFacts(
        driver=spec.driver,
        program=info.agent_name or Path(spec.argv[-1]).name,
        launch=fingerprint(added)[:16] if added else "",
        version=info.agent_version or "",
    )


def error_card(error: AdapterError) -> dict[str, object]:
    """`lastError` of the card: code, sentence, exit code, last words, what to do."""
    card: dict[str, object] = {"code": error.code.value, "message": error.message, "output": error.output}
    optional = {"exitCode": error.exit_code, "hint": error.hint}
    return card | {name: value for name, value in optional.items() if value is not None}


def _is_to_be_left_alone(error: AdapterError) -> bool:
    """For longer than a start is tried: that is a pause, which its card shows and a person can end."""
    delay = sound_delay(error.retry_after_seconds)
    return delay is not None and (error.code is ErrorCode.NATIVE_RATE_LIMITED or delay > BACKOFF_SECONDS[-1])
