"""Which turns of an imported transcript never ended, and how they end now. Pure.

Their agents, sessions and queues are elsewhere, or gone: nothing of them runs here, and no page may wait for them.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from groupx.kernel.errors import ErrorCode
from rooms.bodies import TurnCancelled, TurnInterrupted
from rooms.caller import SYSTEM
from rooms.importing.lines import ExportedEvent
from rooms.new_event import NewEvent
from rooms.vocabulary import EventType, SourceKind

BEGINNINGS = {EventType.TURN_QUEUED.value, EventType.TURN_DISPATCHED.value, EventType.TURN_STARTED.value}
ENDS = {
    EventType.TURN_COMPLETED.value,
    EventType.TURN_FAILED.value,
    EventType.TURN_CANCELLED.value,
    EventType.TURN_INTERRUPTED.value,
}
WHY = "The transcript was exported before this turn ended; it does not go on in this room."


@dataclass(frozen=True, kw_only=True)
class ImportedTurn:
    turn_id: str
    target: str
    correlation_id: str
    root_correlation_id: str
    has_begun: bool


class OpenTurns:
    """`watch` passes the events on; afterwards `left` has the turns that they leave open."""

    def __init__(self) -> None:
        self.left: dict[str, ImportedTurn] = {}

    def watch(self, events: Iterable[ExportedEvent]) -> Iterator[ExportedEvent]:
        for event in events:
            turn_id, target = event.body.get("turnId"), event.body.get("targetActorId")
            if event.type in ENDS and isinstance(turn_id, str):
                self.left.pop(turn_id, None)
            elif event.type in BEGINNINGS and isinstance(turn_id, str) and isinstance(target, str):
                self.left[turn_id] = ImportedTurn(
                    turn_id=turn_id,
                    target=target,
                    correlation_id=event.correlation_id,
                    root_correlation_id=event.root_correlation_id,
                    has_begun=event.type != EventType.TURN_QUEUED.value,
                )
            yield event


def end_of(turn: ImportedTurn) -> NewEvent:
    """Interrupted if it had begun, else cancelled; once, however often it is imported."""
    body_type = TurnInterrupted if turn.has_begun else TurnCancelled
    return NewEvent(
        body=body_type(
            turn_id=turn.turn_id,
            target_actor_id=turn.target,
            error_code=ErrorCode.TURN_INTERRUPTED.value,
            message=WHY,
        ),
        actor=SYSTEM,
        source_kind=SourceKind.SYSTEM,
        correlation_id=turn.correlation_id,
        root_correlation_id=turn.root_correlation_id,
        causation_id=turn.turn_id,
        idempotency_key=f"imported-end:{turn.turn_id}",
    )
