"""An agent's worker keeps dying before it gets anywhere: its card says so, and the room is told once."""

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from rooms.actions.record_failure import append_failure
from rooms.bodies import SystemFailure
from rooms.models import Actor
from rooms.transactions import durable
from rooms.vocabulary import ActorKind
from turns.actions.end_agent_job import fail_taken_jobs
from turns.actions.lane_status import announce_card
from turns.models import Lane
from turns.state import LaneStatus


@durable
def give_up_lane(actor_id: str, *, clock: Clock) -> None:
    """Show the failure on the card; a lane that comes up after all writes its own card over it (`take_lane`).

    Said for every further death. The event is written for the first one only: until the agent's card has said
    something else than this error (a turn has ended, its CLI failed).
    """
    agent = Actor.objects.filter(actor_id=actor_id, kind=ActorKind.AGENT.value, enabled=True).first()
    if agent is None:
        return
    lane, _ = Lane.objects.get_or_create(actor_id=actor_id)
    code = ErrorCode.START_FAILED.value
    was_told = (lane.last_error or {}).get("code") == code
    message = f"The worker of {agent.display_name} keeps ending soon after its start; it is tried again and again."
    Lane.objects.filter(actor_id=actor_id).update(
        status=LaneStatus.FAILED.value,
        status_text=message,
        last_error={"code": code, "message": message, "output": ""},
        worker_pid=None,
        instance=None,
        changed_at=clock.now(),
    )
    fail_taken_jobs(actor_id, clock=clock)
    announce_card(actor_id)
    if was_told:
        return
    failure = SystemFailure(
        error_code=code, message=message, hint="Its waiting turns stay queued. GroupX's log has its last words."
    )
    append_failure(failure, clock=clock)
