"""A person lets an agent go on: past a pause, or by trying once more what has failed."""

from django.db.models import F

from groupx.kernel.clock import Clock
from groupx.kernel.days import LocalDays
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.transactions import joins
from turns.actions.pause_lane import NO_PAUSE
from turns.answers import ResumeAccepted
from turns.models import Lane
from turns.queries.usage import spent_since
from turns.roster import enabled_agent
from turns.state import LaneStatus, PauseKind

TRIED_AGAIN = frozenset({LaneStatus.FAILED, LaneStatus.NATIVE_POLICY_BLOCKED})
"""A lane that has given its agent up tries again at once."""


def resume_agent(actor_id: str, *, days: LocalDays, clock: Clock) -> ResumeAccepted:
    """End the pause; its lane goes on. After a spend limit the agent may use another limit's worth today: what it has
    used by now does not count any more. Joins the transaction of `run_once`.

    Raises:
        GroupXError: UNKNOWN_ACTOR for anything but an enabled agent.
    """
    joins()
    lane, _ = Lane.objects.get_or_create(actor_id=enabled_agent(actor_id))
    if not lane.pause_kind and lane.status not in TRIED_AGAIN:
        return {"actorId": actor_id, "accepted": False}
    now = clock.now()
    changes = {**NO_PAUSE, "resume_generation": F("resume_generation") + 1, "changed_at": now}
    if lane.pause_kind == PauseKind.SPEND_LIMIT:
        used = spent_since(actor_id, days.start_of(days.day_of(now)), days.end_of(now))
        changes |= {
            "went_on_day": days.day_of(now),
            "went_on_tokens": used.tokens,
            "went_on_cost_usd": used.cost_usd,
        }
    Lane.objects.filter(actor_id=actor_id).update(**changes)
    announce(LaneSignal(actor_id, LaneAction.ORDERS))
    answer: ResumeAccepted = {"actorId": actor_id, "accepted": True}
    if lane.pause_kind:
        answer["pausedFor"] = PauseKind(lane.pause_kind)
    return answer
