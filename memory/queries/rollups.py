"""What waits to be written into an agent's dated memory: which days, and of one day all that its agent is shown."""

from datetime import date, datetime

from django.db.models import Count, F, Max, QuerySet, Sum
from django.db.models.fields.json import KeyTextTransform
from django.db.models.functions import Left, Right

from groupx.kernel.days import LocalDays
from memory.models import MemoryRecord, RollupSource, RollupState
from memory.rollup_due import PendingDay, first_due
from memory.rollup_prompt import KEPT_ON_EACH_SIDE, TEXT_CHARACTERS, DayNow, RememberedTurn, SaidText
from memory.vocabulary import MemoryScope, RecordStatus
from rooms.transactions import snapshot

MOST_TURNS = 200
"""Looked at for one prompt; far more than fit."""

_MESSAGE = KeyTextTransform("content", "source_event__body")
_ANSWER = KeyTextTransform("content", "response_event__body")


def next_rollup(actor_id: str, days: LocalDays) -> tuple[datetime, date] | None:
    """From which moment on this agent may write which day next; None when nothing waits.

    It is quiet since the agent's last completed turn.
    """
    with snapshot():
        waiting = list(
            _pending(actor_id)
            .values_list("day")
            .annotate(
                sources=Count("pk"), characters=Sum(F("source_chars") + F("response_chars")), newest=Max("created_at")
            )
        )
        if not waiting:
            return None
        states = {state.day: state for state in RollupState.objects.filter(actor_id=actor_id)}
    pending = [
        PendingDay(
            day=day,
            sources=sources,
            characters=characters,
            next_attempt_at=state.next_attempt_at if (state := states.get(day)) else None,
            asked_at=state.asked_at if state else None,
        )
        for day, sources, characters, _ in waiting
    ]
    found = first_due(pending, max(newest for *_, newest in waiting), days)
    return (found[0], found[1].day) if found else None


def day_now(actor_id: str, day: date) -> DayNow:
    """What its agent is shown of a day: what is remembered of it, and the turns that wait."""
    with snapshot():
        record = active_rollup(actor_id, day)
        rows = _pending(actor_id).filter(day=day).order_by("seq")
        found = rows.annotate(
            message_beginning=Left(_MESSAGE, TEXT_CHARACTERS),
            message_end=Right(_MESSAGE, KEPT_ON_EACH_SIDE),
            answer_beginning=Left(_ANSWER, TEXT_CHARACTERS),
            answer_end=Right(_ANSWER, KEPT_ON_EACH_SIDE),
        ).values_list(
            "pk",
            "source_event_id",
            "source_event__seq",
            "source_event__actor_id",
            "message_beginning",
            "message_end",
            "source_chars",
            "response_event_id",
            "seq",
            "actor_id",
            "answer_beginning",
            "answer_end",
            "response_chars",
        )
        turns = [
            RememberedTurn(source_id=pk, message=_said(*facts[:6]), answer=_said(*facts[6:]))
            for pk, *facts in found[:MOST_TURNS]
        ]
    return DayNow(
        actor_id=actor_id,
        day=day,
        record_id=record.record_id if record else None,
        content=record.content if record else "",
        turns=turns,
    )


def active_rollup(actor_id: str, day: date) -> MemoryRecord | None:
    """What counts as the agent's memory of that day."""
    return MemoryRecord.objects.filter(
        scope_type=MemoryScope.AGENT.value, scope_id=actor_id, day=day, status=RecordStatus.ACTIVE.value
    ).first()


def _pending(actor_id: str) -> QuerySet[RollupSource]:
    return RollupSource.objects.filter(actor_id=actor_id, rolled_at=None)


def _said(event_id: str, seq: int, author: str, beginning: str, end: str, characters: int) -> SaidText:
    return SaidText(event_id=event_id, seq=seq, author=author, beginning=beginning, end=end, characters=characters)
