"""How the assistant gives agents work, and says something to everybody (edge)."""

from typing import Any

from anyio import CancelScope

from assistant.operator.room import OperatorCall
from rooms.transactions import in_db, in_reader
from turns import operator_commands
from turns.asked import to_wait_for, to_wait_for_at_first
from turns.operator_answers import DispatchAsked, Dispatched, OperatorSent
from turns.operator_requests import DispatchEvent, OperatorSend, WorkerAsk, WorkerDispatch
from turns.queries.resting import resting_agents
from turns.tools.asking import answers_to
from turns.tools.messages import sent_turns
from turns.tools.tool import Tool

ASK_THE_SAME = "The same call with the same clientCommandId gets the answer; it asks nothing twice."


async def _send(request: OperatorSend, call: OperatorCall) -> OperatorSent:
    accepted = await _accepted(operator_commands.send, request, call)
    return {"messageEventId": accepted["messageEventId"], **await _turns(accepted)}


async def _dispatch(request: WorkerDispatch, call: OperatorCall) -> Dispatched:
    accepted = await _accepted(operator_commands.dispatch, request, call)
    return {"dispatchEventId": accepted["messageEventId"], **await _turns(accepted)}


async def _dispatch_event(request: DispatchEvent, call: OperatorCall) -> Dispatched:
    accepted = await _accepted(operator_commands.dispatch_event, request, call)
    return {"dispatchEventId": accepted["messageEventId"], **await _turns(accepted)}


async def _ask(request: WorkerAsk, call: OperatorCall) -> DispatchAsked:
    was_asked = await in_reader(operator_commands.was_asked, request, caller=call.caller)
    choose = to_wait_for if was_asked else to_wait_for_at_first
    with CancelScope(shield=True):  # if the client leaves now, it must be known what there is to cancel
        accepted = await _accepted(operator_commands.ask, request, call)
    asked = await answers_to(accepted, request, call, None, choose=choose, how_to_go_on=ASK_THE_SAME)
    return {
        "dispatchEventId": asked["messageEventId"],
        "correlationId": asked["correlationId"],
        "state": asked["state"],
        "results": asked["results"],
    }


async def _accepted(command: Any, request: Any, call: OperatorCall) -> dict[str, Any]:
    room = call.room
    receipt = await in_db(command, request, caller=call.caller, limits=room.limits, clock=room.clock)
    return receipt.result


async def _turns(accepted: dict[str, Any]) -> Any:
    """What all of these answers have in common; why an agent rests is of now, also where the receipt is an old one."""
    working, watching = accepted["turns"], accepted.get("watchTurns", [])
    resting = await in_reader(resting_agents, [turn["target"] for turn in [*working, *watching]])
    told = {"correlationId": accepted["correlationId"], "turns": sent_turns(working, resting)}
    return {**told, "watchTurns": sent_turns(watching, resting)} if watching else told


SEND = Tool(
    name="send",
    description=(
        "Says something to everybody in the room, as a message of yours. Without `to` it wakes nobody; with it each of "
        "these agents gets a new turn. To give agents work, use worker_dispatch: it fills the room with no message."
    ),
    request=OperatorSend,
    answer=OperatorSent,
    run=_send,
)
WORKER_DISPATCH = Tool(
    name="worker_dispatch",
    description=(
        "Gives each agent in `to` a new turn with this work and returns at once. The room shows it as one folded line, "
        "their answers as messages. With supervision, other agents watch and may redirect them."
    ),
    request=WorkerDispatch,
    answer=Dispatched,
    run=_dispatch,
)
WORKER_ASK = Tool(
    name="worker_ask",
    description=(
        "As worker_dispatch, and waits for the answers (timeoutMs, at most 60000, usually 50000). If one of them has "
        "other turns to do first, or the time is over, state is pending: the turns go on; the same call with the same "
        "clientCommandId waits again and asks nothing twice. cancelOnTimeout stops them instead."
    ),
    request=WorkerAsk,
    answer=DispatchAsked,
    run=_ask,
)
DISPATCH_EVENT = Tool(
    name="dispatch_event",
    description=(
        "Hands a message that is in the room (forwardedEventId) to other agents: each agent in `to` gets a new turn in "
        "which it is given that message as its author's, and what you say of it in content. Returns at once."
    ),
    request=DispatchEvent,
    answer=Dispatched,
    run=_dispatch_event,
)
