"""A person asks for another try: a new turn for the same message, caused by the old one."""

from django.db import IntegrityError, transaction

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import new_turn_id
from rooms.actions.append_event import append_events
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.transactions import joins
from turns.actions.pair_turns import join_pairing
from turns.answers import RetryAccepted
from turns.models import Turn
from turns.queries.turns import find_turn
from turns.queued_event import turn_queued
from turns.roster import check_queues, resolve_targets
from turns.state import CommandType, TurnStatus


def retry_turn(turn_id: str, *, limits: Limits, clock: Clock) -> RetryAccepted:
    """Queue a new turn; the old one stays as it ended. Joins the transaction of `run_once`.

    Raises:
        GroupXError: NOT_FOUND; STORE_CONFLICT for a completed or still open turn; DUPLICATE_DISPATCH for a
            second retry of the same turn; UNKNOWN_TARGET and QUEUE_CAPACITY_REACHED as for a message.
    """
    joins()
    old = find_turn(turn_id)
    if not TurnStatus(old.status).is_retryable:
        raise GroupXError(ErrorCode.STORE_CONFLICT, f"A turn that is {old.status} is not tried again.")
    if old.retries.exists():
        raise _tried_before()
    resolve_targets([old.target_id])
    check_queues([old.target_id], limits)
    new_id = new_turn_id()
    is_watch = old.command_type == CommandType.WATCH  # and stays one: its agent is given the same packet and tools
    [queued] = append_events(
        [
            turn_queued(
                new_id,
                old.target_id,
                correlation_id=old.correlation_id,
                root_correlation_id=old.root_correlation_id,
                causation_id=old.turn_id,
            )
        ],
        clock=clock,
    )
    try:
        with transaction.atomic():
            Turn.objects.create(
                turn_id=new_id,
                room_id=old.room_id,
                source_event_id=old.source_event_id,
                target_id=old.target_id,
                transport=old.transport,
                enqueue_seq=queued.seq,
                correlation_id=old.correlation_id,
                root_correlation_id=old.root_correlation_id,
                parent_turn_id=old.parent_turn_id,
                hop_count=old.hop_count,
                retry_of=old,
                command_type=(CommandType.WATCH if is_watch else CommandType.RETRY).value,
                created_at=queued.occurred_at,
            )
    except IntegrityError:  # another retry of it won: UNIQUE(retry_of)
        raise _tried_before() from None
    join_pairing(new_id, old.turn_id)
    announce(LaneSignal(old.target_id, LaneAction.WAKE))
    return {
        "turnId": new_id,
        "retryOf": turn_id,
        "target": old.target_id,
        "status": TurnStatus.QUEUED.value,
        "transport": old.transport,
    }


def _tried_before() -> GroupXError:
    return GroupXError(ErrorCode.DUPLICATE_DISPATCH, "This turn was already tried again. Retry the newer one.")
