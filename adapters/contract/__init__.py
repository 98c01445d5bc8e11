"""The contract between a lane and whatever drives a native CLI.

Above this line nobody knows a vendor's wire; below it nobody knows turns, events or the database. Values are
frozen, everything is asyncio. A driver bounds its own requests (handshake, mode, load); the limits of a turn
(first event, idle, total, cancel) belong to the caller, since they are the same for every driver.
"""

from adapters.contract.events import (
    Cancelled,
    Completed,
    Diagnostic,
    Failed,
    Interrupted,
    NativeEvent,
    ProgressReported,
    ReasoningDelta,
    Started,
    Terminal,
    TextDelta,
    ToolEvent,
    ToolPhase,
    ToolStatus,
    UsageReported,
)
from adapters.contract.sessions import (
    Driver,
    Session,
    SessionInfo,
    SessionLoss,
    StopRecord,
)
from adapters.contract.starting import (
    MCP_SERVER,
    AdapterError,
    AgentSpec,
    Capability,
    Evidence,
    McpEndpoint,
    OpenedProcess,
    ProbeResult,
)

__all__ = [
    "MCP_SERVER",
    "AdapterError",
    "AgentSpec",
    "Cancelled",
    "Capability",
    "Completed",
    "Diagnostic",
    "Driver",
    "Evidence",
    "Failed",
    "Interrupted",
    "McpEndpoint",
    "NativeEvent",
    "OpenedProcess",
    "ProbeResult",
    "ProgressReported",
    "ReasoningDelta",
    "Session",
    "SessionInfo",
    "SessionLoss",
    "Started",
    "StopRecord",
    "Terminal",
    "TextDelta",
    "ToolEvent",
    "ToolPhase",
    "ToolStatus",
    "UsageReported",
]
