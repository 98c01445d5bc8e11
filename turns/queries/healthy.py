"""Which agents can be asked something outside their turns."""

from rooms.prepared import PreparedSelect
from rooms.vocabulary import ActorKind
from turns.models import Lane
from turns.state import LaneStatus

_HEALTHY = PreparedSelect(
    lambda: (
        Lane.objects.filter(
            actor__kind=ActorKind.AGENT.value,
            actor__enabled=True,
            status__in=[LaneStatus.READY.value, LaneStatus.WORKING.value],
            pause_kind="",
        )
        .exclude(lane_token="")
        .order_by("actor__roster_position", "actor_id")
        .values_list("actor_id")
    )
)


def healthy_agents() -> list[str]:
    """In roster order: those whose lane is held by a worker, is ready or works, and does not pause."""
    return [actor_id for (actor_id,) in _HEALTHY.fetch_all()]
