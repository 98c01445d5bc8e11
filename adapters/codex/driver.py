"""Opening a Codex thread: spawn its app server on standard input and output, and have it begin."""

from adapters.cli_driver import CliDriver, OnSpawn, opened
from adapters.codex.opening import CodexOpening
from adapters.codex.program import CODEX
from adapters.codex.session import CodexSession
from adapters.contract import AgentSpec, McpEndpoint, Session
from adapters.process import CliProcess, child_environment
from adapters.program import Program


class CodexDriver(CliDriver[Program]):
    def __init__(self, program: Program = CODEX) -> None:
        super().__init__(program)

    async def _open(
        self, program: Program, spec: AgentSpec, mcp: McpEndpoint | None, resume: str | None, on_spawn: OnSpawn | None
    ) -> Session:
        env = child_environment(spec.agent_id, spec.env)
        process = await CliProcess.spawn((*spec.argv, *program.args), cwd=spec.cwd, env=env)
        session = CodexSession(process, request_ms=spec.request_ms, close_ms=spec.close_ms)
        opening = CodexOpening(session, process, program, spec, mcp)
        return await opened(session, process, lambda: opening.run(resume), on_spawn)
