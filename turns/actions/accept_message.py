"""A message with targets enters the room: the message, a turn per target, all or nothing."""

from collections.abc import Sequence
from dataclasses import dataclass

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.ids import new_correlation_id, new_turn_id
from rooms.actions.append_event import append_events
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.bodies import MessageCreated
from rooms.caller import Caller
from rooms.models import Event
from rooms.new_event import NewEvent
from rooms.prepared import PreparedInsert
from rooms.transactions import joins
from rooms.vocabulary import MAIN_ROOM
from turns.answers import MessageAccepted, QueuedTurn
from turns.member import CallersTurn
from turns.message_checks import check_forwarded, check_reply, check_size
from turns.models import Turn
from turns.queries.members import check_still_in_turn
from turns.queued_event import turn_queued
from turns.roster import Queue, check_queues, resolve_targets
from turns.state import CommandType, Transport, TurnStatus

_INSERT_TURNS = PreparedInsert(Turn)


@dataclass(frozen=True, kw_only=True)
class NewMessage:
    """What a person or an agent wants to say, and to whom."""

    to: Sequence[str]
    content: str
    command_type: CommandType
    reply_to_event_id: str | None = None
    forwarded_event_id: str | None = None


def accept_message(
    message: NewMessage, *, caller: Caller, parent: CallersTurn | None = None, limits: Limits, clock: Clock
) -> MessageAccepted:
    """Append the message and queue its turns; gives what the caller sees (docs/protocol.md, "Messages").

    `parent` is the turn that an agent sends it from: the message belongs to its chain, and answers what that turn
    answers where no other message is named. Joins the transaction of `run_once`. Refused whole or taken whole.

    Raises:
        GroupXError: SESSION_NOT_AVAILABLE (the parent has ended or is being cancelled), MESSAGE_TOO_LARGE,
            UNKNOWN_TARGET, NOT_FOUND (replyToEventId, forwardedEventId), QUEUE_CAPACITY_REACHED.
    """
    joins()
    if parent is not None:
        check_still_in_turn(parent)
    check_size(message.content, limits)
    targets = resolve_targets(message.to, without=caller.actor.actor_id)
    check_reply(message.reply_to_event_id)
    check_forwarded(message.forwarded_event_id)
    queues = check_queues(targets, limits)

    event = _message_event(message, targets, caller, parent)
    turn_ids = {target: new_turn_id() for target in targets}
    queued = [
        turn_queued(
            turn_id,
            target,
            correlation_id=event.correlation_id,
            root_correlation_id=event.root_correlation_id,
            causation_id=event.event_id,
        )
        for target, turn_id in turn_ids.items()
    ]
    events = append_events([event, *queued], clock=clock)
    _INSERT_TURNS.insert_rows(_turns(turn_ids, event, events[1:], message.command_type, parent))
    for target in targets:
        announce(LaneSignal(target, LaneAction.WAKE))
    return {
        "messageEventId": event.event_id,
        "correlationId": event.correlation_id,
        "turns": [_queued_turn(target, turn_id, queues[target]) for target, turn_id in turn_ids.items()],
    }


def _message_event(message: NewMessage, targets: Sequence[str], caller: Caller, parent: CallersTurn | None) -> NewEvent:
    correlation_id = parent.correlation_id if parent else new_correlation_id()
    return NewEvent(
        body=MessageCreated(content=message.content),
        actor=caller.actor,
        source_kind=caller.source_kind,
        correlation_id=correlation_id,
        root_correlation_id=parent.root_correlation_id if parent else correlation_id,
        causation_id=parent.turn_id if parent else None,
        to=targets,
        reply_to_event_id=message.reply_to_event_id or (parent.source_event_id if parent else None),
        forwarded_event_id=message.forwarded_event_id,
    )


def _turns(
    turn_ids: dict[str, str],
    message: NewEvent,
    queued: Sequence[Event],
    command_type: CommandType,
    parent: CallersTurn | None,
) -> list[Turn]:
    return [
        Turn(
            turn_id=turn_id,
            room_id=MAIN_ROOM,
            source_event_id=message.event_id,
            target_id=target,
            enqueue_seq=event.seq,
            correlation_id=message.correlation_id,
            root_correlation_id=message.root_correlation_id,
            parent_turn_id=parent.turn_id if parent else None,
            hop_count=parent.hop_count + 1 if parent else 0,
            command_type=command_type.value,
            created_at=event.occurred_at,
        )
        for (target, turn_id), event in zip(turn_ids.items(), queued, strict=True)
    ]


def _queued_turn(target: str, turn_id: str, queue: Queue) -> QueuedTurn:
    shown: QueuedTurn = {
        "target": target,
        "turnId": turn_id,
        "status": TurnStatus.QUEUED,
        "transport": Transport.STRUCTURED,
        "queuePosition": queue.length,
    }
    if queue.active_turn_id:
        shown["activeTurnId"] = queue.active_turn_id
    return shown
