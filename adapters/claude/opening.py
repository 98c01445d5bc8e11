"""From a fresh process to a Claude session that can be prompted: shake hands, make sure that nobody is asked."""

from dataclasses import replace

from adapters import start_failures
from adapters.claude import messages
from adapters.claude.program import CLAUDE
from adapters.claude.session import ClaudeSession
from adapters.connection import ConnectionLost, RequestRefused
from adapters.contract import AdapterError, AgentSpec, Capability, Evidence, SessionInfo, SessionLoss
from adapters.failures import readable
from adapters.jsonrpc import ProtocolViolation
from adapters.process import CliProcess
from groupx.kernel.errors import ErrorCode

CAPABILITIES = dict.fromkeys(sorted(CLAUDE.documented), Evidence.DOCUMENTED)
UNRESTRICTED = {Capability.UNRESTRICTED: Evidence.PROBED}


class Opening:
    """The steps from a fresh process to a session that can be prompted; each raises AdapterError."""

    def __init__(self, session: ClaudeSession, process: CliProcess, spec: AgentSpec, info: SessionInfo) -> None:
        self._session = session
        self._process = process
        self._spec = spec
        self._info = info

    async def run(self) -> None:
        try:
            answer = await self._ask("initialize", messages.INITIALIZE, self._spec.handshake_ms)
            accepts_mode = await self._set_mode()
        except ConnectionLost as error:
            raise self._lost(error.loss) from error
        except ProtocolViolation as violation:
            raise start_failures.broke_protocol(CLAUDE, violation) from violation
        capabilities = {**self._info.capabilities, **(UNRESTRICTED if accepts_mode else {})}
        version = messages.version_of(answer)
        self._session.info = replace(self._info, agent_version=version, capabilities=capabilities)
        self._session.begin(resumed=self._info.resumed)

    async def _ask(self, subtype: str, params: dict[str, object], timeout_ms: int) -> object:
        try:
            return await self._session.connection.request(subtype, params, timeout_ms / 1000)
        except TimeoutError:
            raise start_failures.no_answer(CLAUDE, subtype) from None
        except RequestRefused as refused:
            raise start_failures.refused(CLAUDE, refused.error) from None

    async def _set_mode(self) -> bool:
        """Whether it says that it has. The flag alone tells nothing: a policy may have changed it without a word."""
        try:
            answer = await self._session.connection.request(
                "set_permission_mode", messages.UNRESTRICTED_MODE, self._spec.request_ms / 1000
            )
        except TimeoutError:
            raise start_failures.no_answer(CLAUDE, "set_permission_mode") from None
        except RequestRefused as refused:
            if messages.says_unsupported(refused.error):  # of an older version; its turns tell their mode
                return False
            raise start_failures.policy_blocked(CLAUDE, readable(refused.error)) from None
        if messages.was_downgraded(answer):
            raise start_failures.policy_blocked(CLAUDE, "it took another permission mode.")
        return True

    def _lost(self, loss: SessionLoss) -> AdapterError:
        if messages.says_root(self._process.last_words):
            return AdapterError(
                ErrorCode.NATIVE_START_FAILED,
                "Claude Code does not run without asking as root.",
                hint="Start GroupX as another user; or, in a container or other sandbox, with IS_SANDBOX=1 set.",
            )
        said = self._session.start_error
        if said is not None:
            return start_failures.refused(CLAUDE, said)
        return start_failures.lost(CLAUDE, loss, self._process.last_words)
