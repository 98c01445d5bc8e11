"""Opening an ACP session: spawn, shake hands, resume or begin, set the mode that asks nobody.

One class for all ACP agents; what differs stands in the profile. Whatever fails, nothing is left running.
"""

from adapters.acp import launch
from adapters.acp.opening import AcpOpening
from adapters.acp.profiles import Profile
from adapters.acp.session import AcpSession
from adapters.cli_driver import CliDriver, OnSpawn, opened
from adapters.contract import AgentSpec, McpEndpoint, Session
from adapters.process import CliProcess, child_environment


class AcpDriver(CliDriver[Profile]):
    async def _open(
        self, program: Profile, spec: AgentSpec, mcp: McpEndpoint | None, resume: str | None, on_spawn: OnSpawn | None
    ) -> Session:
        env = child_environment(spec.agent_id, {})
        env |= launch.added_environment(program, spec, env)
        process = await CliProcess.spawn(launch.command_line(program, spec), cwd=spec.cwd, env=env)
        session = AcpSession(process, program, request_ms=spec.request_ms, close_ms=spec.close_ms)
        opening = AcpOpening(session, process, program, spec, mcp)
        return await opened(session, process, lambda: opening.run(resume), on_spawn)
