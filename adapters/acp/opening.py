"""From a fresh process to an ACP session that can be prompted: shake hands, resume or begin, set the mode."""

import asyncio

from adapters import start_failures
from adapters.acp import messages
from adapters.acp.messages import AgentFacts
from adapters.acp.profiles import Profile
from adapters.acp.session import AcpSession
from adapters.connection import RequestRefused
from adapters.contract import AdapterError, Capability, Evidence, SessionInfo
from adapters.failures import readable, says_policy_forbids
from adapters.jsonrpc import METHOD_NOT_FOUND, RpcError
from adapters.room_tools import ROOM_TOOLS_SECONDS
from adapters.rpc_opening import RpcOpening
from groupx.kernel.errors import ErrorCode
from groupx.kernel.logs import get_logger
from groupx.kernel.version import VERSION

log = get_logger()

QUIET_SECONDS = 0.1
"""What trails a reply comes at once."""
QUIET_MAX_SECONDS = 2.0


class AcpOpening(RpcOpening[AcpSession, Profile]):
    async def _steps(self, resume: str | None) -> None:
        facts = await self._initialize()
        session_id = await self._resume(facts, resume) if resume else None
        resumed = session_id == resume if resume else False
        if session_id is None:
            session_id = await self._begin()
        accepts_mode = await self._set_mode(session_id)
        self._session.begin(session_id, resumed=resumed)
        if self._mcp is not None and self._program.tells_room_tools_by is not None:
            await self._meet_the_room()
        self._session.info = SessionInfo(
            native_session_id=session_id,
            resumed=resumed,
            context_lost=bool(resume) and not resumed,
            agent_name=facts.name,
            agent_version=facts.version,
            process=self._process.opened,
            capabilities=_capabilities(facts, self._program, accepts_mode),
        )

    # ------------------------------------------------------------ steps
    async def _initialize(self) -> AgentFacts:
        params = messages.initialize_params(VERSION)
        facts = messages.read_initialize(await self._ask("initialize", params, self._spec.handshake_ms))
        if facts.protocol_version not in (None, messages.PROTOCOL_VERSION):
            raise AdapterError(
                ErrorCode.NATIVE_START_FAILED,
                f"{self._program.title} speaks version {facts.protocol_version} of the protocol, GroupX version "
                f"{messages.PROTOCOL_VERSION}.",
                hint="Update the older of the two.",
            )
        expected = self._program.agent_name
        if expected is not None and facts.name is not None and facts.name != expected:
            raise AdapterError(
                ErrorCode.NATIVE_START_FAILED,
                f"This program is not {self._program.title}: it calls itself “{facts.name}”, not “{expected}”.",
                hint="Another program of that name is in front of it on PATH: give the full path in the configuration.",
            )
        return facts

    async def _begin(self) -> str:
        params = messages.session_params(self._spec.cwd, self._mcp)
        session_id = messages.read_session_id(await self._ask("session/new", params, self._spec.handshake_ms))
        self._is_resuming = False
        return session_id

    async def _resume(self, facts: AgentFacts, session_id: str) -> str | None:
        """The session that was resumed, None for a fresh one to be opened instead."""
        if not facts.can_resume and not facts.can_load:
            return None
        method = "session/resume" if facts.can_resume else "session/load"
        params = messages.session_params(self._spec.cwd, self._mcp, session_id)
        self._is_resuming = True
        try:
            reply = await self._session.connection.request(method, params, self._spec.request_ms / 1000)
        except (RequestRefused, TimeoutError) as error:
            log.info("resume_failed", agent_id=self._spec.agent_id, method=method, reason=type(error).__name__)
            return None
        found = messages.resumed_session_id(reply, session_id)
        if found is None:
            return None
        await self._quiet()
        if self._program.tells_history and not self._session.was_told_history:
            log.info("resume_failed", agent_id=self._spec.agent_id, method=method, reason="no history")
            return None
        self._is_resuming = False
        return found

    async def _quiet(self) -> None:
        """What trails a reply (history told again, a word about the mode) is not news."""
        heard, loop = self._session.heard, asyncio.get_running_loop()
        deadline = loop.time() + QUIET_MAX_SECONDS
        while loop.time() < deadline:
            heard.clear()
            try:
                async with asyncio.timeout(QUIET_SECONDS):
                    await heard.wait()
            except TimeoutError:
                return

    async def _set_mode(self, session_id: str) -> bool:
        """Whether there is a mode that asks nobody, and the agent has taken it."""
        mode = self._program.mode or self._spec.mode
        if mode is None:
            return False
        params = messages.mode_params(session_id, mode)
        try:
            await self._session.connection.request("session/set_mode", params, self._spec.request_ms / 1000)
        except TimeoutError:
            raise start_failures.no_answer(self._program, "session/set_mode") from None
        except RequestRefused as refused:
            raise self._mode_refused(mode, refused.error) from None
        await self._quiet()
        return True

    async def _meet_the_room(self) -> None:
        """A turn that begins before the agent has reached the room's MCP server has none of its tools."""
        try:
            async with asyncio.timeout(ROOM_TOOLS_SECONDS):
                are_seen = await self._session.room_tools.are_seen()
        except TimeoutError:
            are_seen = False
        if not are_seen:
            log.warning("room_tools_not_seen", agent_id=self._spec.agent_id)

    # ------------------------------------------------------------ failures
    def _mode_refused(self, mode: str, error: RpcError) -> AdapterError:
        if says_policy_forbids(error):
            return start_failures.policy_blocked(self._program, readable(error))
        reason = "this version has no session modes" if error.code == METHOD_NOT_FOUND else readable(error)
        return AdapterError(
            ErrorCode.NATIVE_START_FAILED,
            f"{self._program.title} refused the mode “{mode}”: {reason}",
            hint="Update it, or correct the mode in the configuration.",
        )


def _capabilities(facts: AgentFacts, profile: Profile, accepts_mode: bool) -> dict[Capability, Evidence]:
    found = dict.fromkeys(sorted(profile.documented), Evidence.DOCUMENTED)
    can_go_on = facts.can_resume or facts.can_load
    found[Capability.RESUME] = Evidence.PROBED if can_go_on else Evidence.UNSUPPORTED
    if facts.takes_http_mcp:  # not a gate: agents take an HTTP server that they don't announce
        found[Capability.MCP] = Evidence.PROBED
    if accepts_mode:
        found[Capability.UNRESTRICTED] = Evidence.PROBED
    return found
