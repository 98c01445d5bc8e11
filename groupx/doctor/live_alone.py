"""A live check while the room does not run: a session of its own, one turn with the limits of any turn, and its end."""

import asyncio
import signal
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from adapters.contract import (
    AdapterError,
    Capability,
    Evidence,
    NativeEvent,
    OpenedProcess,
    ReasoningDelta,
    SessionInfo,
    TextDelta,
    ToolEvent,
    ToolPhase,
)
from adapters.registry import driver_for
from groupx import run_files
from groupx.agent_spec import agent_spec
from groupx.control import ControlLine
from groupx.doctor.live_report import LiveReport, Narrator, question
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import RunConfig
from groupx.run_config import as_typed_here
from groupx.terminal_words import gettext as _
from rooms.actions.seed_room import agent_actor_id
from rooms.transactions import StoreError
from turns.actions.note_evidence import note_check
from turns.native_turn import TurnHooks
from turns.sessions import cli_facts
from turns.short_session import ShortSession

_CLOCK = SystemClock()
HINT_OF_START = "Run it by itself in a terminal to see why."


def check_alone(
    run: RunConfig, agent_id: str, *, seconds: int, narrator: Narrator, control_fd: int | None = None
) -> LiveReport:
    """Run it; whatever happens, also when the other end of the control line goes, no process is left."""
    agent = run.config.agents[agent_id]
    narrator.step(_("%(agent)s (%(driver)s) starts in %(folder)s") % {
        "agent": agent_id, "driver": agent.driver, "folder": agent.cwd,
    })  # fmt: skip
    check = _Check(run, agent_id, seconds, narrator, control_fd)
    try:
        report = asyncio.run(check.run())
    except AdapterError as error:
        hint = error.hint or HINT_OF_START
        return check.report(
            "failed", error_code=error.code.value, message=error.message, hint=hint, output=error.output
        )
    assert check.info is not None, "what has ended was open"
    not_kept = _keep(run, agent_id, check.info, report.seen)
    return replace(report, is_kept=bool(report.seen) and not not_kept, not_kept=not_kept)


class _Check:
    def __init__(self, run: RunConfig, agent_id: str, seconds: int, narrator: Narrator, control_fd: int | None) -> None:
        self._run, self._agent_id, self._seconds, self._narrator = run, agent_id, seconds, narrator
        self._control_fd = control_fd
        self._has_thought = False
        self.info: SessionInfo | None = None
        """Of the session, once it is open."""

    def report(self, status: str, **more: Any) -> LiveReport:
        return LiveReport(
            agent_id=self._agent_id,
            driver=self._run.config.agents[self._agent_id].driver,
            status=status,
            took_ms=self._narrator.took_ms,
            is_in_room=False,
            **more,
        )

    async def run(self) -> LiveReport:
        """
        Raises:
            AdapterError: no session came about.
            CancelledError: SIGTERM, which asyncio makes of Ctrl-C as well.
        """
        task = asyncio.current_task()
        assert task is not None
        asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
        if self._control_fd is None:
            return await self._converse()
        line = await ControlLine.open(self._control_fd)
        watching = asyncio.create_task(_cancel_when_closed(task, line), name="control-line")
        try:
            return await self._converse()
        finally:
            watching.cancel()

    async def _converse(self) -> LiveReport:
        spec = agent_spec(self._agent_id, self._run)
        session = ShortSession(
            spec=spec,
            driver=driver_for(spec.driver),
            timeouts=self._run.config.timeouts,
            process_spawned=self._record,
            process_ended=lambda: run_files.forget_cli(self._run.run_dir, self._agent_id),
            clock=_CLOCK,
            most_seconds=self._seconds,
            hooks=self._hooks(),
            opened=self._opened,
        )
        outcome = await session.run(question())
        self._narrator.end_line()
        assert self.info is not None, "what was prompted was open"
        program = self.info.agent_name or self._run.config.agents[self._agent_id].driver
        return self.report(
            outcome.status.value,
            cli=" ".join(filter(None, (program, self.info.agent_version))),
            version=self.info.agent_version or "",
            answer=outcome.text,
            error_code=outcome.error_code.value if outcome.error_code else None,
            message=outcome.message,
            hint=outcome.hint,
            usage=outcome.usage.model_dump(by_alias=True, exclude_none=True) if outcome.usage else {},
            seen=outcome.seen,
        )

    def _opened(self, info: SessionInfo) -> None:
        self.info = info
        ready = {"title": info.agent_name or _("the agent"), "version": info.agent_version or ""}
        self._narrator.step(_("%(title)s %(version)s is ready and is asked to say hello") % ready)

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


async def _cancel_when_closed(task: asyncio.Task[Any], line: ControlLine) -> None:
    await line.closed()
    task.cancel()


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
