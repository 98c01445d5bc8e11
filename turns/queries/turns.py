"""One turn: how it stands, how its deliveries went, what its agent was given."""

from collections.abc import Mapping
from typing import Any

from pydantic.alias_generators import to_camel

from groupx.kernel.clock import iso
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.envelope import shorten_body
from rooms.transactions import snapshot
from turns.answers import Attempt, Packet, SummaryGiven
from turns.answers import Turn as TurnAnswer
from turns.models import FIGURES, AttemptPacket, Turn, TurnAttempt, TurnUsage
from turns.partial_text import kept_beginning
from turns.usage_answers import UsageOfTurn


def find_turn(turn_id: str) -> Turn:
    """
    Raises:
        GroupXError: NOT_FOUND.
    """
    turn = Turn.objects.select_related("used").filter(turn_id=turn_id).first()
    if turn is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no turn “{turn_id}”.")
    return turn


def turn_in_full(turn_id: str) -> TurnAnswer:
    """GET /api/turns/<id>: the turn, its attempts, their times and what is certain about them.

    Raises:
        GroupXError: NOT_FOUND.
    """
    with snapshot():
        turn = find_turn(turn_id)
        retry = Turn.objects.filter(retry_of=turn).values_list("turn_id", flat=True).first()
        attempts = list(turn.attempts.select_related("packet").order_by("number"))
        said = _partial_text(attempts[-1]) if attempts else {}
    shown: dict[str, Any] = {
        "turnId": turn.turn_id,
        "targetActorId": turn.target_id,
        "status": turn.status,
        "transport": turn.transport,
        "sourceEventId": turn.source_event_id,
        "correlationId": turn.correlation_id,
        "rootCorrelationId": turn.root_correlation_id,
        "hopCount": turn.hop_count,
        "createdAt": iso(turn.created_at),
        "usage": _usage(turn),
        "attempts": [_attempt(attempt) for attempt in attempts],
    }
    optional = {
        "endedAt": iso(turn.ended_at) if turn.ended_at else None,
        "errorCode": turn.error_code,
        "message": turn.message,
        "stopReason": turn.stop_reason,
        "retryOf": turn.retry_of_id,
        "retriedBy": retry,
    }
    return shown | {name: value for name, value in optional.items() if value} | said


def _usage(turn: Turn) -> UsageOfTurn:
    used: TurnUsage | None = getattr(turn, "used", None)
    return {to_camel(name): getattr(used, name, None) for name in FIGURES}  # type: ignore[return-value]


def _partial_text(attempt: TurnAttempt) -> Mapping[str, Any]:
    if attempt.partial_text:
        return shorten_body({"partialText": attempt.partial_text})
    text, length = kept_beginning(attempt.attempt_id)
    cut = {"truncated": True, "fullLength": length} if length > len(text) else {}
    return {"partialText": text, **cut} if text else {}


def _attempt(attempt: TurnAttempt) -> Attempt:
    packet: AttemptPacket | None = getattr(attempt, "packet", None)
    times = {
        "preparedAt": attempt.prepared_at,
        "invokedAt": attempt.invoked_at,
        "startedAt": attempt.started_at,
        "endedAt": attempt.ended_at,
    }
    return {
        "attemptId": attempt.attempt_id,
        "turnId": attempt.turn_id,
        "number": attempt.number,
        "dispatchPhase": attempt.dispatch_phase,
        "deliveryCertainty": attempt.delivery_certainty,
        "contextAfterSeq": attempt.context_after_seq,
        "contextThroughSeq": attempt.context_through_seq,
        "packetCharacters": len(packet.text) if packet else None,
        "omissions": packet.omissions if packet else {},
        "cancelSteps": attempt.cancel_steps,
        **{name: iso(moment) for name, moment in times.items() if moment},
        **_summary(attempt),
    }


def _summary(attempt: TurnAttempt) -> SummaryGiven:
    through_seq = attempt.summary_through_seq
    return {} if through_seq is None else {"summaryThroughSeq": through_seq}


def packet_of(turn_id: str) -> Packet:
    """GET /api/turns/<id>/packet: the text that the turn's last attempt was given.

    Raises:
        GroupXError: NOT_FOUND when there is no such turn or nothing was ever sent for it.
    """
    packets = AttemptPacket.objects.filter(attempt__turn_id=turn_id).select_related("attempt")
    packet = packets.order_by("-attempt__number").first()
    if packet is None:
        find_turn(turn_id)
        raise GroupXError(ErrorCode.NOT_FOUND, "Nothing was sent to an agent for this turn.")
    return {"turnId": turn_id, "text": packet.text, "omissions": packet.omissions, **_summary(packet.attempt)}
