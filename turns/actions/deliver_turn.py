"""The point of no return, and what is seen right after it.

`mark_prompt_invoked` commits before the first byte of the prompt is written, durable against power loss: from
then on recovery never sends this prompt again, whatever it may or may not have reached.
"""

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from memory.packet import ContextPacket
from rooms.actions.append_event import append_events
from rooms.bodies import TurnStarted
from rooms.envelope import ActorRef
from rooms.new_event import NewEvent
from rooms.prepared import PreparedInsert, PreparedUpdate
from rooms.transactions import durable, durable_to_disk
from rooms.vocabulary import SourceKind
from turns.actions.move_cursor import move_cursor
from turns.fencing import open_attempt
from turns.models import AttemptPacket, TurnAttempt
from turns.partial_text import add_piece
from turns.state import DeliveryCertainty, DispatchPhase, TurnStatus
from turns.transitions import move_turn

_INVOKE = PreparedUpdate(
    lambda attempt_id: TurnAttempt.objects.filter(attempt_id=attempt_id, dispatch_phase=DispatchPhase.PREPARED.value),
    "dispatch_phase",
    "delivery_certainty",
    "binding",
    "instance",
    "context_after_seq",
    "summary_through_seq",
    "invoked_at",
)
_START = PreparedUpdate(
    lambda attempt_id: TurnAttempt.objects.filter(
        attempt_id=attempt_id, dispatch_phase=DispatchPhase.PROMPT_INVOKED.value
    ),
    "dispatch_phase",
    "delivery_certainty",
    "native_turn_id",
    "started_at",
)
_INSERT_PACKET = PreparedInsert(AttemptPacket)


@durable_to_disk
def mark_prompt_invoked(
    attempt_id: str,
    lane_token: str,
    *,
    binding_id: str,
    instance_id: str,
    packet: ContextPacket,
    clock: Clock,
) -> None:
    """prepared + not_delivered becomes prompt_invoked + unknown, with the packet that is about to be sent.

    Raises:
        GroupXError: STORE_CONFLICT when the turn is not dispatching any more (it was cancelled) or another
            worker holds the lane. Nothing may be sent then.
    """
    attempt = open_attempt(attempt_id, lane_token)
    if attempt.turn.status is not TurnStatus.DISPATCHING:
        raise _not_waiting()
    moved = _INVOKE.update_rows(
        attempt_id,
        dispatch_phase=DispatchPhase.PROMPT_INVOKED.value,
        delivery_certainty=DeliveryCertainty.UNKNOWN.value,
        binding=binding_id,
        instance=instance_id,
        context_after_seq=packet.after_seq,
        summary_through_seq=packet.summary_through_seq,
        invoked_at=clock.now(),
    )
    if moved != 1:
        raise _not_waiting()
    _INSERT_PACKET.insert_rows([AttemptPacket(attempt_id=attempt_id, text=packet.text, omissions=packet.omissions)])


@durable
def mark_started(
    attempt_id: str, lane_token: str, agent: ActorRef, *, native_turn_id: str | None, clock: Clock
) -> None:
    """The agent has the prompt: native_started + delivered, turn.started, and its cursor moves.

    A turn that is being cancelled stays cancelling; it has started all the same.
    """
    attempt = open_attempt(attempt_id, lane_token)
    turn = attempt.turn
    moved = _START.update_rows(
        attempt_id,
        dispatch_phase=DispatchPhase.NATIVE_STARTED.value,
        delivery_certainty=DeliveryCertainty.DELIVERED.value,
        native_turn_id=native_turn_id,
        started_at=clock.now(),
    )
    if moved != 1:
        raise GroupXError(ErrorCode.STORE_CONFLICT, "This attempt has already started or never was sent.")
    if turn.status is TurnStatus.DISPATCHING:
        move_turn(turn.turn_id, TurnStatus.RUNNING)
    append_events(
        [
            NewEvent(
                body=TurnStarted(turn_id=turn.turn_id, target_actor_id=turn.target_id, attempt_id=attempt_id),
                actor=agent,
                source_kind=SourceKind.ADAPTER,
                correlation_id=turn.correlation_id,
                root_correlation_id=turn.root_correlation_id,
                causation_id=turn.turn_id,
            )
        ],
        clock=clock,
    )
    move_cursor(attempt)


@durable
def save_partial_text(attempt_id: str, lane_token: str, text: str) -> int:
    """What a crash may not take: the text since the last save, written every 2 s or 32 KiB while a turn streams.

    Gives the number of this piece.

    Raises:
        GroupXError: STORE_CONFLICT when it has ended or another worker holds the lane.
    """
    return add_piece(open_attempt(attempt_id, lane_token).attempt_id, text)


def _not_waiting() -> GroupXError:
    return GroupXError(ErrorCode.STORE_CONFLICT, "The turn is not waiting for its prompt any more.")
