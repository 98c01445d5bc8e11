"""Every transient event type once, as the room would tell it."""

from typing import Any

from rooms.bodies import (
    AdapterHeartbeat,
    Body,
    CompactionCompleted,
    CompactionFailed,
    CompactionRetrying,
    CompactionStarted,
    SessionRetrying,
    SetupSaved,
    ToolProgress,
    TurnContentDelta,
    TurnProgress,
    TurnReasoningDelta,
)

_COMPACTED: dict[str, Any] = {"operation": "automatic", "from_seq": 1, "through_seq": 2}
_DID_NOT_WORK = {"error_code": "NATIVE_ERROR", "message": "It did not work."}
TRANSIENTS: tuple[Body, ...] = (
    TurnContentDelta(turn_id="turn_running", chunk_index=0, text="Hel"),
    TurnReasoningDelta(turn_id="turn_running", chunk_index=0, text="Hm"),
    TurnProgress(turn_id="turn_running", kind="plan"),
    ToolProgress(turn_id="turn_running", native_type="tool.started", tool_call_id="c", name="rg", status="running"),
    AdapterHeartbeat(turn_id="turn_running", quiet_seconds=15),
    SessionRetrying(
        actor_id="agent:builder", attempt=1, max_attempts=3, next_attempt_at="", error_code="NATIVE_EXITED"
    ),
    CompactionStarted(**_COMPACTED, actor_id="agent:builder", block=1, blocks=1),
    CompactionRetrying(**_COMPACTED, **_DID_NOT_WORK, attempt=1, max_attempts=3),
    CompactionCompleted(**_COMPACTED),
    CompactionFailed(**_COMPACTED, **_DID_NOT_WORK),
    SetupSaved(restart_required=True),
)
