"""A message with targets, or work that the assistant hands out, enters the room: the event, a turn per target, all or
nothing; with observers also their watch turns."""

from collections.abc import Sequence
from dataclasses import dataclass

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.ids import new_correlation_id
from rooms.actions.append_event import append_events
from rooms.bodies import MessageCreated
from rooms.caller import Caller
from rooms.new_event import NewEvent
from rooms.operator_bodies import Operation, OperatorDispatch
from rooms.transactions import joins
from turns.actions.pair_turns import pair_turns
from turns.answers import MessageAccepted
from turns.member import CallersTurn
from turns.message_checks import check_call, check_forwarded, check_reply, check_size
from turns.new_turn import insert_turns, new_turn, shown_turn
from turns.pairing import pair, workers_among
from turns.queries.supervision import check_not_watched
from turns.requests import Supervision
from turns.roster import check_queues, check_queues_for_agents, resolve_targets
from turns.state import CommandType, SupervisionMode


@dataclass(frozen=True, kw_only=True)
class NewMessage:
    """What a person, an agent or the assistant wants to say, and to whom."""

    to: Sequence[str]
    content: str
    command_type: CommandType
    reply_to_event_id: str | None = None
    forwarded_event_id: str | None = None
    supervision: Supervision | None = None
    operation: Operation | None = None
    """Work that the assistant hands out: no message for everybody, but an operator.dispatch."""


def accept_message(
    message: NewMessage, *, caller: Caller, parent: CallersTurn | None = None, limits: Limits, clock: Clock
) -> MessageAccepted:
    """Append the message and queue its turns; gives what the caller sees (docs/protocol.md, "Messages").

    `parent` is the turn that an agent sends it from: the message belongs to its chain, and answers what that turn
    answers where no other message is named. Joins the transaction of `run_once`. Refused whole or taken whole.

    Raises:
        GroupXError: MESSAGE_TOO_LARGE, UNKNOWN_TARGET, NOT_FOUND (replyToEventId, forwardedEventId),
            QUEUE_CAPACITY_REACHED, SUPERVISION_PAIR_INVALID, SUPERVISION_STEER_REQUIRED; with a parent also what
            `check_call` refuses.
    """
    joins()
    check_size(message.content, limits)
    targets = resolve_targets(message.to, without=caller.actor.actor_id)
    observers: Sequence[str] = ()
    if message.supervision is not None:
        observers = resolve_targets(message.supervision.observers)
        targets = workers_among(targets, observers, wanted=message.to, caller=caller.actor.actor_id)
    called = [*targets, *observers]
    check_not_watched(called, parent)
    check_reply(message.reply_to_event_id)
    check_forwarded(message.forwarded_event_id)
    if parent is None:
        queues = check_queues(called, limits)
    else:
        check_call(parent, targets, message.command_type, limits, observers)
        queues = check_queues_for_agents(called, limits)

    event = _message_event(message, targets, caller, parent)
    workers = [new_turn(target, event, message.command_type, parent) for target in targets]
    answer: MessageAccepted = {
        "messageEventId": event.event_id,
        "correlationId": event.correlation_id,
        "turns": [shown_turn(turn, queues[turn.target]) for turn in workers],
    }
    events = [event, *(turn.queued for turn in workers)]
    if message.supervision is None:
        insert_turns(workers, append_events(events, clock=clock))
        return answer
    pairing = pair(event, workers, observers, SupervisionMode(message.supervision.mode), parent)
    insert_turns([*workers, *pairing.watchers], append_events([*events, *pairing.events], clock=clock))
    pair_turns(pairing, workers, clock=clock)
    return {
        **answer,
        "watchTurns": [shown_turn(turn, queues[turn.target]) for turn in pairing.watchers],
        "watchEventId": pairing.brief.event_id,
        "pairEventId": pairing.paired.event_id,
    }


def _message_event(message: NewMessage, targets: Sequence[str], caller: Caller, parent: CallersTurn | None) -> NewEvent:
    correlation_id = parent.correlation_id if parent else new_correlation_id()
    return NewEvent(
        body=_body(message, targets),
        actor=caller.actor,
        source_kind=caller.source_kind,
        correlation_id=correlation_id,
        root_correlation_id=parent.root_correlation_id if parent else correlation_id,
        causation_id=parent.turn_id if parent else None,
        to=targets,
        reply_to_event_id=message.reply_to_event_id or (parent.source_event_id if parent else None),
        forwarded_event_id=message.forwarded_event_id,
    )


def _body(message: NewMessage, targets: Sequence[str]) -> MessageCreated | OperatorDispatch:
    if message.operation is None:
        return MessageCreated(content=message.content)
    return OperatorDispatch(
        content=message.content,
        operation=message.operation,
        prompt_length=len(message.content),
        targets=tuple(targets),
    )
