"""A turn ends: its durable events, the turn and its attempt commit together or not at all."""

from typing import Protocol

from groupx.kernel.clock import Clock
from groupx.kernel.days import LocalDays
from memory.actions.note_source import note_source
from rooms.actions.append_event import append_events
from rooms.envelope import ActorRef
from rooms.models import Event
from rooms.prepared import PreparedInsert, PreparedUpdate
from rooms.transactions import durable, joins
from rooms.vocabulary import EventType
from turns.actions.move_cursor import DeliveredAttempt, Place, move_cursor
from turns.actions.note_evidence import NewEvidence, keep_evidence
from turns.actions.pause_lane import pause_lane
from turns.evidence import Source
from turns.fencing import own_attempt
from turns.models import TurnAttempt, TurnUsage
from turns.partial_text import forget_pieces
from turns.pauses import pause_after
from turns.settlement import TurnFacts, TurnOutcome, closing_events
from turns.state import DeliveryCertainty, DispatchPhase, TurnStatus
from turns.transitions import move_turn


class SettledTurn(TurnFacts, Place, Protocol):
    """What settling needs of a turn."""


class AttemptFacts(DeliveredAttempt, Protocol):
    """What settling needs of an attempt."""

    @property
    def attempt_id(self) -> str: ...
    @property
    def delivery_certainty(self) -> str: ...
    @property
    def turn(self) -> SettledTurn: ...


_CLOSE = PreparedUpdate(
    lambda attempt_id: TurnAttempt.objects.filter(attempt_id=attempt_id),
    "dispatch_phase",
    "partial_text",
    "cancel_steps",
    "ended_at",
)


_INSERT_USAGE = PreparedInsert(TurnUsage)


@durable
def finish_turn(
    attempt_id: str,
    lane_token: str,
    agent: ActorRef,
    outcome: TurnOutcome,
    *,
    shows: NewEvidence | None = None,
    days: LocalDays,
    clock: Clock,
) -> TurnStatus:
    """Settle the attempt and its turn as `outcome`; gives the status the turn has now.

    A completed turn is noted for its agent's dated memory, under its day of `days`. `shows` is what it proves of its
    agent and was not known yet. A second finish changes nothing and gives the first outcome.

    Raises:
        GroupXError: STORE_CONFLICT when another worker holds the lane.
    """
    attempt = own_attempt(attempt_id, lane_token)
    if attempt.turn.status.is_terminal:
        return attempt.turn.status
    events = settle(attempt, agent, outcome, clock=clock)
    for event in events:
        if event.type == EventType.MESSAGE_CREATED:
            note_source(attempt.turn.target_id, attempt.turn.source_event_id, event, days=days, clock=clock)
    if (pause := pause_after(outcome)) is not None:
        pause_lane(attempt.turn.target_id, lane_token, pause, clock=clock)
    if shows is not None:
        keep_evidence(shows.cli_id, shows.seen, Source.TURN, clock=clock)
    return outcome.status


def settle(attempt: AttemptFacts, agent: ActorRef, outcome: TurnOutcome, *, clock: Clock) -> list[Event]:
    """The writes of a turn's end; gives its events. Joins the caller's transaction.

    What is known of the delivery stays known: a prompt that was sent is never called unsent afterwards, and what the
    agent was given it has.
    """
    joins()
    turn, now = attempt.turn, clock.now()
    move_turn(
        turn.turn_id,
        outcome.status,
        ended_at=now,
        error_code=outcome.error_code.value if outcome.error_code else "",
        message=outcome.message,
        stop_reason=outcome.stop_reason or "",
    )
    if outcome.usage is not None:
        told = outcome.usage.model_dump()
        _INSERT_USAGE.insert_rows([TurnUsage(turn_id=turn.turn_id, actor_id=turn.target_id, ended_at=now, **told)])
    _CLOSE.update_rows(
        attempt.attempt_id,
        dispatch_phase=DispatchPhase.TERMINAL.value,
        partial_text="" if outcome.status is TurnStatus.COMPLETED else outcome.text,
        cancel_steps=list(outcome.cancel_steps),
        ended_at=now,
    )
    forget_pieces(attempt.attempt_id)
    if attempt.delivery_certainty == DeliveryCertainty.DELIVERED:
        move_cursor(attempt)
    return append_events(closing_events(turn, attempt.attempt_id, agent, outcome), clock=clock)
