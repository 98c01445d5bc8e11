"""An asker waits no more and wants no answer: the turns that its `ask` started shall stop."""

from groupx.kernel.clock import Clock
from rooms.transactions import durable
from turns.actions.cancel_turn import cancel_turn
from turns.models import Turn
from turns.state import CommandType


@durable
def cancel_asked(message_event_id: str, *, clock: Clock) -> None:
    """Cancel those that have not ended. A person's retry of one of them goes on."""
    open_turns = Turn.objects.filter(
        source_event_id=message_event_id,
        command_type__in=(CommandType.ASK.value, CommandType.WORKER_ASK.value),
        ended_at=None,
    )
    for turn_id in list(open_turns.order_by("enqueue_seq").values_list("turn_id", flat=True)):
        cancel_turn(turn_id, clock=clock)
