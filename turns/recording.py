"""What was seen of a running turn, folded from native events. Pure but for being a mutable fold."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adapters.contract import (
    NativeEvent,
    ReasoningDelta,
    TextDelta,
    ToolEvent,
    ToolPhase,
    UsageReported,
)
from rooms.bodies import UsageTold
from turns.usage import sound_figures, usage_told


@dataclass(frozen=True, kw_only=True)
class ToolRecord:
    """One start or end of a tool call, as it goes into tool.progress.recorded."""

    native_type: str
    tool_call_id: str
    name: str
    status: str
    details: Mapping[str, Any]


@dataclass
class Recording:
    """The text, reasoning, tool records and usage of one attempt so far."""

    pieces: list[str] = field(default_factory=list)
    """The text as it came."""
    _reasoning: list[str] = field(default_factory=list)
    tools: list[ToolRecord] = field(default_factory=list)
    open_tools: set[str] = field(default_factory=set)
    _figures: dict[str, float] = field(default_factory=dict)
    text_chars: int = 0

    @property
    def text(self) -> str:
        """Joined when it is asked for: ask for `text_chars` while it grows."""
        return "".join(self.pieces)

    @property
    def usage(self) -> UsageTold | None:
        """A later report of a figure replaces an earlier one."""
        return usage_told(self._figures)

    @property
    def reasoning(self) -> str:
        return "".join(self._reasoning)

    def take(self, event: NativeEvent) -> None:
        match event:
            case TextDelta(text):
                self.pieces.append(text)
                self.text_chars += len(text)
            case ReasoningDelta(text):
                self._reasoning.append(text)
            case ToolEvent():
                self._take_tool(event)
            case UsageReported():
                self._figures |= sound_figures(event)
            case _:
                pass

    def _take_tool(self, event: ToolEvent) -> None:
        if event.phase is ToolPhase.COMPLETED:
            self.open_tools.discard(event.tool_call_id)
        else:
            self.open_tools.add(event.tool_call_id)
        if event.phase is not ToolPhase.UPDATED:
            self.tools.append(
                ToolRecord(
                    native_type=event.phase.value,
                    tool_call_id=event.tool_call_id,
                    name=event.name,
                    status=event.status.value,
                    details=event.details,
                )
            )
