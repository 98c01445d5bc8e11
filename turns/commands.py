"""The commands of a person on turns, each once per clientCommandId. What REST, and later MCP, call."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from rooms.actions.run_once import Receipt, run_once
from rooms.caller import Caller
from turns.actions.accept_message import accept_message
from turns.actions.cancel_turn import cancel_turn
from turns.actions.restart_agent import restart_agent
from turns.actions.retry_turn import retry_turn
from turns.requests import Command, SendMessage


def send_message(command: SendMessage, *, caller: Caller, limits: Limits, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        "message",
        command.canonical(),
        lambda: accept_message(command, caller=caller, limits=limits, clock=clock),
        clock=clock,
    )


def cancel(turn_id: str, command: Command, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        "turn.cancel",
        {"turnId": turn_id},
        lambda: cancel_turn(turn_id, clock=clock),
        clock=clock,
    )


def retry(turn_id: str, command: Command, *, caller: Caller, limits: Limits, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        "turn.retry",
        {"turnId": turn_id},
        lambda: retry_turn(turn_id, limits=limits, clock=clock),
        clock=clock,
    )


def restart(actor_id: str, command: Command, *, caller: Caller, clock: Clock) -> Receipt:
    return run_once(
        caller,
        command.client_command_id,
        "agent.restart",
        {"actorId": actor_id},
        lambda: restart_agent(actor_id, clock=clock),
        clock=clock,
    )
