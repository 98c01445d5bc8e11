"""Items of a turn as Codex tells them: its words, its thoughts, its tools reduced to an allow-list. Pure."""

from dataclasses import dataclass
from typing import Any

from adapters.contract import ToolStatus
from adapters.jsonrpc import ProtocolViolation
from adapters.reading import as_objects, maybe_object, pick, short_text
from adapters.tool_details import ToolDetails
from adapters.tools import ToolUpdate
from groupx.kernel.text import clip, storable

ID_CHARS = 256


@dataclass(frozen=True)
class MessageItem:
    """A message, or a proposed plan, as far as it is told; the whole of it once it is over."""

    id: str
    text: str


@dataclass(frozen=True)
class ReasoningItem:
    id: str
    parts: list[str]
    kind: str
    """Of the parts: a "summary", or the "content" itself where there is no summary."""


@dataclass(frozen=True)
class CompactionItem:
    """Codex has shortened what it remembers of the thread."""


@dataclass(frozen=True)
class EchoItem:
    """What we said, or what a hook added to it."""


@dataclass(frozen=True)
class UnknownItem:
    """An item of a kind that we do not know, shown as a tool without its fields."""

    tool: ToolUpdate | None


type Item = MessageItem | ReasoningItem | ToolUpdate | CompactionItem | EchoItem | UnknownItem


def read_item(item: dict[str, Any], *, is_over: bool) -> Item:
    kind, item_id = item.get("type"), item.get("id")
    for value in (kind, item_id):
        if value is not None and not isinstance(value, str):
            raise ProtocolViolation("an item whose type or id is no string")
    if not kind or not item_id:
        return UnknownItem(None)
    match kind:
        case "agentMessage" | "plan":
            return MessageItem(item_id, text_of(item.get("text")))
        case "reasoning":
            summary = [text_of(part) for part in _list(item.get("summary"))]
            content = [text_of(part) for part in _list(item.get("content"))]
            return ReasoningItem(item_id, summary, "summary") if summary else ReasoningItem(item_id, content, "content")
        case "userMessage" | "hookPrompt":
            return EchoItem()
        case "contextCompaction":
            return CompactionItem()
    name, details = _tool(kind, item)
    update = ToolUpdate(
        tool_call_id=item_key(item_id),
        name=name or kind,
        status=_status(item, is_over),
        details=details.kept,
    )
    return update if name is not None else UnknownItem(update)


def item_key(item_id: str) -> str:
    return clip(storable(item_id), ID_CHARS)


def text_of(value: object) -> str:
    if value is None:
        return ""
    if not isinstance(value, str):
        raise ProtocolViolation("a text that is no string")
    return value


def _status(item: dict[str, Any], is_over: bool) -> ToolStatus:
    if not is_over:
        return ToolStatus.RUNNING
    failed = item.get("status") in ("failed", "declined") or item.get("success") is False
    return ToolStatus.FAILED if failed else ToolStatus.COMPLETED


def _tool(kind: str, item: dict[str, Any]) -> tuple[str | None, ToolDetails]:
    """The name of a tool, None for an unknown one, and its details."""
    details = ToolDetails()
    match kind:
        case "commandExecution":
            details.put("kind", "execute")
            details.put("input", pick(item, "command", "cwd"))
            details.put("output", item.get("aggregatedOutput"))
            if item.get("exitCode"):
                details.put("exitCode", item["exitCode"])
            return _command(item), details
        case "fileChange":
            changes = as_objects(item.get("changes"))
            details.put("kind", "edit")
            details.put("locations", [pick(change, "path") for change in changes])
            details.put_diffs([_diff(change) for change in changes])
            paths = ", ".join(path for change in changes if (path := short_text(change.get("path"))))
            return clip(f"apply_patch {paths}".strip(), 500), details
        case "mcpToolCall":
            result, error = maybe_object(item.get("result")), maybe_object(item.get("error"))
            details.put("kind", "other")
            details.put("input", item.get("arguments"))
            output = _texts(result.get("content")) or result.get("structuredContent") or error.get("message")
            details.put("output", output)
            return _name(item.get("server"), item.get("tool")), details
        case "dynamicToolCall":
            details.put("input", item.get("arguments"))
            details.put("output", _texts(item.get("contentItems")))
            return _name(item.get("namespace"), item.get("tool")), details
        case "functionCallOutput":
            output = item.get("output")
            details.put("output", output if isinstance(output, str) else _texts(output))
            return _name(item.get("namespace"), item.get("name")), details
        case "webSearch":
            details.put("kind", "search")
            details.put("input", item.get("action") or pick(item, "query"))
            return short_text(item.get("query")) or "web_search", details
        case "imageView":
            details.put("kind", "read")
            details.put("locations", [pick(item, "path")])
            return "view_image", details
        case "imageGeneration":
            details.put("input", item.get("revisedPrompt"))
            if isinstance(item.get("savedPath"), str):
                details.put("locations", [{"path": item["savedPath"]}])
            return "image_generation", details  # the image itself has no place in a room's log
        case "collabAgentToolCall":
            details.put("kind", "other")
            details.put("input", pick(item, "prompt", "model"))
            return short_text(item.get("tool")) or kind, details
        case "subAgentActivity":
            details.put("kind", "other")
            details.put("input", pick(item, "kind", "agentPath"))
            return "subagent", details
        case "sleep":
            details.put("input", pick(item, "durationMs"))
            return "sleep", details
        case "enteredReviewMode" | "exitedReviewMode":
            details.put("output", item.get("review"))
            return "review", details
        case _:
            details.put("kind", "other")
            return None, details


def _command(item: dict[str, Any]) -> str:
    """What was meant to be run, where it was wrapped into a call of the shell."""
    actions = as_objects(item.get("commandActions"))
    meant = short_text(actions[0].get("command")) if len(actions) == 1 else None
    return meant or short_text(item.get("command")) or "exec_command"


def _name(space: object, tool: object) -> str:
    names = [name for name in (short_text(space), short_text(tool)) if name]
    return clip(".".join(names) or "tool", 500)


def _diff(change: dict[str, Any]) -> dict[str, Any]:
    """A new or deleted file is told whole, another one as a unified diff."""
    kind, diff = maybe_object(change.get("kind")), change.get("diff")
    told: dict[str, Any] = pick(change, "path")
    if not isinstance(diff, str):
        return told
    match kind.get("type"):
        case "add":
            return told | {"newText": diff}
        case "delete":
            return told | {"oldText": diff}
        case _:
            return told | _changed_lines(diff)


def _changed_lines(diff: str) -> dict[str, str]:
    lines = [line for line in diff.splitlines() if not line.startswith(("--- ", "+++ ", "@@"))]
    old = [line[1:] for line in lines if line.startswith("-")]
    new = [line[1:] for line in lines if line.startswith("+")]
    return {name: "\n".join(part) for name, part in (("oldText", old), ("newText", new)) if part}


def _texts(blocks: object) -> str:
    return "\n".join(block["text"] for block in as_objects(blocks) if isinstance(block.get("text"), str))


def _list(value: object) -> list[object]:
    return value if isinstance(value, list) else []
