"""Turns that begin to wait in their agents' queues: the event that tells of each, and its row."""

from collections.abc import Sequence
from dataclasses import dataclass

from groupx.kernel.ids import new_turn_id
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.models import Event
from rooms.new_event import NewEvent
from rooms.prepared import PreparedInsert
from rooms.transactions import joins
from rooms.vocabulary import MAIN_ROOM
from turns.answers import QueuedTurn
from turns.member import CallersTurn
from turns.member_answers import SentTurn
from turns.models import Turn
from turns.queued_event import turn_queued
from turns.roster import Queue
from turns.state import CommandType, Transport, TurnStatus

_INSERT_TURNS = PreparedInsert(Turn)


@dataclass(frozen=True, kw_only=True)
class NewTurn:
    """`queued` is to be appended; its seq becomes the turn's place in its lane."""

    turn_id: str
    target: str
    source: NewEvent
    queued: NewEvent
    command_type: CommandType
    parent: CallersTurn | None


def new_turn(
    target: str,
    source: NewEvent,
    command_type: CommandType,
    parent: CallersTurn | None,
    *,
    causation_id: str | None = None,
) -> NewTurn:
    """A turn for the message `source`, which has caused it unless another event has."""
    turn_id = new_turn_id()
    queued = turn_queued(
        turn_id,
        target,
        correlation_id=source.correlation_id,
        root_correlation_id=source.root_correlation_id,
        causation_id=causation_id or source.event_id,
    )
    return NewTurn(
        turn_id=turn_id, target=target, source=source, queued=queued, command_type=command_type, parent=parent
    )


def insert_turns(turns: Sequence[NewTurn], appended: Sequence[Event]) -> None:
    """`appended` has their events. Wakes their lanes after the commit; joins the caller's transaction."""
    joins()
    events = {event.event_id: event for event in appended}
    _INSERT_TURNS.insert_rows([_row(turn, events[turn.queued.event_id]) for turn in turns])
    for turn in turns:
        announce(LaneSignal(turn.target, LaneAction.WAKE))


def _row(turn: NewTurn, queued: Event) -> Turn:
    return Turn(
        turn_id=turn.turn_id,
        room_id=MAIN_ROOM,
        source_event_id=turn.source.event_id,
        target_id=turn.target,
        enqueue_seq=queued.seq,
        correlation_id=turn.source.correlation_id,
        root_correlation_id=turn.source.root_correlation_id,
        parent_turn_id=turn.parent.turn_id if turn.parent else None,
        hop_count=turn.parent.hop_count + 1 if turn.parent else 0,
        command_type=turn.command_type.value,
        created_at=queued.occurred_at,
    )


def shown_turn(turn: NewTurn, queue: Queue) -> QueuedTurn:
    return {**sent_turn(turn, queue), "transport": Transport.STRUCTURED}


def sent_turn(turn: NewTurn, queue: Queue) -> SentTurn:
    """The same, as agents are told of it."""
    shown: SentTurn = {
        "target": turn.target,
        "turnId": turn.turn_id,
        "status": TurnStatus.QUEUED,
        "queuePosition": queue.length,
    }
    if queue.active_turn_id:
        shown["activeTurnId"] = queue.active_turn_id
    return shown
