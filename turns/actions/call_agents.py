"""An agent in its turn calls others: a send or an ask, just as it was asked for."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from turns.actions.accept_message import NewMessage, accept_message
from turns.answers import MessageAccepted
from turns.member import Member
from turns.member_requests import SendRequest
from turns.state import CommandType


def call_agents(
    request: SendRequest, command_type: CommandType, *, member: Member, limits: Limits, clock: Clock
) -> MessageAccepted:
    """Joins the transaction of `run_once`. Raises what `accept_message` does."""
    message = NewMessage(
        to=request.to,
        content=request.content,
        command_type=command_type,
        reply_to_event_id=request.reply_to_event_id,
        forwarded_event_id=request.forwarded_event_id,
        supervision=request.supervision,
    )
    return accept_message(message, caller=member.caller, parent=member.turn, limits=limits, clock=clock)
