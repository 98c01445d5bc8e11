"""The assistant hands a message of the room to other agents: they are given its text, under its author's name."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from rooms.caller import Caller
from rooms.models import Event
from rooms.operator_bodies import Operation
from rooms.transactions import joins
from turns.actions.accept_message import NewMessage, accept_message
from turns.answers import MessageAccepted
from turns.message_checks import check_forwarded
from turns.operator_requests import DispatchEvent
from turns.state import CommandType


def dispatch_event(request: DispatchEvent, *, caller: Caller, limits: Limits, clock: Clock) -> MessageAccepted:
    """Joins the transaction of `run_once`. The event names the message as the one that was forwarded.

    Raises:
        GroupXError: NOT_FOUND for anything but a message or work of the room; whatever `accept_message` refuses.
    """
    joins()
    check_forwarded(request.forwarded_event_id)
    message = NewMessage(
        to=request.to,
        content=_given(request, Event.objects.get(event_id=request.forwarded_event_id)),
        command_type=CommandType.DISPATCH_EVENT,
        forwarded_event_id=request.forwarded_event_id,
        supervision=request.supervision,
        operation=Operation.DISPATCH_EVENT,
    )
    return accept_message(message, caller=caller, limits=limits, clock=clock)


def _given(request: DispatchEvent, forwarded: Event) -> str:
    """What the assistant adds, and then the message."""
    head = f"{forwarded.actor_name} ({forwarded.actor_id}) wrote, id={forwarded.event_id}:"
    whole = f"{head}\n\n{forwarded.body['content']}"
    return f"{request.content}\n\n{whole}" if request.content else whole
