"""An observer looks at a worker's turn for the first time, and the room is told."""

from groupx.kernel.clock import Clock
from rooms.actions.append_event import append_events
from rooms.bodies import SupervisionObserved
from rooms.models import Event
from rooms.transactions import durable
from rooms.vocabulary import MAIN_ROOM
from turns.member import Member
from turns.queries.members import check_still_in_turn
from turns.supervision import WorkerTurn
from turns.supervision_event import supervision_event


@durable
def note_observed(subject: WorkerTurn, *, member: Member, clock: Clock) -> None:
    """Once for each watch turn and watched turn.

    Raises:
        GroupXError: SESSION_NOT_AVAILABLE.
    """
    check_still_in_turn(member.turn)
    key = f"watch:{member.turn.turn_id}:{subject.turn_id}"
    if Event.objects.filter(room_id=MAIN_ROOM, idempotency_key=key).exists():
        return
    observed = SupervisionObserved(
        watch_turn_id=member.turn.turn_id, subject_turn_id=subject.turn_id, target_actor_id=subject.target
    )
    append_events([supervision_event(observed, member, idempotency_key=key)], clock=clock)
