"""Opening an ACP session: spawn, shake hands, resume or begin, set the mode that asks nobody.

One class for all ACP agents; what differs stands in the profile. Whatever fails, nothing is left running.
"""

import asyncio
from collections.abc import Callable

from adapters.acp import launch
from adapters.acp.opening import Opening
from adapters.acp.profiles import Profile
from adapters.acp.session import AcpSession
from adapters.cancellation import to_its_end
from adapters.contract import AdapterError, AgentSpec, McpEndpoint, OpenedProcess, ProbeResult, Session
from adapters.executables import find, version_of
from adapters.process import CliProcess, child_environment
from groupx.kernel.logs import get_logger

log = get_logger()

type OnSpawn = Callable[[OpenedProcess], None]


class AcpDriver:
    """Stateless but for one thing learnt: which flags an installed program does not know."""

    def __init__(self, profile: Profile) -> None:
        self.name = profile.driver
        self._profile = profile
        self._unknown_flags: dict[tuple[str, ...], frozenset[str]] = {}

    async def probe(self, argv: tuple[str, ...] | None = None) -> ProbeResult:
        candidates = [argv] if argv else [(name,) for name in self._profile.executables]
        for candidate in candidates:
            executable = await asyncio.to_thread(find, candidate[0])
            if executable is None:
                continue
            try:
                found = await version_of((executable, *candidate[1:]))
            except OSError as error:
                return self._result(executable, None, f"It can't be started: {error.strerror}.", None)
            problem = None if found else "It did not tell its version."
            return self._result(executable, found, problem, None)
        names = " or ".join(f"“{candidate[0]}”" for candidate in candidates) or "a command"
        return self._result(None, None, f"{names} was not found on PATH.", self._profile.install)

    def _result(self, executable: str | None, found: str | None, problem: str | None, hint: str | None) -> ProbeResult:
        return ProbeResult(driver=self.name, executable=executable, version=found, problem=problem, hint=hint)

    async def open(
        self, spec: AgentSpec, mcp: McpEndpoint | None, resume: str | None, on_spawn: OnSpawn | None = None
    ) -> Session:
        unknown = self._unknown_flags.get(spec.argv, frozenset())
        try:
            return await self._open(launch.with_older_flags(self._profile, unknown), spec, mcp, resume, on_spawn)
        except AdapterError as error:
            more = launch.refused_flags(self._profile, error.output) - unknown
            if not error.exit_code or not more:
                raise
        # the start itself is the probe: help texts hide flags that work
        log.info("flags_not_known", driver=self.name, flags=sorted(more))
        self._unknown_flags[spec.argv] = unknown | more
        return await self.open(spec, mcp, resume, on_spawn)

    async def _open(
        self,
        profile: Profile,
        spec: AgentSpec,
        mcp: McpEndpoint | None,
        resume: str | None,
        on_spawn: OnSpawn | None,
    ) -> Session:
        env = child_environment(spec.agent_id, {})
        env |= launch.added_environment(profile, spec, env)
        process = await CliProcess.spawn(launch.command_line(profile, spec), cwd=spec.cwd, env=env)
        session = AcpSession(process, profile, request_ms=spec.request_ms, close_ms=spec.close_ms)
        try:
            if on_spawn is not None:
                on_spawn(process.opened)
            await Opening(session, process, profile, spec, mcp).run(resume)
        except BaseException as error:
            exit_code = process.exit_code  # its own, not that of our ending it
            await to_its_end(session.close())
            if isinstance(error, AdapterError):
                error.exit_code, error.output = exit_code, process.last_words
            raise
        return session
