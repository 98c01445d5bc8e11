"""The commands of a person on turns, each once per clientCommandId. What REST, and later MCP, call."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from groupx.kernel.days import LocalDays
from rooms.actions.run_once import Receipt, run_once
from rooms.caller import Caller
from rooms.command_names import CommandName
from rooms.requests import Command
from turns.actions.accept_message import NewMessage, accept_message
from turns.actions.cancel_turn import cancel_turn
from turns.actions.fresh_session import fresh_session
from turns.actions.grant_limit import grant_limit
from turns.actions.restart_agent import restart_agent
from turns.actions.resume_agent import resume_agent
from turns.actions.retry_turn import retry_turn
from turns.requests import GrantRequest, SendMessage
from turns.state import CommandType


def send_message(command: SendMessage, *, caller: Caller, limits: Limits, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.MESSAGE,
        command.canonical(),
        lambda: accept_message(_message(command), caller=caller, limits=limits, clock=clock),
        clock=clock,
    )


def _message(command: SendMessage) -> NewMessage:
    return NewMessage(
        to=command.to,
        content=command.content,
        command_type=CommandType.MESSAGE,
        reply_to_event_id=command.reply_to_event_id,
        forwarded_event_id=command.forwarded_event_id,
        supervision=command.supervision,
    )


def cancel(turn_id: str, command: Command, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.TURN_CANCEL,
        {"turnId": turn_id},
        lambda: cancel_turn(turn_id, clock=clock),
        clock=clock,
    )


def retry(turn_id: str, command: Command, *, caller: Caller, limits: Limits, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.TURN_RETRY,
        {"turnId": turn_id},
        lambda: retry_turn(turn_id, limits=limits, clock=clock),
        clock=clock,
    )


def resume(actor_id: str, command: Command, *, caller: Caller, days: LocalDays, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.AGENT_RESUME,
        {"actorId": actor_id},
        lambda: resume_agent(actor_id, days=days, clock=clock),
        clock=clock,
    )


def begin_afresh(actor_id: str, command: Command, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.AGENT_FRESH_SESSION,
        {"actorId": actor_id},
        lambda: fresh_session(actor_id, clock=clock),
        clock=clock,
    )


def restart(actor_id: str, command: Command, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.AGENT_RESTART,
        {"actorId": actor_id},
        lambda: restart_agent(actor_id, clock=clock),
        clock=clock,
    )


def grant(command: GrantRequest, *, caller: Caller, limits: Limits, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        CommandName.LIMITS_GRANT,
        command.canonical(),
        lambda: grant_limit(
            command.root_correlation_id,
            command.limit,
            stopped_event_id=command.stopped_event_id,
            without_message=command.without_message,
            caller=caller,
            limits=limits,
            clock=clock,
        ),
        clock=clock,
    )
