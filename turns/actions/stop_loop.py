"""Agents were stopped by a limit: the room is told, and a person may let them go on.

The command was refused whole, and its transaction with it; this one follows. An agent that tries again and again fills
neither the room nor the database: there is one stop for each limit of a root until a person lets them go on.
"""

from collections.abc import Sequence

from groupx.kernel.clock import Clock
from groupx.kernel.errors import GroupXError
from rooms.actions.append_event import append_events
from rooms.bodies import RoutingLoopStopped
from rooms.caller import SYSTEM
from rooms.models import Event
from rooms.new_event import NewEvent
from rooms.transactions import durable, joins
from rooms.vocabulary import MAIN_ROOM, SourceKind
from turns.chain import LimitReached
from turns.member import Member
from turns.member_requests import SendRequest
from turns.models import LoopStop
from turns.state import CommandType
from turns.supervision_requests import SteerRequest

EXCERPT_CHARS = 400
QUEUE_LIMIT = "queuePerAgent"


@durable
def stop_loop(
    reached: LimitReached,
    request: SendRequest | SteerRequest,
    command_type: CommandType,
    *,
    member: Member,
    clock: Clock,
) -> bool:
    """`keep_stop` in a transaction of its own."""
    return keep_stop(reached, request, command_type, member=member, clock=clock)


def keep_stop(
    reached: LimitReached,
    request: SendRequest | SteerRequest,
    command_type: CommandType,
    *,
    member: Member,
    clock: Clock,
) -> bool:
    """Tell the room, keep the message, and say whether this very message is the one that is kept: a steer never is,
    since it means something only while its observer watches. Joins the caller's transaction."""
    joins()
    root = member.turn.root_correlation_id
    asked = request.model_dump(by_alias=True, mode="json", exclude_none=True)
    is_sent_later = command_type is not CommandType.STEER
    known = LoopStop.objects.filter(root_correlation_id=root, limit=reached.limit.value, grants=reached.grants).first()
    if known is not None:
        is_same = known.binding_id == member.caller.binding_id and known.request == asked
        return is_sent_later and is_same and known.granted_at is None
    event = _stopped(
        reached,
        reached.limit.value,
        reached.maximum,
        reached.targets,
        member,
        hint=_SENT_LATER if is_sent_later else _NOT_SENT,
        excerpt=_excerpt(request.content) if is_sent_later else None,
        key=f"loop:{root}:{reached.limit.value}:{reached.grants}",
    )
    append_events([event], clock=clock)
    LoopStop.objects.create(
        event_id=event.event_id,
        root_correlation_id=root,
        limit=reached.limit.value,
        grants=reached.grants,
        turn_id=member.turn.turn_id,
        binding_id=member.caller.binding_id,
        command_type=command_type.value,
        request=asked,
        stopped_at=clock.now(),
    )
    return is_sent_later


_SENT_LATER = "“Let them go on” sends the message that waits, and allows as much again."
_NOT_SENT = "“Let them go on” allows as much again; nothing waits to be sent."


@durable
def tell_full_queue(refused: GroupXError, *, member: Member, clock: Clock) -> None:
    """A full queue is told once for each turn that meets it. Nothing is kept: it empties by itself."""
    key = f"loop:{member.turn.turn_id}:{QUEUE_LIMIT}"
    if Event.objects.filter(room_id=MAIN_ROOM, idempotency_key=key).exists():
        return
    maximum, full = refused.details["limit"], refused.details["fullTargets"]
    assert isinstance(maximum, int) and isinstance(full, list)
    event = _stopped(
        refused,
        QUEUE_LIMIT,
        maximum,
        full,
        member,
        hint="Nothing was sent. Wait until its queue is shorter, or cancel turns that wait in it.",
        key=key,
    )
    append_events([event], clock=clock)


def _stopped(
    refused: GroupXError,
    limit: str,
    maximum: int,
    targets: Sequence[str],
    member: Member,
    *,
    hint: str,
    excerpt: str | None = None,
    key: str,
) -> NewEvent:
    turn = member.turn
    return NewEvent(
        body=RoutingLoopStopped(
            error_code=refused.code.value,
            limit=limit,
            maximum=maximum,
            actor_id=member.caller.actor.actor_id,
            targets=list(targets),
            turn_id=turn.turn_id,
            message=refused.message,
            hint=hint,
            excerpt=excerpt,
        ),
        actor=SYSTEM,
        source_kind=SourceKind.SYSTEM,
        correlation_id=turn.correlation_id,
        root_correlation_id=turn.root_correlation_id,
        causation_id=turn.turn_id,
        idempotency_key=key,
    )


def _excerpt(content: str) -> str:
    return content if len(content) <= EXCERPT_CHARS else f"{content[:EXCERPT_CHARS]}…"
