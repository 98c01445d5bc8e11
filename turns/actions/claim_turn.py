"""A lane takes its oldest waiting turn."""

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, OuterRef, Subquery
from django.db.models.functions import Coalesce

from groupx.kernel.clock import Clock
from groupx.kernel.ids import new_attempt_id
from rooms.actions.append_event import append_events
from rooms.bodies import TurnDispatched
from rooms.caller import SYSTEM
from rooms.new_event import NewEvent
from rooms.prepared import PreparedInsert, PreparedSelect
from rooms.queries import last_seq
from rooms.transactions import durable
from rooms.vocabulary import SourceKind
from turns.actions.cancel_turn import end_waiting_turn
from turns.actions.lane_status import show_lane
from turns.actions.pause_lane import pause_when_spent
from turns.models import Turn, TurnAttempt
from turns.pauses import NO_BUDGET, Budget, LanePause
from turns.queries.supervision import watched_by
from turns.queries.turns import find_turn
from turns.state import CommandType, LaneStatus, Transport, TurnStatus
from turns.transitions import move_turn


@dataclass(frozen=True, kw_only=True)
class ClaimedTurn:
    turn_id: str
    attempt_id: str
    source_event_id: str
    target_id: str
    correlation_id: str
    root_correlation_id: str
    context_through_seq: int


_ATTEMPTS_OF_TURN = (
    TurnAttempt.objects.filter(turn=OuterRef("pk")).order_by().values("turn").annotate(n=Count("*")).values("n")
)
_CLAIMED = ("turn_id", "room_id", "source_event_id", "correlation_id", "root_correlation_id")
_OLDEST_QUEUED = PreparedSelect(
    lambda actor_id: (
        Turn.objects.filter(
            target_id=actor_id, ended_at=None, status=TurnStatus.QUEUED.value, transport=Transport.STRUCTURED.value
        )
        .annotate(tried=Coalesce(Subquery(_ATTEMPTS_OF_TURN), 0))
        .order_by("enqueue_seq")
        .values_list(
            "turn_id", "room_id", "source_event_id", "correlation_id", "root_correlation_id", "tried", "command_type"
        )[:1]
    )
)
_INSERT_ATTEMPT = PreparedInsert(TurnAttempt)


@durable
def claim_turn(
    actor_id: str, lane_token: str, *, budget: Budget = NO_BUDGET, clock: Clock
) -> ClaimedTurn | LanePause | None:
    """Move the oldest queued turn of the agent to dispatching with a new prepared attempt; None if none waits.

    Fixes the seq up to which the agent will see the room. Nothing has left the lane after it. An agent that has used up
    its day is paused instead, whether or not anything waits.

    Raises:
        GroupXError: STORE_CONFLICT when another worker holds the lane.
    """
    if (pause := pause_when_spent(actor_id, lane_token, budget, clock=clock)) is not None:
        return pause
    found = _next_of(actor_id, clock)
    if found is None:
        return None
    turn_id, room_id, source_event_id, correlation_id, root_correlation_id, attempts, _ = found
    show_lane(actor_id, lane_token, LaneStatus.WORKING, clock=clock)
    move_turn(turn_id, TurnStatus.DISPATCHING, only_from=frozenset({TurnStatus.QUEUED}))
    attempt = TurnAttempt(
        attempt_id=new_attempt_id(),
        turn_id=turn_id,
        number=attempts + 1,
        lane_token=lane_token,
        context_through_seq=last_seq(room_id),
        prepared_at=clock.now(),
    )
    _INSERT_ATTEMPT.insert_rows([attempt])
    append_events(
        [
            NewEvent(
                body=TurnDispatched(turn_id=turn_id, target_actor_id=actor_id, attempt_id=attempt.attempt_id),
                actor=SYSTEM,
                source_kind=SourceKind.SYSTEM,
                correlation_id=correlation_id,
                root_correlation_id=root_correlation_id,
                causation_id=turn_id,
            )
        ],
        clock=clock,
    )
    return ClaimedTurn(
        turn_id=turn_id,
        attempt_id=attempt.attempt_id,
        source_event_id=source_event_id,
        target_id=actor_id,
        correlation_id=correlation_id,
        root_correlation_id=root_correlation_id,
        context_through_seq=attempt.context_through_seq,
    )


def _next_of(actor_id: str, clock: Clock) -> tuple[Any, ...] | None:
    """The oldest turn that waits. Watch turns that have nothing left to watch end on the way, before anything is sent:
    an agent would be paid for saying that it came too late."""
    while (found := _OLDEST_QUEUED.fetch_first(actor_id)) is not None:
        turn_id, *_, command_type = found
        if command_type != CommandType.WATCH or not all(turn.status.is_terminal for turn in watched_by(turn_id)):
            break
        end_waiting_turn(
            find_turn(turn_id), "What it was to watch had ended before it could begin; nothing was sent.", clock=clock
        )
    return found
