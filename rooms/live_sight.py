"""What an observer may see of a running turn: names and states of its tools and its public text. Pure and bounded.

Of a tool call it keeps nothing but these, so that neither arguments nor results can come out of it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MAX_TOOLS = 64
NAME_CHARS = 80


@dataclass(frozen=True, kw_only=True)
class SeenTool:
    tool_call_id: str
    name: str
    status: str
    number: int
    """Of its last change, counted over all tools of the turn."""


@dataclass(frozen=True, kw_only=True)
class LiveSight:
    """A turn of this moment."""

    tools: tuple[SeenTool, ...]
    """In the order in which they last changed."""
    changes: int
    """The number of the last one."""
    text: str
    """The beginning, where it is very long."""
    text_length: int
    """Of all of it."""


class ToolSight:
    def __init__(self) -> None:
        self._tools: dict[str, SeenTool] = {}
        self.changes = 0

    def see(self, body: Mapping[str, Any]) -> bool:
        """Take a report of a tool; whether its name or state is new."""
        tool_call_id, status = str(body.get("toolCallId")), str(body.get("status"))
        name = plain_tool_name(body.get("name"), body.get("details") or {})
        known = self._tools.pop(tool_call_id, None)
        if known is not None and (known.name, known.status) == (name, status):
            self._tools[tool_call_id] = known
            return False
        self.changes += 1
        self._tools[tool_call_id] = SeenTool(tool_call_id=tool_call_id, name=name, status=status, number=self.changes)
        if len(self._tools) > MAX_TOOLS:
            del self._tools[next(iter(self._tools))]
        return True

    @property
    def tools(self) -> tuple[SeenTool, ...]:
        return tuple(sorted(self._tools.values(), key=lambda tool: tool.number))


def plain_tool_name(name: object, details: Mapping[str, Any]) -> str:
    """Some agents call a tool by what they do with it (“rm -rf build”): then its kind is told instead."""
    if not isinstance(name, str) or name == details.get("title"):
        name = details.get("kind") or "tool"
    return " ".join(str(name).split())[:NAME_CHARS]
