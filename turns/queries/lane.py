"""What a lane has to know: what others want of it, and what its session has been given."""

from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Exists, Subquery

from rooms.prepared import PreparedSelect
from rooms.vocabulary import MAIN_ROOM
from turns.models import AgentJob, DeliveryCursor, Lane, Turn
from turns.state import JobKind, JobStatus, TurnStatus


class Asked(NamedTuple):
    """How often each was asked of the lane: one that sees a higher number than before obeys."""

    restart: int
    resume: int
    fresh: int


@dataclass(frozen=True, kw_only=True)
class LaneOrders:
    """What a working lane asks the database for every second: is its turn to be cancelled, what else is asked."""

    turn_status: TurnStatus | None
    asked: Asked
    lane_token: str
    has_waiting: bool
    has_job: bool
    """Others wait for it; what the lane asks of itself it takes at once."""


def lane_orders(actor_id: str, turn_id: str | None) -> LaneOrders:
    """One query: an idle lane asks it every second."""
    mine = Turn.objects.filter(target_id=actor_id)
    jobs = AgentJob.objects.filter(
        actor_id=actor_id, ended_at=None, status=JobStatus.WAITING.value, kind=JobKind.SUMMARY.value
    )
    token, *asked, waits, has_job, status = (
        Lane.objects.filter(actor_id=actor_id)
        .annotate(
            waits=Exists(mine.filter(ended_at=None, status=TurnStatus.QUEUED.value)),
            has_job=Exists(jobs),
            turn_status=Subquery(mine.filter(turn_id=turn_id or "").values("status")[:1]),
        )
        .values_list(
            "lane_token",
            "restart_generation",
            "resume_generation",
            "fresh_generation",
            "waits",
            "has_job",
            "turn_status",
        )
        .get()
    )
    return LaneOrders(
        turn_status=TurnStatus(status) if status else None,
        asked=Asked(*asked),
        lane_token=token,
        has_waiting=bool(waits),
        has_job=bool(has_job),
    )


_DELIVERED = PreparedSelect(
    lambda room_id, actor_id, native_session_id: DeliveryCursor.objects.filter(
        room_id=room_id, actor_id=actor_id, native_session_id=native_session_id
    ).values_list("last_delivered_seq")
)


def delivered_through(actor_id: str, native_session_id: str) -> int | None:
    """Up to which seq this session has been given the room; None for a session that was given nothing."""
    found = _DELIVERED.fetch_first(MAIN_ROOM, actor_id, native_session_id)
    return found[0] if found else None
