"""A person wants an agent's process replaced: asked for as a number that its lane compares."""

from django.db.models import F

from groupx.kernel.clock import Clock
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.transactions import joins
from turns.actions.pause_lane import NO_PAUSE
from turns.answers import RestartAccepted
from turns.models import Lane
from turns.roster import enabled_agent
from turns.state import PauseKind


def restart_agent(actor_id: str, *, clock: Clock) -> RestartAccepted:
    """Give `{actorId, accepted, previousInstanceId?}`; the lane does it. A rate limit is tried at once, a spend limit
    stays. Joins the transaction of `run_once`.

    Raises:
        GroupXError: UNKNOWN_ACTOR for anything but an enabled agent.
    """
    joins()
    lane, _ = Lane.objects.get_or_create(actor_id=enabled_agent(actor_id))
    changes = {} if lane.pause_kind == PauseKind.SPEND_LIMIT else NO_PAUSE
    Lane.objects.filter(actor_id=actor_id).update(
        **changes, restart_generation=F("restart_generation") + 1, changed_at=clock.now()
    )
    announce(LaneSignal(actor_id, LaneAction.ORDERS))
    answer: RestartAccepted = {"actorId": actor_id, "accepted": True}
    if lane.instance_id:
        answer["previousInstanceId"] = lane.instance_id
    return answer
