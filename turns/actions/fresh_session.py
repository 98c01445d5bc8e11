"""A person wants an agent to go on without what its native session has gathered."""

from django.db.models import F

from groupx.kernel.clock import Clock
from rooms.actions.bind_session import leave_native_session
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.transactions import joins
from turns.answers import FreshSessionAccepted
from turns.models import Lane
from turns.roster import enabled_agent


def fresh_session(actor_id: str, *, clock: Clock) -> FreshSessionAccepted:
    """The agent's session ends, after the turn that it works on, and the next turn begins a fresh one, which is given
    the room anew. Nobody resumes the old one, whatever becomes of the lane meanwhile. Joins the transaction of
    `run_once`.

    Raises:
        GroupXError: UNKNOWN_ACTOR for anything but an enabled agent.
    """
    joins()
    Lane.objects.get_or_create(actor_id=enabled_agent(actor_id))
    leave_native_session(actor_id)
    Lane.objects.filter(actor_id=actor_id).update(fresh_generation=F("fresh_generation") + 1, changed_at=clock.now())
    announce(LaneSignal(actor_id, LaneAction.ORDERS))
    return {"actorId": actor_id, "accepted": True}
