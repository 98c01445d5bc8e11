"""Who can be addressed: targets resolved against the roster, and the room left in their queues."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from django.db.models import Count

from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.models import Actor
from rooms.prepared import PreparedSelect
from rooms.vocabulary import ActorKind
from turns.models import Turn
from turns.requests import EVERYONE
from turns.state import WITH_A_LANE

_ENABLED_AGENTS = PreparedSelect(
    lambda: (
        Actor.objects.filter(kind=ActorKind.AGENT.value, enabled=True)
        .order_by("roster_position", "actor_id")
        .values_list("actor_id")
    )
)
_QUEUE_LENGTH = PreparedSelect(
    lambda target: (
        Turn.objects.filter(target_id=target, ended_at=None)
        .order_by()
        .values("target_id")
        .annotate(length=Count("*"))
        .values_list("length")
    )
)


_WORKING = PreparedSelect(
    lambda target: Turn.objects.filter(
        target_id=target, ended_at=None, status__in=sorted(status.value for status in WITH_A_LANE)
    ).values_list("turn_id")
)


@dataclass(frozen=True, kw_only=True)
class Queue:
    """What is ahead of a new turn: so many open turns, the running one too, and which one that is."""

    length: int
    active_turn_id: str | None = None


KEPT_FOR_PEOPLE = 8
"""The last eighth of a queue is not for agents: they cannot shut a person out."""


def enabled_agents() -> list[str]:
    """In roster order."""
    return [actor_id for (actor_id,) in _ENABLED_AGENTS.fetch_all()]


def resolve_targets(wanted: Sequence[str], *, without: str = "") -> list[str]:
    """Actor ids, @all in roster order and without the actor that says it.

    Raises:
        GroupXError: UNKNOWN_TARGET naming each target that is no enabled agent.
    """
    roster = enabled_agents()
    if list(wanted) == [EVERYONE]:
        others = [actor_id for actor_id in roster if actor_id != without]
        if not others:
            raise GroupXError(
                ErrorCode.UNKNOWN_TARGET,
                "There is no other agent." if roster else "No agent is enabled.",
                unknownTargets=[EVERYONE],
            )
        return others
    unknown = [target for target in wanted if target not in roster]
    if unknown:
        there = ", ".join(roster) or "none"
        raise GroupXError(
            ErrorCode.UNKNOWN_TARGET,
            f"No enabled agent is called {', '.join(unknown)}. There are: {there}.",
            unknownTargets=unknown,
        )
    return list(wanted)


def enabled_agent(actor_id: str) -> str:
    """The same id.

    Raises:
        GroupXError: UNKNOWN_ACTOR for anything but an enabled agent.
    """
    if actor_id not in enabled_agents():
        raise GroupXError(ErrorCode.UNKNOWN_ACTOR, f"No enabled agent is called {actor_id}.")
    return actor_id


def queue_length(target: str) -> int:
    """How many turns of this agent have not ended, the running one too."""
    found = _QUEUE_LENGTH.fetch_first(target)
    return found[0] if found else 0


def check_queues(targets: Sequence[str], limits: Limits) -> dict[str, Queue]:
    """What is ahead in each target's queue.

    Raises:
        GroupXError: QUEUE_CAPACITY_REACHED naming each agent whose open turns reach the limit.
    """
    return _check_queues(
        targets,
        limits.queue_per_agent,
        lambda names, places: f"The queue of {names} is full ({places} turns). Wait or cancel some.",
    )


def check_queues_for_agents(targets: Sequence[str], limits: Limits) -> dict[str, Queue]:
    """The same for what agents send: the last places of a queue are a person's.

    Raises:
        GroupXError: QUEUE_CAPACITY_REACHED.
    """
    kept = limits.queue_per_agent // KEPT_FOR_PEOPLE
    return _check_queues(
        targets,
        limits.queue_per_agent - kept,
        lambda names, places: (
            f"The queue of {names} is full for agents ({places} turns). The rest of it ({kept}) is kept for people."
        ),
    )


def _check_queues(targets: Sequence[str], places: int, words: Callable[[str, int], str]) -> dict[str, Queue]:
    lengths = {target: queue_length(target) for target in targets}
    full = [target for target, length in lengths.items() if length >= places]
    if names := sorted(full):
        raise GroupXError(
            ErrorCode.QUEUE_CAPACITY_REACHED, words(", ".join(names), places), fullTargets=names, limit=places
        )
    return {target: _queue(target, length) for target, length in lengths.items()}


def _queue(target: str, length: int) -> Queue:
    working = _WORKING.fetch_first(target) if length else None
    return Queue(length=length, active_turn_id=working[0] if working else None)
