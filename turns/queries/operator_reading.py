"""What the assistant reads of the room, and of who watches whom: what people read, and no audit of it."""

from collections.abc import Mapping
from typing import Any

from django.db.models import F

from groupx.kernel.clock import iso
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.vocabulary import EventType
from turns.member_answers import RoomRead
from turns.member_requests import ReadRequest
from turns.models import PairedTurn, SupervisionPair
from turns.operator_answers import Roster, RosterAgent, Supervisions, SupervisionTold, WatchedTurn
from turns.operator_requests import SupervisionStatusRequest
from turns.queries.agents import AgentView, agent_views
from turns.queries.reading import LogReader, open_turns
from turns.state import SupervisionMode, SupervisionRole, TurnStatus

USUALLY_READ = 20
TEXT_CHARS = 2_000
PAIRS_SHOWN = 20
SEMANTIC = (
    EventType.MESSAGE_CREATED.value,
    EventType.OPERATOR_DISPATCH.value,
    EventType.TURN_COMPLETED.value,
    EventType.TURN_FAILED.value,
    EventType.TURN_CANCELLED.value,
    EventType.TURN_INTERRUPTED.value,
    EventType.SUPERVISION_PAIRED.value,
    EventType.SUPERVISION_OBSERVED.value,
    EventType.SUPERVISION_STEERED.value,
    EventType.ROUTING_LOOP_STOPPED.value,
    EventType.ROUTING_LOOP_RELEASED.value,
    EventType.CONTEXT_RESET.value,
    EventType.SYSTEM_ERROR.value,
)
"""What was said, who was given what, how it ended."""
_OF_THE_OPERATOR = LogReader(lambda events: events.filter(type__in=SEMANTIC), usual=USUALLY_READ, text_chars=TEXT_CHARS)


def read_for_operator(asked: ReadRequest) -> RoomRead:
    """Without a correlation the turns are those of the room that have not ended.

    Raises:
        GroupXError: NOT_FOUND for a correlation of which nothing is in the room.
    """
    return _OF_THE_OPERATOR.read(asked, open_turns)


def roster() -> Roster:
    """Who is in the room, in the order of the configuration."""
    return {"agents": [_card(view) for view in agent_views() if view.enabled]}


def _card(view: AgentView) -> RosterAgent:
    shown: RosterAgent = {
        "actorId": view.actor_id,
        "displayName": view.display_name,
        "driver": view.driver,
        "status": view.status,
        "statusText": view.status_text,
        "queueLength": view.queue_length,
        "cwd": view.cwd,
    }
    if view.active_turn_id:
        shown["activeTurnId"] = view.active_turn_id
    if view.identity:
        shown["identity"] = view.identity[:TEXT_CHARS]
    return shown


def supervision_status(asked: SupervisionStatusRequest) -> Supervisions:
    """The newest pairings, or those of one task, newest first.

    Raises:
        GroupXError: NOT_FOUND for a task without a pairing.
    """
    pairs = SupervisionPair.objects.order_by("-created_at", "-pair_id")
    if asked.task_event_id is not None:
        pairs = pairs.filter(task_id=asked.task_event_id)
    found = list(pairs.values("pair_id", "task_id", "mode", "created_at")[:PAIRS_SHOWN])
    if asked.task_event_id is not None and not found:
        raise GroupXError(ErrorCode.NOT_FOUND, f"Nobody watches “{asked.task_event_id}”.")
    turns = _turns_of([pair["pair_id"] for pair in found])
    return {"items": [_told(pair, turns.get(pair["pair_id"], [])) for pair in found]}


def _turns_of(pair_ids: list[str]) -> dict[str, list[dict[str, Any]]]:
    rows = (
        PairedTurn.objects.filter(pair_id__in=pair_ids)
        .annotate(target=F("turn__target_id"), status=F("turn__status"), place=F("turn__enqueue_seq"))
        .order_by("place")
        .values("pair_id", "turn_id", "role", "target", "status", "steers", "was_interrupted")
    )
    found: dict[str, list[dict[str, Any]]] = {}
    for row in rows:
        found.setdefault(row["pair_id"], []).append(row)
    return found


def _told(pair: Mapping[str, Any], turns: list[dict[str, Any]]) -> SupervisionTold:
    def of(role: SupervisionRole) -> list[WatchedTurn]:
        return [
            {
                "turnId": turn["turn_id"],
                "target": turn["target"],
                "status": TurnStatus(turn["status"]),
                "steers": turn["steers"],
                "wasInterrupted": turn["was_interrupted"],
            }
            for turn in turns
            if turn["role"] == role
        ]

    workers, observers = of(SupervisionRole.WORKER), of(SupervisionRole.OBSERVER)
    return {
        "pairEventId": pair["pair_id"],
        "taskEventId": pair["task_id"],
        "mode": SupervisionMode(pair["mode"]),
        "createdAt": iso(pair["created_at"]),
        "isOver": all(turn["status"].is_terminal for turn in (*workers, *observers)),
        "workers": workers,
        "observers": observers,
    }
