"""The commands of an agent in a turn, each once per binding and clientCommandId. What its tools call."""

from collections.abc import Callable, Mapping
from typing import Any

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from memory.actions.remember import remember_identity, remember_memory
from memory.answers import IdentityKept, MemoryKept
from memory.drafts import Occasion
from rooms.actions.run_once import Receipt, run_once
from rooms.command_names import CommandName
from turns.actions.call_agents import call_agents
from turns.actions.publish_message import publish_message
from turns.actions.steer_turn import steer_turn, tell_steer_limit
from turns.actions.stop_loop import stop_loop, tell_full_queue
from turns.answers import MessageAccepted
from turns.chain import LimitReached
from turns.member import Member
from turns.member_requests import AskRequest, PublishRequest, SendRequest
from turns.memory_requests import CoreMemoryRequest, IdentityRequest, MemoryRequest
from turns.queries.members import check_still_in_turn
from turns.state import CommandType
from turns.supervision_requests import SteerRequest


def publish(request: PublishRequest, *, member: Member, limits: Limits, clock: Clock) -> Receipt:
    return run_once(
        member.caller,
        request.client_command_id,
        CommandName.MCP_PUBLISH,
        request.canonical(),
        lambda: publish_message(request.content, request.reply_to_event_id, member=member, limits=limits, clock=clock),
        clock=clock,
    )


def send(request: SendRequest, *, member: Member, limits: Limits, clock: Clock) -> Receipt:
    return _dispatch(request, CommandType.SEND, member=member, limits=limits, clock=clock)


def ask(request: AskRequest, *, member: Member, limits: Limits, clock: Clock) -> Receipt:
    """Accepts the question; its receipt is that of `send`. Waiting for the answers is the tool's business."""
    return _dispatch(request, CommandType.ASK, member=member, limits=limits, clock=clock)


def remember(request: MemoryRequest | CoreMemoryRequest, *, member: Member, clock: Clock) -> Receipt:
    caller, occasion = member.caller, _occasion(member)

    def keep() -> MemoryKept:
        check_still_in_turn(member.turn)
        draft = request.draft(caller.actor.actor_id, occasion)
        return remember_memory(draft, caller=caller, occasion=occasion, clock=clock)

    command_type = request.command_type
    return run_once(caller, request.client_command_id, command_type, request.canonical(), keep, clock=clock)


def remember_self(request: IdentityRequest, *, member: Member, clock: Clock) -> Receipt:
    caller, occasion = member.caller, _occasion(member)

    def keep() -> IdentityKept:
        check_still_in_turn(member.turn)
        draft = request.draft(caller.actor.actor_id, occasion)
        return remember_identity(draft, caller=caller, occasion=occasion, clock=clock)

    command_type = request.command_type
    return run_once(caller, request.client_command_id, command_type, request.canonical(), keep, clock=clock)


def _occasion(member: Member) -> Occasion:
    turn = member.turn
    return Occasion(
        correlation_id=turn.correlation_id,
        root_correlation_id=turn.root_correlation_id,
        causation_id=turn.turn_id,
        source_event_id=turn.source_event_id,
    )


def steer(request: SteerRequest, *, member: Member, limits: Limits, clock: Clock) -> Receipt:
    return _bounded(
        request,
        CommandType.STEER,
        lambda: steer_turn(request, member=member, limits=limits, clock=clock),
        member=member,
        clock=clock,
    )


def _dispatch(
    request: SendRequest, command_type: CommandType, *, member: Member, limits: Limits, clock: Clock
) -> Receipt:
    def act() -> MessageAccepted:
        check_still_in_turn(member.turn)
        return call_agents(request, command_type, member=member, limits=limits, clock=clock)

    return _bounded(request, command_type, act, member=member, clock=clock)


def _bounded(
    request: SendRequest | SteerRequest,
    command_type: CommandType,
    act: Callable[[], Mapping[str, Any]],
    *,
    member: Member,
    clock: Clock,
) -> Receipt:
    """What starts turns: where a limit refuses it, the room is told too."""
    try:
        name = CommandName(command_type)
        return run_once(member.caller, request.client_command_id, name, request.canonical(), act, clock=clock)
    except LimitReached as reached:
        kept = stop_loop(reached, request, command_type, member=member, clock=clock)
        raise _told(reached, kept=kept) from None
    except GroupXError as refused:
        match refused.code:
            case ErrorCode.QUEUE_CAPACITY_REACHED:
                tell_full_queue(refused, member=member, clock=clock)
            case ErrorCode.STEER_LIMIT_REACHED:
                tell_steer_limit(refused, member=member, clock=clock)
        raise


_KEPT = (
    "Your message is kept: it is sent when a person lets you go on. Do not send it under another clientCommandId; this "
    "very call gives its receipt and answers once it is sent. Until then go on without."
)
_NOT_KEPT = "Nothing was sent. The room was told; a person may let you go on."


def _told(reached: LimitReached, *, kept: bool) -> GroupXError:
    return GroupXError(reached.code, f"{reached.message} {_KEPT if kept else _NOT_KEPT}", **reached.details, kept=kept)
