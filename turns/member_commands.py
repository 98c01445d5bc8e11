"""The commands of an agent in a turn, each once per binding and clientCommandId. What its tools call."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.errors import ErrorCode, GroupXError
from rooms.actions.run_once import Receipt, run_once
from turns.actions.accept_message import NewMessage, accept_message
from turns.actions.publish_message import publish_message
from turns.actions.steer_turn import steer_turn, tell_steer_limit
from turns.member import Member
from turns.member_requests import AskRequest, PublishRequest, SendRequest
from turns.state import CommandType
from turns.supervision_requests import SteerRequest


def publish(request: PublishRequest, *, member: Member, limits: Limits, clock: Clock) -> Receipt:
    return run_once(
        member.caller,
        request.client_command_id,
        "mcp.publish",
        request.canonical(),
        lambda: publish_message(request.content, request.reply_to_event_id, member=member, limits=limits, clock=clock),
        clock=clock,
    )


def send(request: SendRequest, *, member: Member, limits: Limits, clock: Clock) -> Receipt:
    return _dispatch(request, CommandType.SEND, member=member, limits=limits, clock=clock)


def ask(request: AskRequest, *, member: Member, limits: Limits, clock: Clock) -> Receipt:
    """Accepts the question; its receipt is that of `send`. Waiting for the answers is the tool's business."""
    return _dispatch(request, CommandType.ASK, member=member, limits=limits, clock=clock)


def steer(request: SteerRequest, *, member: Member, limits: Limits, clock: Clock) -> Receipt:
    """A steer over the limit is refused, and the room is told."""
    try:
        return run_once(
            member.caller,
            request.client_command_id,
            CommandType.STEER.value,
            request.canonical(),
            lambda: steer_turn(request, member=member, limits=limits, clock=clock),
            clock=clock,
        )
    except GroupXError as error:
        if error.code is ErrorCode.STEER_LIMIT_REACHED:
            tell_steer_limit(error, member=member, clock=clock)
        raise


def _dispatch(
    request: SendRequest, command_type: CommandType, *, member: Member, limits: Limits, clock: Clock
) -> Receipt:
    message = NewMessage(
        to=request.to,
        content=request.content,
        command_type=command_type,
        reply_to_event_id=request.reply_to_event_id,
        forwarded_event_id=request.forwarded_event_id,
        supervision=request.supervision,
    )
    return run_once(
        member.caller,
        request.client_command_id,
        command_type.value,
        request.canonical(),
        lambda: accept_message(message, caller=member.caller, parent=member.turn, limits=limits, clock=clock),
        clock=clock,
    )
