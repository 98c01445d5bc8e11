"""ACP v1 on the wire: what we send, and what the replies mean. Pure, and without memory of a turn.

Agents leave out what is optional; that is tolerated. A wrong type where we need the value is a
ProtocolViolation. Specification: https://agentclientprotocol.com/protocol/
"""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.acp.usage import read_tokens
from adapters.contract import MCP_SERVER, McpEndpoint
from adapters.endings import PromptReply
from adapters.jsonrpc import ProtocolViolation
from adapters.reading import as_object, maybe_object, name_of
from groupx.kernel.text import clip, storable

PROTOCOL_VERSION = 1
MAX_ERROR_CHARS = 10_000
CANCELLED_OUTCOME: dict[str, Any] = {"outcome": {"outcome": "cancelled"}}


# ---------------------------------------------------------------- what we send
def initialize_params(client_version: str) -> dict[str, Any]:
    """Files and terminals of ours are declared off: an agent has its own."""
    return {
        "protocolVersion": PROTOCOL_VERSION,
        "clientCapabilities": {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False},
        "clientInfo": {"name": "groupx", "title": "GroupX", "version": client_version},
    }


def session_params(cwd: Path, mcp: McpEndpoint | None, session_id: str | None = None) -> dict[str, Any]:
    """For session/new, and with an id for session/load and session/resume."""
    servers = []
    if mcp is not None:
        headers = [{"name": "X-GroupX-Binding", "value": mcp.binding_handle}]
        servers.append({"type": "http", "name": MCP_SERVER, "url": mcp.url, "headers": headers})
    params: dict[str, Any] = {"cwd": str(cwd), "mcpServers": servers}
    return params if session_id is None else {"sessionId": session_id, **params}


def mode_params(session_id: str, mode: str) -> dict[str, Any]:
    return {"sessionId": session_id, "modeId": mode}


def prompt_params(session_id: str, text: str) -> dict[str, Any]:
    return {"sessionId": session_id, "prompt": [{"type": "text", "text": storable(text)}]}


def cancel_params(session_id: str) -> dict[str, Any]:
    return {"sessionId": session_id}


# ---------------------------------------------------------------- what an agent says of itself
@dataclass(frozen=True, kw_only=True)
class AgentFacts:
    """The reply to initialize, as far as it matters here."""

    name: str | None
    version: str | None
    protocol_version: int | None
    can_load: bool
    can_resume: bool
    takes_http_mcp: bool


def read_initialize(result: object) -> AgentFacts:
    """An agent may leave out everything, the whole result too."""
    reply = {} if result is None else as_object(result, "the reply to initialize")
    capabilities = maybe_object(reply.get("agentCapabilities"))
    info = maybe_object(reply.get("agentInfo"))
    meta = maybe_object(reply.get("_meta"))
    version = reply.get("protocolVersion")
    return AgentFacts(
        name=name_of(info.get("name")),
        version=name_of(info.get("version")) or name_of(meta.get("agentVersion")),
        protocol_version=version if isinstance(version, int) else None,
        can_load=capabilities.get("loadSession") is True,
        can_resume=maybe_object(capabilities.get("sessionCapabilities")).get("resume") not in (None, False),
        takes_http_mcp=maybe_object(capabilities.get("mcpCapabilities")).get("http") is True,
    )


def read_session_id(result: object) -> str:
    session_id = as_object(result, "the reply to session/new").get("sessionId")
    if not isinstance(session_id, str) or not session_id:
        raise ProtocolViolation("a new session without an id")
    return storable(session_id)


def resumed_session_id(result: object, asked_for: str) -> str | None:
    """The session that a load or resume really gave: a reply may succeed and still say that it was not found."""
    reply = maybe_object(result)
    if reply.get("error") or any(reply.get(key) is False for key in ("success", "found", "loaded", "resumed")):
        return None
    given = reply.get("sessionId")
    return given if isinstance(given, str) and given else asked_for


# ---------------------------------------------------------------- the end of a prompt
def _error_text(value: object) -> str | None:
    """Whole as far as it may be JSON."""
    return clip(value, MAX_ERROR_CHARS) if isinstance(value, str) and value.strip() else None


def read_prompt_reply(result: object, error_in_meta: str | None = None) -> PromptReply:
    """A missing reply or stop reason counts as the ordinary end."""
    if result is not None and not isinstance(result, dict):
        raise ProtocolViolation("a reply to the prompt that is no object")
    reply = maybe_object(result)
    reason = reply.get("stopReason")
    if reason is not None and not isinstance(reason, str):
        raise ProtocolViolation("a stop reason that is no string")
    meta = maybe_object(reply.get("_meta"))
    quota = maybe_object(meta.get("quota"))
    usage = maybe_object(reply.get("usage") or meta.get("usage") or quota.get("token_count"))
    return PromptReply(
        stop_reason=clip(reason or "end_turn", 64),
        error=_error_text(meta.get(error_in_meta)) if error_in_meta else None,
        usage=read_tokens(usage),
    )
