"""The commands of the assistant on turns and agents, each once per clientCommandId. What the operator's tools call."""

from collections.abc import Callable, Mapping
from typing import Any

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from rooms.actions.run_once import Receipt, kept_answer, run_once
from rooms.caller import Caller
from rooms.command_names import CommandName
from rooms.operator_bodies import Operation
from turns.actions.accept_message import NewMessage, accept_message
from turns.actions.cancel_turn import cancel_turn
from turns.actions.cancel_turns import cancel_turns
from turns.actions.dispatch_event import dispatch_event as dispatch_event_action
from turns.actions.restart_agent import restart_agent
from turns.operator_requests import (
    AgentRestart,
    DispatchEvent,
    OperatorCommand,
    OperatorSend,
    TurnCancel,
    TurnsCancel,
    WorkerAsk,
    WorkerDispatch,
)
from turns.state import CommandType


def send(request: OperatorSend, *, caller: Caller, limits: Limits, clock: Clock) -> Receipt:
    message = NewMessage(
        to=request.to or (),
        content=request.content,
        command_type=CommandType.OPERATOR_SEND,
        reply_to_event_id=request.reply_to_event_id,
        forwarded_event_id=request.forwarded_event_id,
        supervision=request.supervision,
    )
    accept = _accepting(message, caller, limits, clock)
    return _once(request, CommandName.OPERATOR_SEND, accept, caller=caller, clock=clock)


def dispatch(request: WorkerDispatch, *, caller: Caller, limits: Limits, clock: Clock) -> Receipt:
    """`messageEventId` of the answer is the operator.dispatch."""
    message = _work(request, CommandType.WORKER_DISPATCH, Operation.WORKER_DISPATCH)
    accept = _accepting(message, caller, limits, clock)
    return _once(request, CommandName.OPERATOR_WORKER_DISPATCH, accept, caller=caller, clock=clock)


def ask(request: WorkerAsk, *, caller: Caller, limits: Limits, clock: Clock) -> Receipt:
    """The same; waiting for the answers is the tool's business."""
    message = _work(request, CommandType.WORKER_ASK, Operation.WORKER_ASK)
    accept = _accepting(message, caller, limits, clock)
    return _once(request, CommandName.OPERATOR_WORKER_ASK, accept, caller=caller, clock=clock)


def was_asked(request: WorkerAsk, *, caller: Caller) -> bool:
    """Whether this very question was accepted before.

    Raises:
        GroupXError: CLIENT_COMMAND_CONFLICT.
    """
    name = CommandName.OPERATOR_WORKER_ASK
    return kept_answer(caller, request.client_command_id, name, request.canonical()) is not None


def dispatch_event(request: DispatchEvent, *, caller: Caller, limits: Limits, clock: Clock) -> Receipt:
    def hand_on() -> Mapping[str, Any]:
        return dispatch_event_action(request, caller=caller, limits=limits, clock=clock)

    return _once(request, CommandName.OPERATOR_DISPATCH_EVENT, hand_on, caller=caller, clock=clock)


def cancel(request: TurnCancel, *, caller: Caller, clock: Clock) -> Receipt:
    def stop() -> Mapping[str, Any]:
        return cancel_turn(request.turn_id, clock=clock)

    return _once(request, CommandName.OPERATOR_TURN_CANCEL, stop, caller=caller, clock=clock)


def cancel_all(request: TurnsCancel, *, caller: Caller, clock: Clock) -> Receipt:
    def stop() -> Mapping[str, Any]:
        return cancel_turns(request.to, request.correlation_id, clock=clock)

    return _once(request, CommandName.OPERATOR_TURNS_CANCEL, stop, caller=caller, clock=clock)


def restart(request: AgentRestart, *, caller: Caller, clock: Clock) -> Receipt:
    def begin_anew() -> Mapping[str, Any]:
        return restart_agent(request.agent, clock=clock)

    return _once(request, CommandName.OPERATOR_AGENT_RESTART, begin_anew, caller=caller, clock=clock)


def _work(request: WorkerDispatch, command_type: CommandType, operation: Operation) -> NewMessage:
    return NewMessage(
        to=request.to,
        content=request.content,
        command_type=command_type,
        reply_to_event_id=request.reply_to_event_id,
        supervision=request.supervision,
        operation=operation,
    )


def _accepting(message: NewMessage, caller: Caller, limits: Limits, clock: Clock) -> Callable[[], Mapping[str, Any]]:
    return lambda: accept_message(message, caller=caller, limits=limits, clock=clock)


def _once(
    request: OperatorCommand,
    name: CommandName,
    action: Callable[[], Mapping[str, Any]],
    *,
    caller: Caller,
    clock: Clock,
) -> Receipt:
    return run_once(caller, request.client_command_id, name, request.canonical(), action, clock=clock)
