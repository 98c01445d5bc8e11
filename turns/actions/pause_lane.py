"""A lane's pause in its row: begun in the transaction of what caused it, so that neither is there without the other.

Nothing but the room's database and configuration decides whether a limit is reached: a worker that dies in between
leaves nothing behind that its successor would not find out again.
"""

from datetime import date
from typing import Any

from django.db.models import QuerySet

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from rooms.actions.bind_session import append_session_failure
from rooms.actions.record_failure import append_failure
from rooms.bodies import SessionFailed, SystemFailure
from rooms.envelope import ActorRef
from rooms.prepared import PreparedSelect
from rooms.transactions import durable, joins
from turns.actions.lane_status import change_own_lane
from turns.models import Lane
from turns.pauses import Budget, LanePause, Spent
from turns.queries.usage import spent_since
from turns.state import LaneStatus, PauseKind

_FIELDS = (
    "pause_kind", "paused_until", "pause_words", "went_on_day", "went_on_tokens", "went_on_cost_usd",
    "actor__display_name",
)  # fmt: skip


def _row(actor_id: Any) -> QuerySet[Lane, Any]:
    return Lane.objects.filter(actor_id=actor_id).values_list(*_FIELDS)


_LANE = PreparedSelect(_row)
NO_PAUSE = {"pause_kind": "", "paused_until": None, "pause_words": ""}


def pause_lane(actor_id: str, lane_token: str, pause: LanePause, *, clock: Clock) -> None:
    """The queue waits from now on, and the card says so. Joins the caller's transaction.

    Raises:
        GroupXError: STORE_CONFLICT when another worker holds the lane.
    """
    change_own_lane(
        actor_id,
        lane_token,
        status=LaneStatus.PAUSED.value,
        status_text=pause.words,
        pause_kind=pause.kind.value,
        paused_until=pause.until,
        pause_words=pause.words,
        clock=clock,
    )


def pause_when_spent(actor_id: str, lane_token: str, budget: Budget, *, clock: Clock) -> LanePause | None:
    """Pause the lane whose agent has used up its day, and tell the room once for each time. Joins the caller's
    transaction; costs nothing where there is no limit.

    Raises:
        GroupXError: STORE_CONFLICT when another worker holds the lane.
    """
    joins()
    pause = spent_pause(actor_id, budget, clock=clock)
    if pause is None:
        return None
    kind, until, *_, name = _found(actor_id)
    pause_lane(actor_id, lane_token, pause, clock=clock)
    if (kind, until) != (pause.kind, pause.until):
        failure = SystemFailure(
            error_code=ErrorCode.SPEND_LIMIT_REACHED.value,
            message=f"{name} pauses until the day is over. {pause.words}",
            hint="“Go on” on its card lets it go on now; its waiting turns stay queued.",
        )
        append_failure(failure, clock=clock)
    return pause


def spent_pause(actor_id: str, budget: Budget, *, clock: Clock) -> LanePause | None:
    """The pause that an agent has reached that has used up its day; writes nothing."""
    if budget.limit is None:
        return None
    now = clock.now()
    today = budget.days.day_of(now)
    *_, went_on_day, tokens, cost_usd, _ = _found(actor_id)
    used = spent_since(actor_id, budget.days.start_of(today), budget.days.end_of(now))
    went_on_at = Spent(tokens=tokens, cost_usd=cost_usd) if went_on_day == today else Spent()
    return budget.pause_after(used, went_on_at, now)


@durable
def pause_at_start(actor_id: str, lane_token: str, budget: Budget, *, clock: Clock) -> LanePause | None:
    """What a lane begins with: the pause its predecessor left, if it is not over; a limit is looked at anew, since the
    configuration or the day may be another by now.

    Raises:
        GroupXError: STORE_CONFLICT when another worker holds the lane.
    """
    kind, until, words, *_ = _found(actor_id)
    spent = pause_when_spent(actor_id, lane_token, budget, clock=clock)
    if spent is not None:
        return spent
    if not kind:
        return None
    left = LanePause(kind=PauseKind(kind), until=until, words=words)
    if left.kind is PauseKind.RATE_LIMIT and not left.is_over(clock.now()):
        pause_lane(actor_id, lane_token, left, clock=clock)
        return left
    change_own_lane(actor_id, lane_token, **NO_PAUSE, clock=clock)
    return None


@durable
def pause_start(agent: ActorRef, lane_token: str, pause: LanePause, failure: SessionFailed, *, clock: Clock) -> None:
    """The model's service does not even let the agent start: the pause, and the room is told.

    Raises:
        GroupXError: STORE_CONFLICT when another worker holds the lane.
    """
    pause_lane(agent.actor_id, lane_token, pause, clock=clock)
    append_session_failure(agent, failure, clock=clock)


@durable
def end_pause(actor_id: str, lane_token: str, *, clock: Clock) -> None:
    """Its moment has come; what the card says now is the lane's business. A lane that was replaced changes nothing."""
    Lane.objects.filter(actor_id=actor_id, lane_token=lane_token).update(**NO_PAUSE, changed_at=clock.now())


def _found(actor_id: str) -> tuple[PauseKind | str, Any, str, date | None, int, float, str]:
    row = _LANE.fetch_first(actor_id)
    assert row is not None, "a lane that works has its row"
    kind, *rest = row
    return (PauseKind(kind) if kind else "", *rest)  # type: ignore[return-value]
