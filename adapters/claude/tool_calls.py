"""Claude Code's tools: what it is about to do and what came of it, reduced to bounded details. Pure."""

from typing import Any

from adapters.contract import ToolStatus
from adapters.jsonrpc import ProtocolViolation
from adapters.reading import as_objects, maybe_object, pick, short_text
from adapters.tool_details import ToolDetails
from adapters.tools import ToolUpdate
from groupx.kernel.text import clip, storable

_HEADLINES = ("command", "file_path", "notebook_path", "pattern", "url", "query", "description", "path")
"""Where an input says in short what it is about, the most telling first."""
KINDS = {
    "Bash": "execute",
    "Edit": "edit",
    "MultiEdit": "edit",
    "NotebookEdit": "edit",
    "Write": "edit",
    "Read": "read",
    "Glob": "search",
    "Grep": "search",
    "WebFetch": "fetch",
    "WebSearch": "fetch",
}
"""Its tools in the contract's words; of the rest nothing is known."""
MAX_ID_CHARS = 256
MAX_NAME_CHARS = 200


def is_call(block: dict[str, Any]) -> bool:
    return block.get("type") in ("tool_use", "server_tool_use", "mcp_tool_use")


def is_outcome(block: dict[str, Any]) -> bool:
    return str(block.get("type")).endswith("tool_result")


def read_call(block: dict[str, Any], status: ToolStatus) -> ToolUpdate | None:
    """None when it does not tell which call it is about."""
    tool_call_id = _read_id(block.get("id"))
    if tool_call_id is None:
        return None
    name, given = short_text(block.get("name")), maybe_object(block.get("input"))
    headline = next((text for name in _HEADLINES if (text := short_text(given.get(name)))), None)
    details = ToolDetails()
    details.put("kind", KINDS.get(name or "", "other"))
    details.put("title", headline)
    path, edits = given.get("file_path"), as_objects(given.get("edits")) or [given]
    diffs = [_diff(path, edit) for edit in edits if "new_string" in edit or "content" in edit]
    if isinstance(path, str) and diffs:
        details.put_diffs(diffs)
        details.put("locations", [{"path": path}])
    else:
        details.put("input", given)
    name = f"{name}: {headline}" if name and headline else name
    return ToolUpdate(
        tool_call_id=tool_call_id,
        name=clip(" ".join(name.split()), MAX_NAME_CHARS) if name else None,
        status=status,
        details=details.kept,
    )


def read_outcome(block: dict[str, Any]) -> ToolUpdate | None:
    tool_call_id = _read_id(block.get("tool_use_id"))
    if tool_call_id is None:
        return None
    details = ToolDetails()
    details.put("output", _text_of(block.get("content")))
    status = ToolStatus.FAILED if block.get("is_error") is True else ToolStatus.COMPLETED
    return ToolUpdate(tool_call_id=tool_call_id, name=None, status=status, details=details.kept)


def _diff(path: object, edit: dict[str, Any]) -> dict[str, Any]:
    new_text = edit.get("new_string", edit.get("content"))
    return pick({"path": path, "oldText": edit.get("old_string"), "newText": new_text}, "path", "oldText", "newText")


def _text_of(content: object) -> object:
    """Words where it has any; other content (images) is left out."""
    if isinstance(content, list):
        return "\n".join(block["text"] for block in as_objects(content) if isinstance(block.get("text"), str))
    return content


def _read_id(value: object) -> str | None:
    if value is None or value == "":
        return None
    if not isinstance(value, str):
        raise ProtocolViolation("a tool call id that is no string")
    return clip(storable(value), MAX_ID_CHARS)
