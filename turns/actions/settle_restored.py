"""A room begins again from a backup: what was open in it ends, nothing is sent again, agents start fresh.

A turn that waits or runs in a backup may have run to its end since the backup was made. Nobody can know, so none of
them is started by itself (docs/decisions.md, "Rules").
"""

from dataclasses import dataclass
from datetime import datetime

from groupx.kernel.clock import Clock, on_the_wall
from groupx.kernel.errors import ErrorCode
from rooms.actions.append_event import append_events
from rooms.actions.bind_session import forget_native_sessions
from rooms.actions.record_failure import append_failure
from rooms.actions.seed_room import renew_epoch
from rooms.bodies import SystemFailure
from rooms.envelope import ActorRef
from rooms.models import Event
from rooms.transactions import durable
from rooms.vocabulary import MAIN_ROOM
from turns.actions.end_agent_job import fail_open_jobs
from turns.actions.finish_turn import settle
from turns.job_ends import JobFailed
from turns.models import Lane, Turn
from turns.partial_text import kept_text
from turns.settlement import TurnOutcome, ended_without_attempt
from turns.state import DispatchPhase, LaneStatus, TurnStatus
from turns.transitions import move_turn

CODE = ErrorCode.ROOM_RESTORED
WAITED = "This turn was waiting when the backup was made. It may have run since, so it is not started by itself: Retry."
RAN = "This turn was running when the backup was made; how it went on is not known here."
HINT = "Look at what was done, then retry; nothing is sent again by itself."


@dataclass(frozen=True, kw_only=True)
class RestoredRoom:
    settled_turns: int
    ends_at: datetime | None
    """When the last event before the restore happened."""


@durable
def settle_restored(*, clock: Clock) -> RestoredRoom:
    """Make a copied database the room's own: a new epoch, no open turn, no lane, no session to resume, and say so."""
    ends_at = Event.objects.filter(room_id=MAIN_ROOM).order_by("-seq").values_list("occurred_at", flat=True).first()
    renew_epoch()
    settled = [_settle(turn, clock) for turn in Turn.objects.filter(ended_at=None).order_by("enqueue_seq")]
    fail_open_jobs(None, JobFailed(CODE, "The room was restored from a backup meanwhile."), clock=clock)
    forget_native_sessions(clock=clock)
    Lane.objects.update(
        lane_token="",
        worker_pid=None,
        instance=None,
        status=LaneStatus.STOPPED.value,
        status_text="",
        last_error=None,
        changed_at=clock.now(),
    )
    _say(ends_at, len(settled), clock)
    return RestoredRoom(settled_turns=len(settled), ends_at=ends_at)


def _settle(turn: Turn, clock: Clock) -> None:
    attempt = turn.attempts.exclude(dispatch_phase=DispatchPhase.TERMINAL.value).select_related("turn").first()
    if attempt is not None:
        agent = ActorRef(actor_id=turn.target_id, display_name=turn.target.display_name)
        outcome = TurnOutcome(
            status=TurnStatus.INTERRUPTED, text=kept_text(attempt.attempt_id), error_code=CODE, message=RAN, hint=HINT
        )
        settle(attempt, agent, outcome, clock=clock)
        return
    waited = turn.status == TurnStatus.QUEUED.value
    status, message = (TurnStatus.CANCELLED, WAITED) if waited else (TurnStatus.INTERRUPTED, RAN)
    move_turn(turn.turn_id, status, ended_at=clock.now(), error_code=CODE.value, message=message)
    append_events([ended_without_attempt(turn, status, CODE, message)], clock=clock)


def _say(ends_at: datetime | None, settled: int, clock: Clock) -> None:
    until = f" that ends {on_the_wall(ends_at)}" if ends_at else ""
    message = f"This room was restored from a backup{until}. Agents start with fresh sessions."
    if settled:
        message = f"{message} Turns that were open in it have ended: {settled}."
    append_failure(SystemFailure(error_code=CODE.value, message=message), clock=clock)
