"""The app server's requests: what we send, and what the replies mean. Pure, and without memory of a turn.

Held against the schema that the installed Codex writes of itself (tests/adapters/test_codex_schema.py).
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from adapters.contract import MCP_SERVER, McpEndpoint
from adapters.jsonrpc import ProtocolViolation
from adapters.reading import as_object, maybe_object, short_text
from groupx.kernel.text import storable

APPROVAL_POLICY = "never"
SANDBOX = "danger-full-access"
_SANDBOX_TOLD = ("dangerFullAccess", SANDBOX)
_VERSION = re.compile(r"/(\d+\.\d+[^ ]*)")

CANCELLED: dict[str, dict[str, Any]] = {
    "item/commandExecution/requestApproval": {"decision": "cancel"},
    "item/fileChange/requestApproval": {"decision": "cancel"},
    "item/permissions/requestApproval": {"permissions": {}},  # has no other word for "nothing is granted"
    "item/tool/requestUserInput": {"answers": {}},
    "mcpServer/elicitation/request": {"action": "cancel"},
    "applyPatchApproval": {"decision": "abort"},
    "execCommandApproval": {"decision": "abort"},
}
"""How each question is answered that nobody answers. What is not here has no such answer and is refused as unknown."""


# ---------------------------------------------------------------- what we send
def initialize_params(client_version: str) -> dict[str, Any]:
    return {
        "clientInfo": {"name": "groupx", "title": "GroupX", "version": client_version},
        "capabilities": {"experimentalApi": True},  # thread/resume without the whole history in its reply
    }


def thread_params(cwd: Path, mcp: McpEndpoint | None, thread_id: str | None = None) -> dict[str, Any]:
    """For thread/start, and with an id for thread/resume. The server is merged with the person's own."""
    params: dict[str, Any] = {"cwd": str(cwd), "approvalPolicy": APPROVAL_POLICY, "sandbox": SANDBOX}
    if mcp is not None:
        server = {"url": mcp.url, "http_headers": {"X-GroupX-Binding": mcp.binding_handle}}
        params["config"] = {"mcp_servers": {MCP_SERVER: server}}
    return params if thread_id is None else {"threadId": thread_id, **params, "excludeTurns": True}


def turn_params(thread_id: str, text: str) -> dict[str, Any]:
    return {"threadId": thread_id, "input": [{"type": "text", "text": storable(text)}]}


def interrupt_params(thread_id: str, turn_id: str) -> dict[str, Any]:
    return {"threadId": thread_id, "turnId": turn_id}


# ---------------------------------------------------------------- what it answers
def read_version(result: object) -> str | None:
    """Out of the reply to initialize, which tells it in a user agent ("groupx/0.171.0 (…)")."""
    reply = {} if result is None else as_object(result, "the reply to initialize")
    found = _VERSION.search(short_text(reply.get("userAgent")) or "")
    return found[1] if found else None


def forbidden_by(result: object) -> str | None:
    """Which of what we need a managed machine does not allow, as the reply to configRequirements/read tells it."""
    requirements = maybe_object(maybe_object(result).get("requirements"))
    for name, needed in (("allowedApprovalPolicies", APPROVAL_POLICY), ("allowedSandboxModes", SANDBOX)):
        allowed = requirements.get(name)
        if isinstance(allowed, list) and needed not in allowed:
            return needed
    return None


@dataclass(frozen=True, kw_only=True)
class Thread:
    """What thread/start and thread/resume answer."""

    id: str
    is_restricted: bool
    """It says that it will ask, or that it is kept in a sandbox, though we asked for neither."""


def read_thread(result: object) -> Thread:
    reply = as_object(result, "the reply about a thread")
    thread_id = maybe_object(reply.get("thread")).get("id")
    if not isinstance(thread_id, str) or not thread_id:
        raise ProtocolViolation("a thread without an id")
    policy, sandbox = reply.get("approvalPolicy"), reply.get("sandbox")
    mode = sandbox.get("type") if isinstance(sandbox, dict) else sandbox
    is_restricted = policy not in (None, APPROVAL_POLICY) or (mode is not None and mode not in _SANDBOX_TOLD)
    return Thread(id=storable(thread_id), is_restricted=is_restricted)


def read_turn_id(result: object) -> str | None:
    """Out of the reply to turn/start; None where it does not tell."""
    reply = {} if result is None else as_object(result, "the reply to turn/start")
    turn = reply.get("turn")
    return None if turn is None else turn_id_of(as_object(turn, "the turn"))


def turn_id_of(turn: dict[str, Any]) -> str | None:
    turn_id = turn.get("id")
    if turn_id is not None and not isinstance(turn_id, str):
        raise ProtocolViolation("a turn id that is no string")
    return turn_id or None
