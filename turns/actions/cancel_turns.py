"""Many turns shall stop at once: those of some agents, or of one conversation."""

from collections.abc import Sequence

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError, issue
from rooms.models import Event
from rooms.transactions import joins
from rooms.vocabulary import MAIN_ROOM
from turns.actions.cancel_turn import cancel_turn
from turns.models import Turn
from turns.operator_answers import TurnsCancelled
from turns.roster import resolve_targets

MOST_AT_ONCE = 200


def cancel_turns(wanted: Sequence[str] | None, correlation_id: str | None, *, clock: Clock) -> TurnsCancelled:
    """Cancel the open turns of these agents, in this conversation where one is named; the newest first, so
    that none begins when the one before it ends. Joins the transaction of `run_once`.

    Raises:
        GroupXError: UNKNOWN_TARGET; NOT_FOUND for a conversation of which nothing is in the room.
    """
    joins()
    open_turns = Turn.objects.filter(ended_at=None)
    if wanted is not None:
        open_turns = open_turns.filter(target_id__in=resolve_targets(wanted))
    if correlation_id is not None:
        if not Event.objects.filter(room_id=MAIN_ROOM, correlation_id=correlation_id).exists():
            raise GroupXError(
                ErrorCode.NOT_FOUND,
                f"Nothing in the room belongs to the correlation “{correlation_id}”.",
                issues=[issue("correlationId", "no such correlation")],
            )
        open_turns = open_turns.filter(root_correlation_id=correlation_id)
    found = list(open_turns.order_by("-enqueue_seq").values_list("turn_id", flat=True)[: MOST_AT_ONCE + 1])
    return {
        "turns": [cancel_turn(turn_id, clock=clock) for turn_id in found[:MOST_AT_ONCE]],
        "hasMore": len(found) > MOST_AT_ONCE,
    }
