"""Which agents can be asked something outside their turns."""

from django.db.models import Exists, OuterRef

from rooms.prepared import PreparedSelect
from rooms.vocabulary import ActorKind
from turns.models import AgentJob, Lane
from turns.state import JobStatus, LaneStatus

_TAKEN = AgentJob.objects.filter(actor_id=OuterRef("actor_id"), status=JobStatus.TAKEN.value)
_HEALTHY = PreparedSelect(
    lambda: (
        Lane.objects.filter(
            actor__kind=ActorKind.AGENT.value,
            actor__enabled=True,
            status__in=[LaneStatus.READY.value, LaneStatus.WORKING.value],
            pause_kind="",
        )
        .exclude(lane_token="")
        .annotate(is_busy=Exists(_TAKEN))
        .order_by("is_busy", "actor__roster_position", "actor_id")
        .values_list("actor_id", "actor__display_name")
    )
)


def healthy_agents() -> dict[str, str]:
    """Ids with names, in roster order: those whose lane is held by a worker, is ready or works, and does not pause.
    Last those that are at another job: they take none before its end."""
    return dict(_HEALTHY.fetch_all())
