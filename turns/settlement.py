"""Which durable events a turn's end writes, and in which order: reasoning, tools, answer, terminal. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Protocol

from adapters.contract import Capability, Evidence
from groupx.kernel.clock import iso
from groupx.kernel.errors import ErrorCode
from rooms.bodies import (
    Body,
    MessageCreated,
    ToolProgressRecorded,
    TurnCancelled,
    TurnCompleted,
    TurnFailed,
    TurnInterrupted,
    TurnReasoningRecorded,
    UsageTold,
)
from rooms.caller import SYSTEM
from rooms.envelope import ActorRef
from rooms.new_event import NewEvent
from rooms.vocabulary import SourceKind
from turns.recording import ToolRecord
from turns.state import TurnStatus

STOP_NOTES = {
    "max_tokens": "The agent stopped at its output limit; the answer may be cut off.",
    "max_turn_requests": "The agent stopped after its allowed number of model calls; the work may be unfinished.",
    "refusal": "The agent declined to go on.",
}


@dataclass(frozen=True, kw_only=True)
class TurnOutcome:
    """How one attempt ended. `text` is the answer of a completed turn and the partial text of any other."""

    status: TurnStatus
    text: str = ""
    reasoning: str = ""
    tools: Sequence[ToolRecord] = ()
    usage: UsageTold | None = None
    stop_reason: str | None = None
    error_code: ErrorCode | None = None
    message: str = ""
    hint: str | None = None
    paused_until: datetime | None = None
    """Of a failed turn: until when the model's service wants to be left alone."""
    cancel_steps: Sequence[dict[str, Any]] = ()
    seen: Mapping[Capability, Evidence] = field(default_factory=dict)
    """What the turn showed of what its agent is able to."""


class TurnFacts(Protocol):
    """What the events need of a turn's row."""

    @property
    def turn_id(self) -> str: ...
    @property
    def source_event_id(self) -> str: ...
    @property
    def target_id(self) -> str: ...
    @property
    def correlation_id(self) -> str: ...
    @property
    def root_correlation_id(self) -> str: ...


def terminal_key(turn_id: str) -> str:
    """One terminal event per turn: the log refuses a second with this key."""
    return f"turn:{turn_id}:terminal"


def response_key(turn_id: str) -> str:
    """And at most one answer."""
    return f"turn:{turn_id}:response"


def stop_note(stop_reason: str | None) -> str | None:
    """A sentence about a completed turn that stopped for another reason than its end."""
    if not stop_reason or stop_reason == "end_turn":
        return None
    return STOP_NOTES.get(stop_reason, f"The agent stopped for the reason “{stop_reason}”.")


def closing_events(turn: TurnFacts, attempt_id: str, agent: ActorRef, outcome: TurnOutcome) -> list[NewEvent]:
    """In the order of their seqs."""
    events: list[NewEvent] = []

    def add(body: Body, **more: Any) -> None:
        events.append(
            NewEvent(
                body=body,
                actor=agent,
                source_kind=SourceKind.ADAPTER,
                correlation_id=turn.correlation_id,
                root_correlation_id=turn.root_correlation_id,
                **{"causation_id": turn.turn_id, **more},
            )
        )

    if outcome.reasoning:
        add(
            TurnReasoningRecorded(
                turn_id=turn.turn_id, content=outcome.reasoning, terminal_status=outcome.status.value
            ),
            idempotency_key=f"turn:{turn.turn_id}:reasoning",
        )
    for tool in outcome.tools:
        add(
            ToolProgressRecorded(
                turn_id=turn.turn_id,
                native_type=tool.native_type,
                tool_call_id=tool.tool_call_id,
                name=tool.name,
                status=tool.status,
                details=dict(tool.details),
            )
        )
    if outcome.status is TurnStatus.COMPLETED:
        add(
            MessageCreated(content=outcome.text, turn_id=turn.turn_id),
            reply_to_event_id=turn.source_event_id,
            idempotency_key=response_key(turn.turn_id),
        )
    add(_terminal(turn, attempt_id, outcome), idempotency_key=terminal_key(turn.turn_id))
    return events


def ended_without_attempt(
    turn: TurnFacts, status: TurnStatus, code: ErrorCode | None = None, message: str | None = None
) -> NewEvent:
    """The terminal of a turn that no agent ever saw; the room itself says so."""
    outcome = TurnOutcome(status=status, error_code=code, message=message or "")
    return NewEvent(
        body=_terminal(turn, None, outcome),
        actor=SYSTEM,
        source_kind=SourceKind.SYSTEM,
        correlation_id=turn.correlation_id,
        root_correlation_id=turn.root_correlation_id,
        causation_id=turn.turn_id,
        idempotency_key=terminal_key(turn.turn_id),
    )


def _terminal(turn: TurnFacts, attempt_id: str | None, outcome: TurnOutcome) -> Body:
    if outcome.status is TurnStatus.COMPLETED:
        note = stop_note(outcome.stop_reason)
        return TurnCompleted(
            turn_id=turn.turn_id,
            target_actor_id=turn.target_id,
            attempt_id=attempt_id,
            stop_reason=outcome.stop_reason if note else None,
            note=note,
            usage=outcome.usage,
        )
    body = {
        TurnStatus.FAILED: TurnFailed,
        TurnStatus.CANCELLED: TurnCancelled,
        TurnStatus.INTERRUPTED: TurnInterrupted,
    }[outcome.status]
    return body(
        turn_id=turn.turn_id,
        target_actor_id=turn.target_id,
        attempt_id=attempt_id,
        error_code=outcome.error_code.value if outcome.error_code else None,
        message=outcome.message or None,
        hint=outcome.hint,
        partial_text=outcome.text or None,
        usage=outcome.usage,
        paused_until=iso(outcome.paused_until) if outcome.paused_until else None,
    )
