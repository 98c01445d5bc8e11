"""Reads around turns: the room's snapshot, agents' cards, one turn with its attempts. Frozen views out."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Case, Count, Exists, Max, QuerySet, Subquery, When

from groupx.kernel.clock import iso
from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.envelope import shorten_body
from rooms.models import Actor, Room
from rooms.prepared import PreparedSelect
from rooms.queries import epoch, events_before
from rooms.transactions import snapshot
from rooms.vocabulary import MAIN_ROOM, ActorKind
from turns.answers import Agent, AgentInFull, Attempt, Bootstrap, Packet
from turns.answers import Turn as TurnAnswer
from turns.models import AttemptPacket, DeliveryCursor, Lane, Turn, TurnAttempt
from turns.partial_text import kept_beginning
from turns.requests import MAX_TARGETS
from turns.state import WITH_A_LANE, LaneStatus, Transport, TurnStatus

SNAPSHOT_EVENTS = 200


@dataclass(frozen=True, kw_only=True)
class AgentView:
    """What an agent's card shows. `last_error` {code, message, exitCode?, output} is not for the bootstrap."""

    actor_id: str
    display_name: str
    driver: str
    enabled: bool
    status: LaneStatus
    status_text: str
    capabilities: Mapping[str, Any]
    queue_length: int
    active_turn_id: str | None
    cwd: str
    identity: str
    roster_position: int
    instance_id: str | None
    last_error: Mapping[str, Any] | None

    def wire(self) -> Agent:
        shown: Agent = {
            "actorId": self.actor_id,
            "displayName": self.display_name,
            "driver": self.driver,
            "enabled": self.enabled,
            "status": self.status,
            "statusText": self.status_text,
            "capabilities": dict(self.capabilities),
            "queueLength": self.queue_length,
        }
        if self.active_turn_id:
            shown["activeTurnId"] = self.active_turn_id
        return shown

    def wire_in_full(self) -> AgentInFull:
        shown: AgentInFull = {**self.wire(), "cwd": self.cwd, "identity": self.identity}
        if self.last_error:
            shown["lastError"] = dict(self.last_error)
        return shown


def _cards(agents: QuerySet[Actor]) -> QuerySet[Actor, Any]:
    return agents.filter(kind=ActorKind.AGENT.value).values_list(
        "actor_id",
        "display_name",
        "driver",
        "enabled",
        "cwd",
        "identity",
        "roster_position",
        "lane__status",
        "lane__status_text",
        "lane__capabilities",
        "lane__instance_id",
        "lane__last_error",
    )


def _queues(turns: QuerySet[Turn]) -> QuerySet[Turn, Any]:
    """(agent, its open turns, the one that its lane works on)"""
    active = Case(When(status__in=sorted(status.value for status in WITH_A_LANE), then="turn_id"))
    return (
        turns.filter(ended_at=None)
        .order_by()
        .values("target_id")
        .annotate(length=Count("*"), active=Max(active))
        .values_list("target_id", "length", "active")
    )


_ALL_CARDS = PreparedSelect(lambda: _cards(Actor.objects.order_by("roster_position", "actor_id")))
_ONE_CARD = PreparedSelect(lambda actor_id: _cards(Actor.objects.filter(actor_id=actor_id)))
_ALL_QUEUES = PreparedSelect(lambda: _queues(Turn.objects.all()))
_ONE_QUEUE = PreparedSelect(lambda actor_id: _queues(Turn.objects.filter(target_id=actor_id)))


def agent_views() -> list[AgentView]:
    """The roster in its order: two queries whatever the room holds."""
    queues = {actor_id: (length, active) for actor_id, length, active in _ALL_QUEUES.fetch_all()}
    return [_agent_view(row, *queues.get(row[0], (0, None))) for row in _ALL_CARDS.fetch_all()]


def agent_view(actor_id: str) -> AgentView:
    """
    Raises:
        GroupXError: UNKNOWN_ACTOR.
    """
    row = _ONE_CARD.fetch_first(actor_id)
    if row is None:
        raise GroupXError(ErrorCode.UNKNOWN_ACTOR, f"There is no agent “{actor_id}”.")
    _, length, active = _ONE_QUEUE.fetch_first(actor_id) or (actor_id, 0, None)
    return _agent_view(row, length, active)


def _agent_view(row: tuple[Any, ...], queue_length: int, active_turn_id: str | None) -> AgentView:
    (
        actor_id, display_name, driver, enabled, cwd, identity, roster_position,
        status, status_text, capabilities, instance_id, last_error,
    ) = row  # fmt: skip
    return AgentView(
        actor_id=actor_id,
        display_name=display_name,
        driver=driver,
        enabled=enabled,
        status=LaneStatus(status or LaneStatus.STOPPED) if enabled else LaneStatus.DISABLED,
        status_text=status_text or "",
        capabilities=capabilities or {},
        queue_length=queue_length,
        active_turn_id=active_turn_id,
        cwd=cwd,
        identity=identity,
        roster_position=roster_position,
        instance_id=instance_id,
        last_error=last_error,
    )


def room_snapshot(limits: Limits, room_id: str = MAIN_ROOM) -> Bootstrap:
    """GET /api/bootstrap: everything a page needs to begin, of one moment; its cost does not grow with the log.

    Raises:
        GroupXError: NOT_FOUND for another room.
    """
    with snapshot():
        room = find_room(room_id)
        recent = events_before(room.last_seq + 1, SNAPSHOT_EVENTS, room_id)
        active = Turn.objects.filter(room=room, ended_at=None).order_by("enqueue_seq")
        return {
            "room": {"roomId": room.room_id, "title": room.title},
            "epoch": epoch(),
            "cursor": room.last_seq,
            "transport": Transport.STRUCTURED.value,
            "limits": {
                "messageCharacters": limits.message_characters,
                "queuePerAgent": limits.queue_per_agent,
                "targets": MAX_TARGETS,
            },
            "agents": [view.wire() for view in agent_views()],
            "activeTurns": [
                {"turnId": turn_id, "targetActorId": target, "status": status, "sourceEventId": source}
                for turn_id, target, status, source in active.values_list(
                    "turn_id", "target_id", "status", "source_event_id"
                )
            ],
            "recentEvents": [event.wire() for event in reversed(recent)],
        }


def find_room(room_id: str) -> Room:
    room = Room.objects.filter(room_id=room_id).first()
    if room is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no room “{room_id}”.")
    return room


def find_turn(turn_id: str) -> Turn:
    """
    Raises:
        GroupXError: NOT_FOUND.
    """
    turn = Turn.objects.filter(turn_id=turn_id).first()
    if turn is None:
        raise GroupXError(ErrorCode.NOT_FOUND, f"There is no turn “{turn_id}”.")
    return turn


def turn_in_full(turn_id: str) -> TurnAnswer:
    """GET /api/turns/<id>: the turn, its attempts, their times and what is certain about them.

    Raises:
        GroupXError: NOT_FOUND.
    """
    with snapshot():
        turn = find_turn(turn_id)
        retry = Turn.objects.filter(retry_of=turn).values_list("turn_id", flat=True).first()
        attempts = list(turn.attempts.select_related("packet").order_by("number"))
        said = _partial_text(attempts[-1]) if attempts else {}
    shown: dict[str, Any] = {
        "turnId": turn.turn_id,
        "targetActorId": turn.target_id,
        "status": turn.status,
        "transport": turn.transport,
        "sourceEventId": turn.source_event_id,
        "correlationId": turn.correlation_id,
        "rootCorrelationId": turn.root_correlation_id,
        "hopCount": turn.hop_count,
        "createdAt": iso(turn.created_at),
        "usage": turn.usage,
        "attempts": [_attempt(attempt) for attempt in attempts],
    }
    optional = {
        "endedAt": iso(turn.ended_at) if turn.ended_at else None,
        "errorCode": turn.error_code,
        "message": turn.message,
        "stopReason": turn.stop_reason,
        "retryOf": turn.retry_of_id,
        "retriedBy": retry,
    }
    return shown | {name: value for name, value in optional.items() if value} | said


def _partial_text(attempt: TurnAttempt) -> Mapping[str, Any]:
    if attempt.partial_text:
        return shorten_body({"partialText": attempt.partial_text})
    text, length = kept_beginning(attempt.attempt_id)
    cut = {"truncated": True, "fullLength": length} if length > len(text) else {}
    return {"partialText": text, **cut} if text else {}


def _attempt(attempt: TurnAttempt) -> Attempt:
    packet: AttemptPacket | None = getattr(attempt, "packet", None)
    times = {
        "preparedAt": attempt.prepared_at,
        "invokedAt": attempt.invoked_at,
        "startedAt": attempt.started_at,
        "endedAt": attempt.ended_at,
    }
    return {
        "attemptId": attempt.attempt_id,
        "turnId": attempt.turn_id,
        "number": attempt.number,
        "dispatchPhase": attempt.dispatch_phase,
        "deliveryCertainty": attempt.delivery_certainty,
        "contextAfterSeq": attempt.context_after_seq,
        "contextThroughSeq": attempt.context_through_seq,
        "packetCharacters": len(packet.text) if packet else None,
        "omissions": packet.omissions if packet else {},
        "cancelSteps": attempt.cancel_steps,
        **{name: iso(moment) for name, moment in times.items() if moment},
    }


def packet_of(turn_id: str) -> Packet:
    """GET /api/turns/<id>/packet: the text that the turn's last attempt was given.

    Raises:
        GroupXError: NOT_FOUND when there is no such turn or nothing was ever sent for it.
    """
    packet = AttemptPacket.objects.filter(attempt__turn_id=turn_id).order_by("-attempt__number").first()
    if packet is None:
        raise GroupXError(ErrorCode.NOT_FOUND, "Nothing was sent to an agent for this turn.")
    return {"turnId": turn_id, "text": packet.text, "omissions": packet.omissions}


@dataclass(frozen=True, kw_only=True)
class LaneOrders:
    """What a working lane asks the database for every second: is its turn to be cancelled, is it to restart."""

    turn_status: TurnStatus | None
    restart_generation: int
    lane_token: str
    has_waiting: bool


def lane_orders(actor_id: str, turn_id: str | None) -> LaneOrders:
    """One query: an idle lane asks it every second."""
    mine = Turn.objects.filter(target_id=actor_id)
    token, generation, waits, status = (
        Lane.objects.filter(actor_id=actor_id)
        .annotate(
            waits=Exists(mine.filter(ended_at=None, status=TurnStatus.QUEUED.value)),
            turn_status=Subquery(mine.filter(turn_id=turn_id or "").values("status")[:1]),
        )
        .values_list("lane_token", "restart_generation", "waits", "turn_status")
        .get()
    )
    return LaneOrders(
        turn_status=TurnStatus(status) if status else None,
        restart_generation=generation,
        lane_token=token,
        has_waiting=bool(waits),
    )


_DELIVERED = PreparedSelect(
    lambda room_id, actor_id, native_session_id: DeliveryCursor.objects.filter(
        room_id=room_id, actor_id=actor_id, native_session_id=native_session_id
    ).values_list("last_delivered_seq")
)


def delivered_through(actor_id: str, native_session_id: str) -> int | None:
    """Up to which seq this session has been given the room; None for a session that was given nothing."""
    found = _DELIVERED.fetch_first(MAIN_ROOM, actor_id, native_session_id)
    return found[0] if found else None
