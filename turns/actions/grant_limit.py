"""A person lets agents go on past a limit: it is raised for this root; the message that waited is sent, or dropped."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError, issue
from rooms.actions.append_event import append_events
from rooms.actions.run_once import Receipt, answer_once
from rooms.bodies import RoutingLoopReleased
from rooms.caller import Caller
from rooms.command_names import CommandName
from rooms.models import Event
from rooms.new_event import NewEvent
from rooms.transactions import joins
from turns.actions.call_agents import call_agents
from turns.actions.stop_loop import keep_stop
from turns.answers import LimitGranted, MessageAccepted
from turns.chain import ChainLimit, LimitReached
from turns.member_requests import AskRequest, SendRequest
from turns.models import LoopStop
from turns.queries.members import member_of_turn
from turns.roster import enabled_agents
from turns.state import CommandType


def grant_limit(
    root_correlation_id: str,
    limit: ChainLimit,
    *,
    stopped_event_id: str | None = None,
    without_message: bool = False,
    caller: Caller,
    limits: Limits,
    clock: Clock,
) -> LimitGranted:
    """Allow as much again as is configured, and send what was refused, as the agent that wanted to. Where another limit
    is in the way of it, the message goes on waiting there; `without_message` drops it. Joins the transaction of
    `run_once`.

    Raises:
        GroupXError: NOT_FOUND for a root that is not in the room; STORE_CONFLICT where this limit stops nobody, or
            stops them elsewhere than at `stopped_event_id`, the stop that the person saw; UNKNOWN_ACTOR where the
            message's author is no enabled agent any more, and what `accept_message` refuses the message for, say a
            queue that is full: then nothing was changed.
    """
    joins()
    stop = _waiting_stop(root_correlation_id, limit)
    if stopped_event_id not in (None, stop.event_id):
        raise GroupXError(ErrorCode.STORE_CONFLICT, "They are not stopped there any more, but further on.")
    LoopStop.objects.filter(event_id=stop.event_id, granted_at=None).update(granted_at=clock.now())
    maximum = limit.configured(limits) * (2 + stop.grants)
    is_dropped = without_message and stop.command_type != CommandType.STEER
    released = NewEvent(
        body=RoutingLoopReleased(
            stopped_event_id=stop.event_id,
            limit=limit.value,
            maximum=maximum,
            message=_released(limit, maximum, is_dropped=is_dropped),
            without_message=is_dropped or None,
        ),
        actor=caller.actor,
        source_kind=caller.source_kind,
        correlation_id=root_correlation_id,
        root_correlation_id=root_correlation_id,
        causation_id=stop.event_id,
    )
    append_events([released], clock=clock)
    answer: LimitGranted = {
        "rootCorrelationId": root_correlation_id,
        "limit": limit,
        "maximum": maximum,
        "stoppedEventId": stop.event_id,
    }
    sent = None if is_dropped else _send_what_waits(stop, limits=limits, clock=clock)
    if sent is not None:
        answer["messageEventId"] = sent.result["messageEventId"]
    return answer


def _released(limit: ChainLimit, maximum: int, *, is_dropped: bool) -> str:
    if is_dropped:
        return (
            f"Agents may go on without the message that waited: limits.{limit.value} is {maximum} now for what follows "
            "from this message."
        )
    return f"Agents may go on: limits.{limit.value} is {maximum} now for what follows from this message."


def _waiting_stop(root: str, limit: ChainLimit) -> LoopStop:
    stop = LoopStop.objects.filter(root_correlation_id=root, limit=limit.value).order_by("-grants").first()
    if stop is None and not Event.objects.filter(correlation_id=root).exists():
        raise GroupXError(
            ErrorCode.NOT_FOUND,
            f"Nothing in the room belongs to the correlation “{root}”.",
            issues=[issue("rootCorrelationId", "no such correlation")],
        )
    if stop is None:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT, f"No agent was stopped by limits.{limit.value} in this correlation."
        )
    if stop.granted_at is not None:
        raise GroupXError(
            ErrorCode.STORE_CONFLICT, "They were let go on already and have not been stopped by it again."
        )
    return stop


def _send_what_waits(stop: LoopStop, *, limits: Limits, clock: Clock) -> Receipt | None:
    """Under the command it was refused as: the agent may have sent it once more meanwhile, and may do so again."""
    command_type = CommandType(stop.command_type)
    if command_type is CommandType.STEER:
        return None
    shape = AskRequest if command_type is CommandType.ASK else SendRequest
    request = shape.model_validate(stop.request)
    member = member_of_turn(stop.binding_id, stop.turn_id)

    def send() -> MessageAccepted:
        _check_author(member.caller.actor.actor_id)
        return call_agents(request, command_type, member=member, limits=limits, clock=clock)

    try:
        return answer_once(
            member.caller,
            request.client_command_id,
            CommandName(command_type),
            request.canonical(),
            send,
            clock=clock,
        )
    except LimitReached as reached:  # refused before anything was written
        keep_stop(reached, request, command_type, member=member, clock=clock)
        return None
    except GroupXError as refused:
        if refused.code is not ErrorCode.CLIENT_COMMAND_CONFLICT:
            raise
        return None  # the agent has said something else under this command since


def _check_author(actor_id: str) -> None:
    if actor_id not in enabled_agents():
        raise GroupXError(ErrorCode.UNKNOWN_ACTOR, f"{actor_id}, whose message waits, is no enabled agent any more.")
