"""What drivers have in common: looking for their program, learning its flags, leaving nothing behind."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable

from adapters.contract import AdapterError, AgentSpec, McpEndpoint, OpenedProcess, ProbeResult, Session
from adapters.executables import find, version_of
from adapters.process import CliProcess
from adapters.program import Program, with_older_flags
from groupx.kernel.cancellation import to_its_end
from groupx.kernel.logs import get_logger

log = get_logger()

type OnSpawn = Callable[[OpenedProcess], None]


class CliDriver[P: Program](ABC):
    """Stateless but for one thing learnt: which flags an installed program does not know."""

    def __init__(self, program: P) -> None:
        self.name = program.driver
        self._program = program
        self._unknown_flags: dict[tuple[str, ...], frozenset[str]] = {}

    async def probe(self, argv: tuple[str, ...] | None = None) -> ProbeResult:
        candidates = [argv] if argv else [(name,) for name in self._program.executables]
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
        return self._result(None, None, f"{names} was not found on PATH.", self._program.install)

    def _result(self, executable: str | None, found: str | None, problem: str | None, hint: str | None) -> ProbeResult:
        return ProbeResult(driver=self.name, executable=executable, version=found, problem=problem, hint=hint)

    async def open(
        self, spec: AgentSpec, mcp: McpEndpoint | None, resume: str | None, on_spawn: OnSpawn | None = None
    ) -> Session:
        unknown = self._unknown_flags.get(spec.argv, frozenset())
        try:
            return await self._open(with_older_flags(self._program, unknown), spec, mcp, resume, on_spawn)
        except AdapterError as error:
            more = self._program.refused_flags(error.output) - unknown
            if not error.exit_code or not more:
                raise
        # the start itself is the probe: help texts hide flags that work
        log.info("flags_not_known", driver=self.name, flags=sorted(more))
        self._unknown_flags[spec.argv] = unknown | more
        return await self.open(spec, mcp, resume, on_spawn)

    @abstractmethod
    async def _open(
        self, program: P, spec: AgentSpec, mcp: McpEndpoint | None, resume: str | None, on_spawn: OnSpawn | None
    ) -> Session:
        """As `open`, with the program as this installed version knows it."""


async def opened[S: Session](
    session: S, process: CliProcess, opening: Callable[[], Awaitable[None]], on_spawn: OnSpawn | None
) -> S:
    """The session after its `opening`; whatever that raises, the process has been ended and reaped before."""
    try:
        if on_spawn is not None:
            on_spawn(process.opened)
        await opening()
    except BaseException as error:
        exit_code = process.exit_code  # its own, not that of our ending it
        await to_its_end(session.close())
        if isinstance(error, AdapterError):
            error.exit_code, error.output = exit_code, process.last_words
        raise
    return session
