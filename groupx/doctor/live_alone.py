"""A live check while the room does not run: a session of its own, one turn with the limits of any turn, and its end."""

import asyncio
import signal
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.contract import (
    AdapterError,
    AgentSpec,
    Capability,
    Evidence,
    NativeEvent,
    OpenedProcess,
    ReasoningDelta,
    Session,
    SessionInfo,
    TextDelta,
    ToolEvent,
    ToolPhase,
)
from adapters.registry import driver_for
from groupx import run_files
from groupx.agent_spec import agent_spec
from groupx.doctor.live_report import LiveReport, Narrator, question
from groupx.kernel.cancellation import to_its_end
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import RunConfig, Timeouts
from groupx.kernel.errors import ErrorCode
from groupx.run_config import as_typed_here
from groupx.terminal_words import gettext as _
from rooms.actions.seed_room import agent_actor_id
from rooms.transactions import StoreError
from turns.actions.note_evidence import note_check
from turns.control import LaneControl
from turns.native_turn import NativeTurn, TurnHooks
from turns.sessions import cli_facts

_CLOCK = SystemClock()


def check_alone(run: RunConfig, agent_id: str, *, seconds: int, narrator: Narrator) -> LiveReport:
    """Run it; whatever happens, no process is left."""
    agent = run.config.agents[agent_id]
    narrator.step(_("%(agent)s (%(driver)s) starts in %(folder)s") % {
        "agent": agent_id, "driver": agent.driver, "folder": agent.cwd,
    })  # fmt: skip
    check = _Check(run, agent_id, seconds, narrator)
    try:
        report, info = asyncio.run(check.run())
    except AdapterError as error:
        return check.report(
            "failed", error_code=error.code.value, message=error.message, hint=error.hint, output=error.output
        )
    not_kept = _keep(run, agent_id, info, report.seen)
    return replace(report, is_kept=bool(report.seen) and not not_kept, not_kept=not_kept)


class _Check:
    def __init__(self, run: RunConfig, agent_id: str, seconds: int, narrator: Narrator) -> None:
        self._run, self._agent_id, self._seconds, self._narrator = run, agent_id, seconds, narrator
        self._has_thought = False

    def report(self, status: str, **more: Any) -> LiveReport:
        return LiveReport(
            agent_id=self._agent_id,
            driver=self._run.config.agents[self._agent_id].driver,
            status=status,
            took_ms=self._narrator.took_ms,
            is_in_room=False,
            **more,
        )

    async def run(self) -> tuple[LiveReport, SessionInfo]:
        """
        Raises:
            AdapterError: no session came about.
            CancelledError: SIGTERM, which asyncio makes of Ctrl-C as well.
        """
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        spec = agent_spec(self._agent_id, self._run)
        try:
            session = await self._open(spec)
            try:
                return await self._prompt(session), session.info
            finally:
                await to_its_end(session.close())
        finally:
            run_files.forget_cli(self._run.run_dir, self._agent_id)

    async def _open(self, spec: AgentSpec) -> Session:
        """An opening that is given up has ended its process before it says so."""
        try:
            async with asyncio.timeout(self._seconds):
                return await driver_for(spec.driver).open(spec, None, None, self._record)
        except TimeoutError:
            raise AdapterError(
                ErrorCode.NATIVE_START_FAILED,
                _("It was not ready within %(seconds)d s.") % {"seconds": self._seconds},
                hint=_("Run it by itself in a terminal to see why, or give it more time with --seconds."),
            ) from None

    async def _prompt(self, session: Session) -> LiveReport:
        info = session.info
        ready = {"title": info.agent_name or _("the agent"), "version": info.agent_version or ""}
        self._narrator.step(_("%(title)s %(version)s is ready and is asked to say hello") % ready)
        turn = NativeTurn("live-check", session, self._hooks(), LaneControl(), self._timeouts(), _CLOCK)
        outcome = await turn.run(question())
        self._narrator.end_line()
        program = info.agent_name or self._run.config.agents[self._agent_id].driver
        return self.report(
            outcome.status.value,
            cli=" ".join(filter(None, (program, info.agent_version))),
            answer=outcome.text,
            error_code=outcome.error_code.value if outcome.error_code else None,
            message=outcome.message,
            hint=outcome.hint,
            usage=outcome.usage.model_dump(by_alias=True, exclude_none=True) if outcome.usage else {},
            seen=outcome.seen,
        )

    def _timeouts(self) -> Timeouts:
        most_ms = max(1, self._seconds * 1000 - self._narrator.took_ms)
        timeouts = self._run.config.timeouts
        return timeouts.model_copy(
            update={
                "turn_ms": most_ms,
                "first_event_ms": min(most_ms, timeouts.first_event_ms),
                "idle_ms": min(most_ms, timeouts.idle_ms),
            }
        )

    def _record(self, process: OpenedProcess) -> None:
        """So that the next start ends it, should this process be killed."""
        run_files.make_private_folder(self._run.state_dir)
        run_files.make_private_folder(self._run.run_dir)
        run_files.record_cli(self._run.run_dir, self._agent_id, process.pid, process.started_at)

    def _hooks(self) -> TurnHooks:
        async def started(native_turn_id: str | None) -> None:
            self._narrator.step(_("The agent has the message"))

        async def save_partial(text: str) -> bool:
            return True

        def heartbeat(quiet_seconds: int) -> None:
            self._narrator.step(_("No output for %(seconds)d s") % {"seconds": quiet_seconds})

        return TurnHooks(started=started, save_partial=save_partial, tell=self._tell, heartbeat=heartbeat)

    def _tell(self, event: NativeEvent) -> None:
        match event:
            case TextDelta(text):
                self._narrator.text(text)
            case ReasoningDelta() if not self._has_thought:
                self._has_thought = True
                self._narrator.step(_("It thinks"))
            case ToolEvent(phase=ToolPhase.STARTED, name=name):
                self._narrator.step(_("It uses: %(tool)s") % {"tool": name})
            case _:
                pass


def _keep(run: RunConfig, agent_id: str, info: SessionInfo, seen: Mapping[Capability, Evidence]) -> str:
    """Keep it as evidence; gives why it was not, empty when it was."""
    start = {"command": as_typed_here(run, "start")}
    if not run.database_path.is_file():
        return _("Nothing of it is kept: the room has no database yet; “%(command)s” makes it.") % start
    try:
        facts = cli_facts(agent_spec(agent_id, run), info)
        note_check(agent_actor_id(agent_id), facts, info.capabilities, seen, clock=_CLOCK)
    except StoreError:
        return (
            _("Nothing of it is kept: the database is of another version; “%(command)s” brings it up to date.") % start
        )
    return ""
