"""The tools of one turn: which were seen, what changed, which are over. Pure.

An agent may tell of a tool first by an update, tell the same call twice, leave out its status, or go on about
a call that is over; each call still gives one STARTED and at most one COMPLETED.
"""

from dataclasses import dataclass, field

from adapters.contract import ToolEvent, ToolPhase, ToolStatus

_FINAL = (ToolStatus.COMPLETED, ToolStatus.FAILED)


@dataclass(frozen=True, kw_only=True)
class ToolUpdate:
    """What an agent told of one call; None and missing details mean "as before"."""

    tool_call_id: str
    name: str | None
    status: ToolStatus | None
    details: dict[str, object] = field(default_factory=dict)


@dataclass
class _Tool:
    name: str
    status: ToolStatus = ToolStatus.PENDING
    details: dict[str, object] = field(default_factory=dict)

    @property
    def is_over(self) -> bool:
        return self.status in _FINAL


class Tools:
    def __init__(self) -> None:
        self._tools: dict[str, _Tool] = {}

    def __len__(self) -> int:
        return len(self._tools)

    def fold(self, update: ToolUpdate) -> list[ToolEvent]:
        """The events that this update is worth; none when nothing visible changed."""
        tool = self._tools.get(update.tool_call_id)
        is_new = tool is None
        if tool is None:
            kind = update.details.get("kind")
            tool = self._tools[update.tool_call_id] = _Tool(update.name or str(kind or update.tool_call_id))
        elif tool.is_over:
            return []
        before = (tool.name, tool.status, dict(tool.details))
        tool.name = update.name or tool.name
        tool.details |= update.details
        tool.status = update.status or tool.status
        phases = []
        if is_new:
            phases.append(ToolPhase.STARTED)
        if tool.is_over:
            phases.append(ToolPhase.COMPLETED)
        elif not is_new and (tool.name, tool.status, tool.details) != before:
            phases.append(ToolPhase.UPDATED)
        return [self._event(phase, update.tool_call_id, tool) for phase in phases]

    def end_open(self) -> list[ToolEvent]:
        """Those that are not over are, as far as anybody will be told."""
        is_over = [
            ToolUpdate(tool_call_id=tool_call_id, name=None, status=ToolStatus.COMPLETED)
            for tool_call_id, tool in self._tools.items()
            if not tool.is_over
        ]
        return [event for update in is_over for event in self.fold(update)]

    def _event(self, phase: ToolPhase, tool_call_id: str, tool: _Tool) -> ToolEvent:
        status = tool.status
        if phase is ToolPhase.STARTED and tool.is_over:
            status = ToolStatus.RUNNING
        return ToolEvent(
            phase=phase, tool_call_id=tool_call_id, name=tool.name, status=status, details=dict(tool.details)
        )
