"""Tools of an agent as ACP tells them, reduced to an allow-list of bounded details. Pure."""

from typing import Any

from adapters.contract import ToolStatus
from adapters.jsonrpc import ProtocolViolation
from adapters.reading import as_objects, maybe_object, pick, short_text
from adapters.tool_details import ToolDetails
from adapters.tools import ToolUpdate
from groupx.kernel.text import clip, storable


def read_tool(update: dict[str, Any]) -> ToolUpdate | None:
    """None when it does not tell which call it is about."""
    tool_call_id = update.get("toolCallId")
    if tool_call_id is None or tool_call_id == "":
        return None
    if not isinstance(tool_call_id, str):
        raise ProtocolViolation("a tool call id that is no string")
    title, kind = short_text(update.get("title")), short_text(update.get("kind"))
    return ToolUpdate(
        tool_call_id=clip(storable(tool_call_id), 256),
        name=title,
        status=_tool_status(update.get("status")),
        details=_tool_details(update, title, kind),
    )


def _tool_status(value: object) -> ToolStatus | None:
    match value:
        case "pending":
            return ToolStatus.PENDING
        case "in_progress" | "running":
            return ToolStatus.RUNNING
        case "completed":
            return ToolStatus.COMPLETED
        case "failed" | "error" | "cancelled":
            return ToolStatus.FAILED
        case _:
            return None


def _tool_details(update: dict[str, Any], title: str | None, kind: str | None) -> dict[str, object]:
    details = ToolDetails()
    blocks = update.get("content")
    blocks = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    details.put("kind", kind)
    details.put("title", title)
    details.put("input", update.get("rawInput"))
    details.put("output", _output_text(blocks) or _unwrapped(update.get("rawOutput")))
    details.put("locations", [pick(place, "path", "line") for place in as_objects(update.get("locations"))])
    details.put_diffs([pick(b, "path", "oldText", "newText") for b in blocks if b.get("type") == "diff"])
    return details.kept


def _unwrapped(output: object) -> object:
    """Grok wraps what a tool of an MCP server has given."""
    match output:
        case {"type": "MCP", "output": {"OkayOutput": str() as text}}:
            return text
        case _:
            return output


def _output_text(blocks: list[dict[str, Any]]) -> str:
    texts = []
    for block in blocks:
        text = maybe_object(block.get("content")).get("text")
        if block.get("type", "content") == "content" and isinstance(text, str):
            texts.append(text)
    return "\n".join(texts)
