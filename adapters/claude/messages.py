"""What is said to Claude Code, and what its answers to that mean. Pure."""

import re
from typing import Any

from adapters.claude.program import UNRESTRICTED
from adapters.contract import MCP_SERVER, McpEndpoint
from adapters.jsonrpc import RpcError
from adapters.reading import maybe_object, name_of
from groupx.kernel.text import storable

INITIALIZE: dict[str, Any] = {"hooks": None}
UNRESTRICTED_MODE: dict[str, Any] = {"mode": UNRESTRICTED}
DENIAL: dict[str, Any] = {"behavior": "deny", "message": "Nobody is there to answer.", "interrupt": True}
DECLINED: dict[str, Any] = {"action": "cancel"}

_UNSUPPORTED = re.compile(r"unsupported|unknown|not supported|unrecognized", re.I)
_ROOT = re.compile(r"\broot\b.{0,40}privileges|with root/sudo", re.I)


def prompt(text: str, session_id: str, prompt_id: str) -> dict[str, Any]:
    """`prompt_id` is a UUID; what becomes of the prompt is told by it."""
    content = [{"type": "text", "text": storable(text)}]
    message = {"role": "user", "content": content}
    return {"type": "user", "message": message, "parent_tool_use_id": None, "session_id": session_id, "uuid": prompt_id}


def mcp_config(mcp: McpEndpoint) -> dict[str, Any]:
    """For `--mcp-config`: merged by the CLI with the person's own servers."""
    server = {"type": "http", "url": mcp.url, "headers": {"X-GroupX-Binding": mcp.binding_handle}}
    return {"mcpServers": {MCP_SERVER: server}}


def version_of(answer: object) -> str | None:
    """What the answer to initialize tells of it."""
    return name_of(maybe_object(answer).get("claude_code_version"))


def still_queued(answer: object) -> list[str]:
    """The prompts that an interrupt did not reach."""
    ids = maybe_object(answer).get("still_queued")
    return [id for id in ids if isinstance(id, str)] if isinstance(ids, list) else []


def was_downgraded(answer: object) -> bool:
    """A mode was set, but another one than the unrestricted; an answer that tells none counts as obeyed."""
    return bool(maybe_object(answer).get("mode", UNRESTRICTED) != UNRESTRICTED)


def says_unsupported(error: RpcError) -> bool:
    return _UNSUPPORTED.search(error.message) is not None


def says_root(last_words: str) -> bool:
    """As root the unrestricted mode is refused before anything is said, unless the machine is called a sandbox."""
    return _ROOT.search(last_words) is not None


def asks_a_person(subtype: str) -> tuple[str, dict[str, Any]] | None:
    """What a control request wants from a person, and the answer that nobody gives one; None when it wants nothing."""
    match subtype:
        case "can_use_tool":
            return "permission", DENIAL
        case "elicitation":
            return "an answer", DECLINED
        case _ if "dialog" in subtype or "question" in subtype:
            return "an answer", DECLINED
        case _:
            return None
