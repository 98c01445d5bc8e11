"""How the turns of an `ask` stand, each target's newest try, with the answers that are there."""

from typing import Any

from django.db.models import Case, Count, Max, When

from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import Event
from rooms.prepared import PreparedSelect
from rooms.transactions import snapshot
from rooms.vocabulary import MAIN_ROOM
from turns.asked import AskedTurn, Response
from turns.chain import waiting_links
from turns.member import CallersTurn
from turns.models import Turn
from turns.queries.chain import links_of
from turns.queries.resting import resting_agents
from turns.settlement import response_key
from turns.state import WITH_A_LANE, CommandType, TurnStatus

_OF_MESSAGE = PreparedSelect(
    lambda message_event_id: (
        Turn.objects.filter(source_event_id=message_event_id)
        .order_by("enqueue_seq")
        .values_list(
            "target_id",
            "turn_id",
            "status",
            "enqueue_seq",
            "error_code",
            "message",
            "stop_reason",
            "paired__was_interrupted",
        )
    )
)
_FIRST_OF_MESSAGE = PreparedSelect(
    lambda message_event_id: (
        Turn.objects.filter(source_event_id=message_event_id)
        .order_by("enqueue_seq")
        .values_list("command_type", "root_correlation_id", "correlation_id")[:1]
    )
)
_RESPONSE = PreparedSelect(
    lambda key: (
        Event.objects.with_shown_body()
        .filter(room_id=MAIN_ROOM, idempotency_key=key)
        .values_list("event_id", "seq", "shown_body")
    )
)
_PLACE = PreparedSelect(
    lambda target, enqueue_seq: (
        Turn.objects.filter(target_id=target, ended_at=None, enqueue_seq__lte=enqueue_seq)
        .order_by()
        .values("target_id")
        .annotate(
            length=Count("*"),
            active=Max(Case(When(status__in=sorted(status.value for status in WITH_A_LANE), then="turn_id"))),
        )
        .values_list("length", "active")
    )
)


def find_ask(message_event_id: str, turn: CallersTurn) -> str:
    """The correlation of a message that somebody asked with, in the interaction that this turn belongs to.

    Raises:
        GroupXError: NOT_FOUND for any other message, and for none.
    """
    found = _FIRST_OF_MESSAGE.fetch_first(message_event_id)
    if found is None or found[0] != CommandType.ASK or found[1] != turn.root_correlation_id:
        raise GroupXError(
            ErrorCode.NOT_FOUND, f"“{message_event_id}” is no message that was asked with in this interaction."
        )
    correlation_id: str = found[2]
    return correlation_id


def asked_turns(message_event_id: str, turn: CallersTurn | None) -> list[AskedTurn]:
    """In the order in which they were accepted, as `turn`, the caller's, sees them; the assistant is in no turn."""
    with snapshot():
        newest = {row[0]: row[1:] for row in _OF_MESSAGE.fetch_all(message_event_id)}
        askers = {link.turn_id for link in waiting_links(links_of(turn))} if turn else set()
        resting = resting_agents(target for target, row in newest.items() if row[1] == TurnStatus.QUEUED)
        return [
            AskedTurn(
                target=target,
                turn_id=turn_id,
                status=TurnStatus(status),
                is_callers=turn is not None and turn_id == turn.turn_id,
                waits_for_caller=turn_id in askers,
                error_code=error_code,
                message=message,
                stop_reason=stop_reason,
                was_steered=bool(was_steered),
                response=_response(turn_id) if status == TurnStatus.COMPLETED else None,
                why_it_rests=resting.get(target, ""),
                **({} if TurnStatus(status).is_terminal else _place(target, enqueue_seq)),
            )
            for target, (turn_id, status, enqueue_seq, error_code, message, stop_reason, was_steered) in newest.items()
        ]


def _place(target: str, enqueue_seq: int) -> dict[str, Any]:
    """What stands before the end of an open turn."""
    length, active_turn_id = _PLACE.fetch_first(target, enqueue_seq) or (1, None)
    return {"ahead": length - 1, "active_turn_id": active_turn_id}


def _response(turn_id: str) -> Response | None:
    found = _RESPONSE.fetch_first(response_key(turn_id))
    if found is None:
        return None
    event_id, seq, body = found
    content = body["content"]
    return Response(event_id=event_id, seq=seq, content=content, full_length=body.get("fullLength", len(content)))
