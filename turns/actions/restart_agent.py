"""A person wants an agent's process replaced: asked for as a number that its lane compares."""

from django.db.models import F

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.models import Actor
from rooms.transactions import joins
from rooms.vocabulary import ActorKind
from turns.answers import RestartAccepted
from turns.models import Lane


def restart_agent(actor_id: str, *, clock: Clock) -> RestartAccepted:
    """Give `{actorId, accepted, previousInstanceId?}`; the lane does it. Joins the transaction of `run_once`.

    Raises:
        GroupXError: UNKNOWN_ACTOR for anything but an enabled agent.
    """
    joins()
    if not Actor.objects.filter(actor_id=actor_id, kind=ActorKind.AGENT.value, enabled=True).exists():
        raise GroupXError(ErrorCode.UNKNOWN_ACTOR, f"No enabled agent is called {actor_id}.")
    lane, _ = Lane.objects.get_or_create(actor_id=actor_id)
    Lane.objects.filter(actor_id=actor_id).update(
        restart_generation=F("restart_generation") + 1, changed_at=clock.now()
    )
    announce(LaneSignal(actor_id, LaneAction.RESTART))
    answer: RestartAccepted = {"actorId": actor_id, "accepted": True}
    if lane.instance_id:
        answer["previousInstanceId"] = lane.instance_id
    return answer
