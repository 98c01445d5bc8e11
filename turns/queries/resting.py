"""Which agents take up nothing now, and why: for who has just given them something to do."""

from collections.abc import Iterable

from groupx.kernel.clock import iso
from rooms.prepared import PreparedSelect
from turns.models import Lane
from turns.state import RESTING, LaneStatus

_LANE = PreparedSelect(
    lambda actor_id: Lane.objects.filter(actor_id=actor_id).values_list("status", "status_text", "paused_until")
)


def resting_agents(actor_ids: Iterable[str]) -> dict[str, str]:
    """Of these agents those whose turns wait, each with a sentence that says why."""
    found = {}
    for actor_id in actor_ids:
        status, words, paused_until = _LANE.fetch_first(actor_id) or (LaneStatus.STOPPED.value, "", None)
        if status in RESTING:
            until = f" It goes on at {iso(paused_until)}." if paused_until else ""
            found[actor_id] = f"{actor_id} takes up nothing now: {words.rstrip('.') or status}.{until} Its turn waits."
    return found
