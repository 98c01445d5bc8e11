"""What agents' cards show: the roster with states, queues and capabilities. Three queries whatever the room holds."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Case, Count, Max, QuerySet, When

from groupx.kernel.clock import iso
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import Actor
from rooms.prepared import PreparedSelect
from rooms.vocabulary import ActorKind
from turns.answers import Agent, AgentInFull
from turns.models import Turn
from turns.queries.capabilities import UNKNOWN_CLI, CliView, cli_of_lane, clis_of_lanes
from turns.state import WITH_A_LANE, LaneStatus, PauseKind


@dataclass(frozen=True, kw_only=True)
class AgentView:
    """What an agent's card shows. `last_error` {code, message, exitCode?, output} is not for the bootstrap."""

    actor_id: str
    display_name: str
    driver: str
    enabled: bool
    status: LaneStatus
    status_text: str
    cli: CliView
    queue_length: int
    active_turn_id: str | None
    cwd: str
    identity: str
    roster_position: int
    instance_id: str | None
    last_error: Mapping[str, Any] | None
    paused_for: PauseKind | None
    paused_until: datetime | None

    def wire(self) -> Agent:
        shown: Agent = {
            "actorId": self.actor_id,
            "displayName": self.display_name,
            "driver": self.driver,
            "enabled": self.enabled,
            "status": self.status,
            "statusText": self.status_text,
            "capabilities": self.cli.wire_capabilities(),
            "queueLength": self.queue_length,
        }
        if (cli := self.cli.wire()) is not None:
            shown["cli"] = cli
        if self.active_turn_id:
            shown["activeTurnId"] = self.active_turn_id
        if self.paused_for and self.paused_until:
            shown["pausedFor"], shown["pausedUntil"] = self.paused_for, iso(self.paused_until)
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
        "lane__instance_id",
        "lane__last_error",
        "lane__pause_kind",
        "lane__paused_until",
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
    """The roster in its order: three queries whatever the room holds."""
    queues = {actor_id: (length, active) for actor_id, length, active in _ALL_QUEUES.fetch_all()}
    clis = clis_of_lanes()
    return [
        _agent_view(row, clis.get(row[0], UNKNOWN_CLI), *queues.get(row[0], (0, None)))
        for row in _ALL_CARDS.fetch_all()
    ]


def agent_view(actor_id: str) -> AgentView:
    """
    Raises:
        GroupXError: UNKNOWN_ACTOR.
    """
    row = _ONE_CARD.fetch_first(actor_id)
    if row is None:
        raise GroupXError(ErrorCode.UNKNOWN_ACTOR, f"There is no agent “{actor_id}”.")
    _, length, active = _ONE_QUEUE.fetch_first(actor_id) or (actor_id, 0, None)
    return _agent_view(row, cli_of_lane(actor_id), length, active)


def _agent_view(row: tuple[Any, ...], cli: CliView, queue_length: int, active_turn_id: str | None) -> AgentView:
    (
        actor_id, display_name, driver, enabled, cwd, identity, roster_position,
        status, status_text, instance_id, last_error, pause_kind, paused_until,
    ) = row  # fmt: skip
    is_paused = enabled and status == LaneStatus.PAUSED and pause_kind
    return AgentView(
        actor_id=actor_id,
        display_name=display_name,
        driver=driver,
        enabled=enabled,
        status=LaneStatus(status or LaneStatus.STOPPED) if enabled else LaneStatus.DISABLED,
        status_text=status_text or "",
        cli=cli,
        queue_length=queue_length,
        active_turn_id=active_turn_id,
        cwd=cwd,
        identity=identity,
        roster_position=roster_position,
        instance_id=instance_id,
        last_error=last_error,
        paused_for=PauseKind(pause_kind) if is_paused else None,
        paused_until=paused_until if is_paused else None,
    )
