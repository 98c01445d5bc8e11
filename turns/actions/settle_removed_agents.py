"""A run begins without some agents: what they left open ends, with a sentence."""

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from rooms.actions.append_event import append_events
from rooms.envelope import ActorRef
from rooms.models import Actor
from rooms.transactions import durable
from rooms.vocabulary import ActorKind
from turns.actions.end_agent_job import fail_open_jobs
from turns.actions.finish_turn import settle
from turns.job_ends import JobFailed
from turns.models import Lane, Turn
from turns.partial_text import kept_text
from turns.settlement import TurnOutcome, ended_without_attempt
from turns.state import DispatchPhase, LaneStatus, TurnStatus
from turns.transitions import move_turn


@durable
def settle_removed_agents(*, clock: Clock) -> int:
    """Agents that were taken out or disabled: running turns are interrupted, waiting ones cancelled.

    Runs at the start of a run, when no lane works; gives the number of turns settled.
    """
    removed = Actor.objects.filter(kind=ActorKind.AGENT.value, enabled=False)
    settled = 0
    for actor in removed:
        agent = ActorRef(actor_id=actor.actor_id, display_name=actor.display_name)
        settled += _settle_all(agent, clock)
        fail_open_jobs(actor.actor_id, JobFailed(ErrorCode.AGENT_REMOVED, _removed(agent)), clock=clock)
        Lane.objects.filter(actor=actor).update(status=LaneStatus.DISABLED.value, status_text="", lane_token="")
    return settled


def _removed(agent: ActorRef) -> str:
    return f"{agent.display_name} was taken out of the room."


def _settle_all(agent: ActorRef, clock: Clock) -> int:
    message = _removed(agent)
    count = 0
    for turn in Turn.objects.filter(target_id=agent.actor_id, ended_at=None).order_by("enqueue_seq"):
        attempt = turn.attempts.exclude(dispatch_phase=DispatchPhase.TERMINAL.value).select_related("turn").first()
        if attempt is not None:
            outcome = TurnOutcome(
                status=TurnStatus.INTERRUPTED,
                text=kept_text(attempt.attempt_id),
                error_code=ErrorCode.AGENT_REMOVED,
                message=message,
            )
            settle(attempt, agent, outcome, clock=clock)
        else:
            move_turn(
                turn.turn_id, TurnStatus.CANCELLED, ended_at=clock.now(), error_code=ErrorCode.AGENT_REMOVED.value
            )
            append_events(
                [ended_without_attempt(turn, TurnStatus.CANCELLED, ErrorCode.AGENT_REMOVED, message)], clock=clock
            )
        count += 1
    return count
