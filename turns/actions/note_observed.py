"""An observer looks at a worker's turn for the first time, and the room is told."""

from groupx.kernel.clock import Clock
from rooms.actions.append_event import append_events
from rooms.bodies import SupervisionObserved
from rooms.models import Event
from rooms.new_event import NewEvent
from rooms.transactions import durable
from rooms.vocabulary import MAIN_ROOM, SourceKind
from turns.member import Member
from turns.queries.members import check_still_in_turn
from turns.supervision import WorkerTurn


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
    event = NewEvent(
        body=SupervisionObserved(
            watch_turn_id=member.turn.turn_id, subject_turn_id=subject.turn_id, target_actor_id=subject.target
        ),
        actor=member.caller.actor,
        source_kind=SourceKind.SUPERVISION,
        correlation_id=member.turn.correlation_id,
        root_correlation_id=member.turn.root_correlation_id,
        causation_id=member.turn.turn_id,
        idempotency_key=key,
    )
    append_events([event], clock=clock)
