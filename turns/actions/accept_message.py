"""A message with targets enters the room: the message, a turn per target, all or nothing."""

from collections.abc import Sequence

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError, invalid
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
from turns.answers import MessageAccepted
from turns.models import Turn
from turns.queued_event import turn_queued
from turns.requests import SendMessage
from turns.roster import check_queues, resolve_targets
from turns.state import Transport, TurnStatus

_INSERT_TURNS = PreparedInsert(Turn)


def accept_message(command: SendMessage, *, caller: Caller, limits: Limits, clock: Clock) -> MessageAccepted:
    """Append the message and queue its turns; gives what the caller sees (docs/protocol.md, "Messages").

    Joins the transaction of `run_once`. Refused whole or taken whole.

    Raises:
        GroupXError: MESSAGE_TOO_LARGE, UNKNOWN_TARGET, NOT_FOUND (replyToEventId), QUEUE_CAPACITY_REACHED.
    """
    joins()
    _check_size(command.content, limits)
    if command.supervision is not None:
        raise invalid("Observers are not available in this version.", "supervision")
    targets = resolve_targets(command.to)
    _check_reply(command.reply_to_event_id)
    check_queues(targets, limits)

    correlation_id = new_correlation_id()
    message = NewEvent(
        body=MessageCreated(content=command.content),
        actor=caller.actor,
        source_kind=caller.source_kind,
        correlation_id=correlation_id,
        root_correlation_id=correlation_id,
        to=targets,
        reply_to_event_id=command.reply_to_event_id,
    )
    turn_ids = {target: new_turn_id() for target in targets}
    queued = [
        turn_queued(
            turn_id,
            target,
            correlation_id=correlation_id,
            root_correlation_id=correlation_id,
            causation_id=message.event_id,
        )
        for target, turn_id in turn_ids.items()
    ]
    events = append_events([message, *queued], clock=clock)
    _INSERT_TURNS.insert_rows(_turns(turn_ids, message, events[1:]))
    for target in targets:
        announce(LaneSignal(target, LaneAction.WAKE))
    return {
        "messageEventId": message.event_id,
        "correlationId": correlation_id,
        "turns": [
            {
                "target": target,
                "turnId": turn_id,
                "status": TurnStatus.QUEUED.value,
                "transport": Transport.STRUCTURED.value,
            }
            for target, turn_id in turn_ids.items()
        ],
    }


def _check_size(content: str, limits: Limits) -> None:
    if len(content) > limits.message_characters:
        raise GroupXError(
            ErrorCode.MESSAGE_TOO_LARGE,
            f"The message has {len(content):,} characters; at most {limits.message_characters:,} are taken.",
            issues=[{"path": "content", "message": f"at most {limits.message_characters} characters"}],
        )


def _check_reply(event_id: str | None) -> None:
    if event_id is not None and not Event.objects.filter(event_id=event_id, room_id=MAIN_ROOM).exists():
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            "The message that this one replies to is not in the room.",
            issues=[{"path": "replyToEventId", "message": "no such event"}],
        )


def _turns(turn_ids: dict[str, str], message: NewEvent, queued: Sequence[Event]) -> list[Turn]:
    return [
        Turn(
            turn_id=turn_id,
            room_id=MAIN_ROOM,
            source_event_id=message.event_id,
            target_id=target,
            enqueue_seq=event.seq,
            correlation_id=message.correlation_id,
            root_correlation_id=message.root_correlation_id,
            command_type="message",
            created_at=event.occurred_at,
        )
        for (target, turn_id), event in zip(turn_ids.items(), queued, strict=True)
    ]
