"""A lane begins: it takes the lane over and settles what its predecessor left, before it claims anything."""

from dataclasses import replace

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from rooms.actions.append_event import append_events
from rooms.envelope import ActorRef
from rooms.transactions import durable
from turns.actions.end_agent_job import fail_taken_jobs
from turns.actions.finish_turn import settle
from turns.actions.release_turn import put_back
from turns.models import Lane, Turn, TurnAttempt
from turns.partial_text import kept_text
from turns.queries.lane import Asked
from turns.recovery import Verdict, decide
from turns.settlement import TurnOutcome, ended_without_attempt
from turns.state import WITH_A_LANE, DeliveryCertainty, DispatchPhase, LaneStatus, Transport, TurnStatus
from turns.transitions import move_turn


@durable
def take_lane(actor_id: str, lane_token: str, pid: int, *, clock: Clock) -> Asked:
    """Make this worker the lane's only writer; gives what had been asked of the lane before."""
    lane, _ = Lane.objects.get_or_create(actor_id=actor_id)
    lane.lane_token, lane.worker_pid, lane.instance = lane_token, pid, None
    lane.status, lane.status_text, lane.changed_at = LaneStatus.STARTING.value, "", clock.now()
    lane.save()
    fail_taken_jobs(actor_id, clock=clock)
    return Asked(lane.restart_generation, lane.resume_generation, lane.fresh_generation)


@durable
def recover_turns(agent: ActorRef, *, clock: Clock) -> list[tuple[str, Verdict]]:
    """Apply the crash table to the agent's unfinished turns; gives (turn id, verdict) of each."""
    decided = []
    turns = Turn.objects.filter(target_id=agent.actor_id, ended_at=None, status__in=[s.value for s in WITH_A_LANE])
    for turn in turns.order_by("enqueue_seq"):
        attempt = (
            TurnAttempt.objects.select_related("turn")
            .filter(turn=turn)
            .exclude(dispatch_phase=DispatchPhase.TERMINAL.value)
            .first()
        )
        verdict = decide(
            TurnStatus(turn.status),
            DispatchPhase(attempt.dispatch_phase) if attempt else None,
            DeliveryCertainty(attempt.delivery_certainty) if attempt else None,
            Transport(turn.transport),
        )
        if attempt is None:
            _settle_without_attempt(verdict, turn, clock)
        else:
            here = replace(agent, instance_id=attempt.instance_id)
            _apply(verdict, turn, attempt, here, clock)
        decided.append((turn.turn_id, verdict))
    return decided


def _settle_without_attempt(verdict: Verdict, turn: Turn, clock: Clock) -> None:
    if verdict is Verdict.REQUEUE:  # dispatching: the two are written together, so nothing was sent
        move_turn(turn.turn_id, TurnStatus.QUEUED)
        return
    code, message = (
        ErrorCode.TURN_INTERRUPTED,
        "It is not known what became of this turn. It may have been done in part.",
    )
    move_turn(turn.turn_id, TurnStatus.INTERRUPTED, ended_at=clock.now(), error_code=code.value, message=message)
    append_events([ended_without_attempt(turn, TurnStatus.INTERRUPTED, code, message)], clock=clock)


def _apply(verdict: Verdict, turn: Turn, attempt: TurnAttempt, agent: ActorRef, clock: Clock) -> None:
    match verdict:
        case Verdict.REQUEUE:
            put_back(attempt, clock=clock)
        case Verdict.CANCEL:
            settle(attempt, agent, cancelled_before_delivery(), clock=clock)
        case Verdict.FAIL_TRANSPORT:
            settle(
                attempt,
                agent,
                TurnOutcome(
                    status=TurnStatus.FAILED,
                    error_code=ErrorCode.TRANSPORT_MODE_MISMATCH,
                    message="This turn was queued for another transport than the room runs with; nothing was sent.",
                ),
                clock=clock,
            )
        case Verdict.INTERRUPT:
            settle(attempt, agent, lost_with_its_worker(attempt), clock=clock)
        case Verdict.LEAVE:
            pass


def cancelled_before_delivery() -> TurnOutcome:
    return TurnOutcome(
        status=TurnStatus.CANCELLED,
        error_code=ErrorCode.TURN_CANCELLED,
        message="The turn was cancelled before anything was sent to the agent.",
    )


def lost_with_its_worker(attempt: TurnAttempt) -> TurnOutcome:
    return TurnOutcome(
        status=TurnStatus.INTERRUPTED,
        text=kept_text(attempt.attempt_id),
        error_code=ErrorCode.TURN_INTERRUPTED,
        message="The worker of this agent ended while the turn was running. The agent may have done part of it.",
        hint="Look at what was done, then retry; nothing is sent again by itself.",
    )
