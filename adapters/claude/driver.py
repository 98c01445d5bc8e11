"""Opening a Claude Code session: resumed where that is asked for and possible, else fresh. Nothing is left running."""

from contextlib import ExitStack
from uuid import UUID, uuid4

from adapters.claude.mcp_file import remove, write_mcp_file
from adapters.claude.opening import CAPABILITIES, Opening
from adapters.claude.program import CLAUDE
from adapters.claude.session import ClaudeSession
from adapters.cli_driver import CliDriver, OnSpawn, opened
from adapters.contract import AdapterError, AgentSpec, McpEndpoint, Session, SessionInfo
from adapters.failures import says_session_lost
from adapters.process import CliProcess, child_environment
from adapters.program import Program
from groupx.kernel.clock import Clock, SystemClock
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger

log = get_logger()

_MAY_BE_THE_SESSION = (ErrorCode.NATIVE_START_FAILED, ErrorCode.PROTOCOL_INVALID_MESSAGE)


class ClaudeDriver(CliDriver[Program]):
    def __init__(self, clock: Clock | None = None) -> None:
        super().__init__(CLAUDE)
        self._clock = clock or SystemClock()

    async def _open(
        self, program: Program, spec: AgentSpec, mcp: McpEndpoint | None, resume: str | None, on_spawn: OnSpawn | None
    ) -> Session:
        if resume is not None and _is_uuid(resume):  # another driver may have left another kind of id
            try:
                return await self._start(program, spec, mcp, ("--resume", resume), on_spawn)
            except AdapterError as error:
                error.while_resuming = error.code in _MAY_BE_THE_SESSION
                if not says_session_lost(f"{error.message} {error.output}"):
                    raise
                log.info("resume_failed", agent_id=spec.agent_id, exit_code=error.exit_code)
        return await self._start(program, spec, mcp, ("--session-id", str(uuid4())), on_spawn, bool(resume))

    async def _start(
        self,
        program: Program,
        spec: AgentSpec,
        mcp: McpEndpoint | None,
        which: tuple[str, str],
        on_spawn: OnSpawn | None,
        context_lost: bool = False,
    ) -> Session:
        """`which` names the session, as arguments."""
        env = child_environment(spec.agent_id, {})
        env |= {**program.unset_environment(env), **spec.env}
        mcp_file = write_mcp_file(spec, mcp) if mcp is not None else None
        with ExitStack() as undo:
            undo.callback(remove, mcp_file)
            config = ("--mcp-config", str(mcp_file)) if mcp_file else ()
            process = await CliProcess.spawn((*spec.argv, *program.args, *config, *which), cwd=spec.cwd, env=env)
            undo.pop_all()  # from here on it goes with the session
        session = ClaudeSession(process, which[1], spec, mcp_file, self._clock)
        info = SessionInfo(
            native_session_id=which[1],
            resumed=which[0] == "--resume",
            context_lost=context_lost,
            agent_name="claude-code",
            agent_version=None,
            process=process.opened,
            capabilities=CAPABILITIES,
        )
        return await opened(session, process, Opening(session, process, spec, info).run, on_spawn)


def _is_uuid(text: str) -> bool:
    try:
        UUID(text)
    except ValueError:
        return False
    return True
