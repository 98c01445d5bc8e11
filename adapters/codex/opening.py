"""From a fresh process to a Codex thread that can be prompted: shake hands, see what is allowed, resume or begin."""

import asyncio

from adapters import start_failures
from adapters.codex import messages
from adapters.codex.messages import Thread
from adapters.codex.program import CODEX
from adapters.codex.session import CodexSession
from adapters.connection import RequestRefused
from adapters.contract import Capability, Evidence, SessionInfo
from adapters.failures import readable, says_policy_forbids
from adapters.program import Program
from adapters.room_tools import ROOM_TOOLS_SECONDS
from adapters.rpc_opening import RpcOpening
from groupx.kernel.logs import get_logger
from groupx.kernel.version import VERSION

log = get_logger()

ANOTHER_TRY_SECONDS = 0.5
CAPABILITIES = {
    **dict.fromkeys(sorted(CODEX.documented), Evidence.DOCUMENTED),
    Capability.UNRESTRICTED: Evidence.PROBED,
}
"""A thread that would not be unrestricted is not used."""


class CodexOpening(RpcOpening[CodexSession, Program]):
    async def _steps(self, resume: str | None) -> None:
        reply = await self._ask("initialize", messages.initialize_params(VERSION), self._spec.handshake_ms)
        version = messages.read_version(reply)
        self._session.connection.notify("initialized", {})
        await self._check_requirements()
        thread = await self._resume(resume) if resume else None
        if thread is None:
            thread = await self._begin()
        self._is_resuming = False
        if thread.is_restricted:
            raise start_failures.policy_blocked(self._program, "it keeps to a stricter setting than it was given.")
        resumed = thread.id == resume
        self._session.begin(thread.id, resumed=resumed)
        has_room_tools = self._mcp is not None and await self._meets_the_room()
        self._session.info = SessionInfo(
            native_session_id=thread.id,
            resumed=resumed,
            context_lost=bool(resume) and not resumed,
            agent_name="codex",
            agent_version=version,
            process=self._process.opened,
            capabilities=CAPABILITIES | ({Capability.MCP: Evidence.PROBED} if has_room_tools else {}),
        )

    async def _meets_the_room(self) -> bool:
        """Whether Codex has reached the room's MCP server.

        A turn that begins before has none of its tools, and a server that it could not reach is lost to the whole
        thread, unless it is told to try again.
        """
        tools = self._session.room_tools
        try:
            async with asyncio.timeout(ROOM_TOOLS_SECONDS):
                while not await tools.are_seen():
                    await asyncio.sleep(ANOTHER_TRY_SECONDS)
                    tools.forget()
                    await self._session.connection.request("config/mcpServer/reload", {}, self._spec.request_ms / 1000)
        except (TimeoutError, RequestRefused) as error:
            log.warning("room_tools_not_seen", agent_id=self._spec.agent_id, reason=type(error).__name__)
            return False
        return True

    async def _check_requirements(self) -> None:
        """A managed machine may forbid what we need; it is said before anything is begun."""
        try:
            reply = await self._session.connection.request("configRequirements/read", {}, self._spec.request_ms / 1000)
        except TimeoutError:
            raise start_failures.no_answer(self._program, "configRequirements/read") from None
        except RequestRefused as refused:  # an older version; what is forbidden shows in the thread
            log.info("requirements_not_read", code=refused.error.code)
            return
        forbidden = messages.forbidden_by(reply)
        if forbidden is not None:
            raise start_failures.policy_blocked(self._program, f"“{forbidden}” is not among what is allowed.")

    async def _begin(self) -> Thread:
        params = messages.thread_params(self._spec.cwd, self._mcp)
        try:
            reply = await self._session.connection.request("thread/start", params, self._spec.handshake_ms / 1000)
        except TimeoutError:
            raise start_failures.no_answer(self._program, "thread/start") from None
        except RequestRefused as refused:
            if says_policy_forbids(refused.error):
                raise start_failures.policy_blocked(self._program, readable(refused.error)) from None
            raise start_failures.refused(self._program, refused.error) from None
        return messages.read_thread(reply)

    async def _resume(self, thread_id: str) -> Thread | None:
        """None for a fresh one to be opened instead."""
        params = messages.thread_params(self._spec.cwd, self._mcp, thread_id)
        self._is_resuming = True
        try:
            reply = await self._session.connection.request("thread/resume", params, self._spec.request_ms / 1000)
        except (RequestRefused, TimeoutError) as error:
            log.info("resume_failed", agent_id=self._spec.agent_id, reason=type(error).__name__)
            return None
        return messages.read_thread(reply)
