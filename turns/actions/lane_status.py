"""What an agent's card says, written by its lane."""

from functools import cache
from typing import Any

from django.db.models import QuerySet

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.announcements import LaneAction, LaneSignal, announce
from rooms.models import Actor
from rooms.prepared import PreparedUpdate
from rooms.transactions import durable, joins
from rooms.vocabulary import ActorKind
from turns.models import Lane
from turns.state import LaneStatus

KEEP: Any = object()


def _own_lane(actor_id: Any, lane_token: Any) -> QuerySet[Lane]:
    return Lane.objects.filter(actor_id=actor_id, lane_token=lane_token)


@cache
def _change(columns: tuple[str, ...]) -> PreparedUpdate:
    return PreparedUpdate(_own_lane, *columns)


def show_lane(actor_id: str, lane_token: str, status: LaneStatus, *, clock: Clock) -> None:
    """Change what the card says, in the transaction of the step that makes it true; also its fence.

    Raises:
        GroupXError: STORE_CONFLICT when another worker holds the lane.
    """
    change_own_lane(actor_id, lane_token, status=status.value, status_text="", clock=clock)


def change_own_lane(actor_id: str, lane_token: str, *, clock: Clock, **changes: Any) -> None:
    """The same for any columns of the lane's row.

    Raises:
        GroupXError: STORE_CONFLICT when another worker holds the lane.
    """
    joins()
    if not _write(actor_id, lane_token, changed_at=clock.now(), **changes):
        raise GroupXError(ErrorCode.STORE_CONFLICT, f"Another worker has taken over the lane of {actor_id}.")


def announce_card(actor_id: str) -> None:
    """What this agent's card shows has changed."""
    announce(LaneSignal(actor_id, LaneAction.CARD))


@durable
def set_lane_status(
    actor_id: str,
    lane_token: str,
    status: LaneStatus,
    status_text: str = "",
    *,
    last_error: dict[str, Any] | None = KEEP,
    instance_id: str | None = KEEP,
    cli_id: int = KEEP,
    clock: Clock,
) -> bool:
    """Change the card; what is not given stays. False when another worker holds the lane by now."""
    changes: dict[str, Any] = {"status": status.value, "status_text": status_text[:300], "changed_at": clock.now()}
    for name, value in (("last_error", last_error), ("instance_id", instance_id), ("cli_id", cli_id)):
        if value is not KEEP:
            changes[name] = value
    return _write(actor_id, lane_token, **changes)


def _write(actor_id: str, lane_token: str, **changes: Any) -> bool:
    joins()
    announce_card(actor_id)
    return _change(tuple(changes)).update_rows(actor_id, lane_token, **changes) == 1


@durable
def expect_lanes(*, clock: Clock) -> None:
    """A run begins: every enabled agent's card says that it is starting until its own lane says more."""
    for actor in Actor.objects.filter(kind=ActorKind.AGENT.value, enabled=True):
        Lane.objects.update_or_create(
            actor=actor,
            defaults={"status": LaneStatus.STARTING.value, "status_text": "", "changed_at": clock.now()},
        )
