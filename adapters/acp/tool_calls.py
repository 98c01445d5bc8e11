"""Tools of an agent as ACP tells them, reduced to an allow-list of bounded details. Pure."""

from dataclasses import dataclass, field
from typing import Any

from adapters.acp.reading import as_objects, maybe_object, pick, short_text
from adapters.bounds import Bounded
from adapters.contract import ToolStatus
from adapters.jsonrpc import ProtocolViolation
from groupx.kernel.text import clip, storable

MAX_DIFFS = 20


@dataclass(frozen=True, kw_only=True)
class ToolUpdate:
    """What one tool_call or tool_call_update told; None and missing details mean "as before"."""

    tool_call_id: str
    name: str | None
    status: ToolStatus | None
    details: dict[str, object] = field(default_factory=dict)


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
    details: dict[str, object] = {}
    truncated = False

    def put(name: str, value: object) -> None:
        nonlocal truncated
        if value is None or value == "" or value == [] or value == {}:
            return
        bounded = Bounded()
        kept = bounded.value(value)
        truncated = truncated or bounded.truncated
        if kept is not None:
            details[name] = kept

    blocks = update.get("content")
    blocks = [block for block in blocks if isinstance(block, dict)] if isinstance(blocks, list) else []
    put("kind", kind)
    put("title", title)
    put("input", update.get("rawInput"))
    put("output", _output_text(blocks) or update.get("rawOutput"))
    put("locations", [pick(place, "path", "line") for place in as_objects(update.get("locations"))])
    diffs = []
    for block in blocks:
        if block.get("type") == "diff" and isinstance(block.get("path"), str):
            bounded = Bounded()
            diffs.append(bounded.value(pick(block, "path", "oldText", "newText")))
            truncated = truncated or bounded.truncated
    if diffs:
        details["diff"] = diffs[:MAX_DIFFS]
    if truncated or len(diffs) > MAX_DIFFS:
        details["truncated"] = True
    return details


def _output_text(blocks: list[dict[str, Any]]) -> str:
    texts = []
    for block in blocks:
        text = maybe_object(block.get("content")).get("text")
        if block.get("type", "content") == "content" and isinstance(text, str):
            texts.append(text)
    return "\n".join(texts)
