"""From a fresh process to a session that can be prompted, over JSON-RPC: what can go wrong on the way."""

from abc import ABC, abstractmethod
from typing import Any

from adapters import start_failures
from adapters.cli_session import CliSession
from adapters.connection import ConnectionLost, RequestRefused
from adapters.contract import AdapterError, AgentSpec, McpEndpoint
from adapters.jsonrpc import ProtocolViolation
from adapters.process import CliProcess
from adapters.program import Program
from groupx.kernel.errors import ErrorCode


class RpcOpening[S: CliSession[Any], P: Program](ABC):
    """The steps to a session; each raises AdapterError."""

    def __init__(self, session: S, process: CliProcess, program: P, spec: AgentSpec, mcp: McpEndpoint | None) -> None:
        self._session = session
        self._process = process
        self._program = program
        self._spec = spec
        self._mcp = mcp
        self._is_resuming = False
        """From the attempt to resume until the process has answered anything after it."""

    async def run(self, resume: str | None) -> None:
        try:
            await self._steps(resume)
        except AdapterError as error:
            error.while_resuming = self._is_resuming
            raise
        except (ConnectionLost, ProtocolViolation) as error:
            failure = self._failure_of(error)
            # of one that wants a sign-in nothing is known about its sessions
            failure.while_resuming = self._is_resuming and failure.code is not ErrorCode.NATIVE_AUTH_REQUIRED
            raise failure from error

    @abstractmethod
    async def _steps(self, resume: str | None) -> None:
        """Ends with a session that has begun and has its `info`."""

    async def _ask(self, method: str, params: dict[str, object], timeout_ms: int) -> object:
        try:
            return await self._session.connection.request(method, params, timeout_ms / 1000)
        except TimeoutError:
            raise start_failures.no_answer(self._program, method) from None
        except RequestRefused as refused:
            raise start_failures.refused(self._program, refused.error) from None

    def _failure_of(self, error: ConnectionLost | ProtocolViolation) -> AdapterError:
        if isinstance(error, ProtocolViolation):
            return start_failures.broke_protocol(self._program, error)
        return start_failures.lost(self._program, error.loss, self._process.last_words)
