"""What is measured in the database (queries): the room as it is, and the turns that have ended since a seq.

Both cost what is open or new, never what the log holds.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count, Q

from memory.models import RollupSource, Summary
from rooms.models import Event
from rooms.queries import last_seq
from rooms.transactions import snapshot
from rooms.vocabulary import MAIN_ROOM, EventType
from turns.models import AgentJob, Lane, Turn, TurnAttempt, TurnUsage
from turns.state import JobStatus, LaneStatus, TurnStatus

ENDS = tuple(EventType(f"turn.{status.value}").value for status in TurnStatus if status.is_terminal)
PAGE_TURNS = 500
_IS_WAITING, _IS_TAKEN = (Q(status=status.value) for status in (JobStatus.WAITING, JobStatus.TAKEN))
"""Each has an index of its own."""


@dataclass(frozen=True, kw_only=True)
class LaneNow:
    status: LaneStatus
    worker_pid: int | None


@dataclass(frozen=True, kw_only=True)
class RoomNow:
    last_seq: int
    open_turns: Mapping[tuple[str, TurnStatus], int]
    """By actor id and status."""
    lanes: Mapping[str, LaneNow]
    """By actor id."""
    open_jobs: Mapping[tuple[str, JobStatus], int]
    """By actor id and status."""
    rollup_sources: Mapping[str, int]
    """Completed turns that wait to go into dated memory, by actor id."""
    newest_summary: int
    """How many summaries there have been."""


@dataclass(frozen=True, kw_only=True)
class EndedTurn:
    seq: int
    """Of its terminal event."""
    actor_id: str
    status: TurnStatus
    error_code: str
    waited_seconds: float
    """Until the prompt was sent, or to the end when none was."""
    ran_seconds: float | None
    """From the prompt to the end; None when nothing was sent."""
    input_tokens: int | None
    output_tokens: int | None
    cost_usd: float | None


def room_now() -> RoomNow:
    with snapshot():
        waiting = (
            Turn.objects.filter(ended_at=None)
            .order_by()
            .values_list("target_id", "status")
            .annotate(turns=Count("turn_id"))
        )
        jobs = AgentJob.objects.filter(_IS_WAITING | _IS_TAKEN, ended_at=None).values_list("actor_id", "status")
        sources = RollupSource.objects.filter(rolled_at=None).order_by().values_list("actor_id")
        lanes = Lane.objects.filter(actor__enabled=True).values_list("actor_id", "status", "worker_pid")
        return RoomNow(
            last_seq=last_seq(),
            open_turns={(actor_id, TurnStatus(status)): turns for actor_id, status, turns in waiting},
            lanes={actor_id: LaneNow(status=LaneStatus(status), worker_pid=pid) for actor_id, status, pid in lanes},
            open_jobs=Counter((actor_id, JobStatus(status)) for actor_id, status in jobs),
            rollup_sources=dict(sources.annotate(turns=Count("pk"))),
            newest_summary=Summary.objects.order_by("-pk").values_list("pk", flat=True).first() or 0,
        )


def turns_ended_after(seq: int, limit: int = PAGE_TURNS) -> Sequence[EndedTurn]:
    """In the order of their ends."""
    ends = list(
        Event.objects.filter(room_id=MAIN_ROOM, type__in=ENDS, seq__gt=seq)
        .order_by("seq")
        .values_list("seq", "body__turnId")[:limit]
    )
    turn_ids = [turn_id for _, turn_id in ends]
    turns = Turn.objects.select_related("used").in_bulk(turn_ids)
    sent = dict(
        TurnAttempt.objects.filter(turn_id__in=turn_ids, invoked_at__isnull=False).values_list("turn_id", "invoked_at")
    )
    return [_ended(end_seq, turn, sent.get(turn_id)) for end_seq, turn_id in ends if (turn := turns.get(turn_id))]


def _ended(seq: int, turn: Turn, sent_at: object) -> EndedTurn:
    ended_at = turn.ended_at or turn.created_at
    used: TurnUsage | None = getattr(turn, "used", None)
    return EndedTurn(
        seq=seq,
        actor_id=turn.target_id,
        status=TurnStatus(turn.status),
        error_code=turn.error_code,
        waited_seconds=((sent_at or ended_at) - turn.created_at).total_seconds(),
        ran_seconds=(ended_at - sent_at).total_seconds() if sent_at else None,
        input_tokens=used.input_tokens if used else None,
        output_tokens=used.output_tokens if used else None,
        cost_usd=used.cost_usd if used else None,
    )
