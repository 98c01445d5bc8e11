"""A compaction is about to pass completed turns of which their agents have not yet kept what is worth keeping."""

from groupx.kernel.clock import Clock
from memory.models import RollupSource, RollupState
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.transactions import durable


@durable
def ask_for_rollups(through_seq: int, *, clock: Clock) -> list[str]:
    """Want the memory of each (agent, day) with pending sources up to this seq written now; gives the agents.

    Nobody waits for it: a source points into the transcript, which stays.
    """
    pending = RollupSource.objects.filter(rolled_at=None, seq__lte=through_seq)
    days = sorted(pending.values_list("actor_id", "day").distinct())
    for actor_id, day in days:
        state, _ = RollupState.objects.get_or_create(actor_id=actor_id, day=day)
        RollupState.objects.filter(pk=state.pk, asked_at=None).update(asked_at=clock.now())
    agents = sorted({actor_id for actor_id, _ in days})
    for actor_id in agents:
        announce(LaneSignal(actor_id, LaneAction.ORDERS))
    return agents
