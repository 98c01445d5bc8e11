"""The assistant hands a message of the room to other agents; its author stays its author."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from rooms.caller import Caller
from rooms.operator_bodies import Operation
from rooms.transactions import joins
from turns.actions.accept_message import NewMessage, accept_message
from turns.answers import MessageAccepted
from turns.message_checks import check_forwarded
from turns.operator_requests import DispatchEvent
from turns.state import CommandType

ANSWER_IT = "Answer the message that this one replies to. Somebody else has written it; it is handed to you."


def dispatch_event(request: DispatchEvent, *, caller: Caller, limits: Limits, clock: Clock) -> MessageAccepted:
    """The new turns answer a message, or work, that replies to the one that is handed on: so each agent is given it in
    its reply chain, whole and quoted as its author's. Joins the transaction of `run_once`.

    Raises:
        GroupXError: NOT_FOUND for anything but a message or work of the room; whatever `accept_message` refuses.
    """
    joins()
    check_forwarded(request.forwarded_event_id)
    message = NewMessage(
        to=request.to,
        content=request.content or ANSWER_IT,
        command_type=CommandType.DISPATCH_EVENT,
        reply_to_event_id=request.forwarded_event_id,
        forwarded_event_id=request.forwarded_event_id,
        supervision=request.supervision,
        operation=Operation.DISPATCH_EVENT,
    )
    return accept_message(message, caller=caller, limits=limits, clock=clock)
