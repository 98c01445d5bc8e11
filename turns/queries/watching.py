"""What the log says of a turn that is watched. Reads of bodies only what an observer may see."""

from typing import Any

from django.db.models import F, QuerySet
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Left

from rooms.live_sight import SeenTool, plain_tool_name
from rooms.models import Event
from rooms.queries import last_seq
from rooms.transactions import snapshot
from rooms.vocabulary import EventType
from turns.member import CallersTurn
from turns.models import TurnAttempt
from turns.queries.supervision import watched_from
from turns.queries.waits import turn_waits_for
from turns.state import DeliveryCertainty, SteerAction, TurnStatus
from turns.supervision import WorkerTurn, subject_among
from turns.watch_answers import Milestone
from turns.watching import MOST_MESSAGES, MOST_TOOLS, TASK_CHARS, Facts

_ENDS = {
    EventType.TURN_COMPLETED.value: TurnStatus.COMPLETED,
    EventType.TURN_FAILED.value: TurnStatus.FAILED,
    EventType.TURN_CANCELLED.value: TurnStatus.CANCELLED,
    EventType.TURN_INTERRUPTED.value: TurnStatus.INTERRUPTED,
}
_MILESTONES = (
    EventType.TURN_STARTED.value,
    EventType.MESSAGE_CREATED.value,
    EventType.SUPERVISION_STEERED.value,
    *_ENDS,
)
_EXCERPT_CHARS = 501
"""One more than is shown, so that a cut can be seen."""


def _text(key: str) -> KeyTextTransform:
    return KeyTextTransform(key, "body")


def find_subject(turn: CallersTurn, wanted: str | None) -> WorkerTurn:
    """The turn to watch.

    Raises:
        GroupXError: SUPERVISION_WATCH_REQUIRED, NOT_FOUND (subjectTurnId).
    """
    return subject_among(watched_from(turn), wanted)


def facts_of(turn: CallersTurn, subject_turn_id: str, after_seq: int) -> Facts:
    """How the watched turn stands, and its milestones of the log after this seq. Of one moment.

    Raises:
        GroupXError: SUPERVISION_WATCH_REQUIRED, NOT_FOUND (subjectTurnId).
    """
    with snapshot():
        workers = watched_from(turn)
        subject = subject_among(workers, subject_turn_id)
        attempt = TurnAttempt.objects.filter(turn_id=subject.turn_id).order_by("-number")
        certainty = attempt.values_list("delivery_certainty", flat=True).first()
        told = _events_of(subject)
        return Facts(
            subject=subject,
            workers=workers,
            certainty=DeliveryCertainty(certainty or DeliveryCertainty.NOT_DELIVERED),
            task_event_id=subject.source_event_id,
            task=_beginning(subject.source_event_id),
            milestones=[_milestone(row) for row in told if row["seq"] > after_seq],
            messages=[
                (row["event_id"], row["content"] or "")
                for row in told
                if row["type"] == EventType.MESSAGE_CREATED.value
            ][-MOST_MESSAGES:],
            tools=_recorded_tools(subject) if subject.status.is_terminal else (),
            last_steer_reason=next((row["reason"] for row in reversed(told) if row["reason"]), ""),
            last_seq=last_seq(),
            waits_for_observer=subject.status is TurnStatus.QUEUED and turn_waits_for(subject.turn_id, turn.turn_id),
        )


def _events_of(subject: WorkerTurn) -> list[dict[str, Any]]:
    """Its milestones, oldest first: what tells of the turn, and what its agent said in it."""
    events: QuerySet[Event, dict[str, Any]] = (
        Event.objects.filter(correlation_id=subject.correlation_id, seq__gte=subject.enqueue_seq, type__in=_MILESTONES)
        .order_by("seq")
        .annotate(
            of_turn=_text("turnId"),
            of_subject=_text("subjectTurnId"),
            content=Left(_text("content"), _EXCERPT_CHARS),
            action=_text("action"),
            reason=_text("reason"),
        )
        .values("seq", "event_id", "type", "causation_id", "of_turn", "of_subject", "content", "action", "reason")
    )
    return [row for row in events if subject.turn_id == (row["of_subject"] or row["of_turn"] or row["causation_id"])]


def _milestone(row: dict[str, Any]) -> Milestone:
    seq, type_ = row["seq"], row["type"]
    if type_ == EventType.TURN_STARTED.value:
        return {"kind": "turn_started", "seq": seq}
    if type_ == EventType.SUPERVISION_STEERED.value:
        return {"kind": "steered", "seq": seq, "action": SteerAction(row["action"]), "reason": row["reason"][:300]}
    if type_ == EventType.MESSAGE_CREATED.value:
        return {"kind": "message", "seq": seq, "eventId": row["event_id"], "excerpt": (row["content"] or "")[:300]}
    return {"kind": "terminal", "seq": seq, "status": _ENDS[type_].value}


def _beginning(event_id: str) -> str:
    found = Event.objects.filter(event_id=event_id).annotate(content=Left(_text("content"), TASK_CHARS + 1))
    return found.values_list("content", flat=True).first() or ""


def _recorded_tools(subject: WorkerTurn) -> list[SeenTool]:
    """Of a turn that has ended: the newest state of its last calls."""
    rows = (
        Event.objects.filter(
            correlation_id=subject.correlation_id,
            seq__gte=subject.enqueue_seq,
            type=EventType.TOOL_PROGRESS_RECORDED.value,
            causation_id=subject.turn_id,
        )
        .order_by("-seq")
        .annotate(
            call=_text("toolCallId"),
            name=_text("name"),
            status=_text("status"),
            kind=KeyTextTransform("kind", KeyTextTransform("details", "body")),
            title=KeyTextTransform("title", KeyTextTransform("details", "body")),
            number=F("seq"),
        )
        .values_list("call", "name", "status", "kind", "title", "number")[: 2 * MOST_TOOLS]
    )
    newest: dict[str, SeenTool] = {}
    for call, name, status, kind, title, number in rows:
        newest.setdefault(
            call,
            SeenTool(
                tool_call_id=call,
                name=plain_tool_name(name, {"kind": kind, "title": title}),
                status=status,
                number=number,
            ),
        )
    return sorted(newest.values(), key=lambda tool: tool.number)
