"""An agent says something to everybody and wakes nobody."""

from groupx.kernel.clock import Clock
from groupx.kernel.config import Limits
from rooms.actions.append_event import append_events
from rooms.bodies import MessageCreated
from rooms.new_event import NewEvent
from rooms.transactions import joins
from turns.answers import Published
from turns.member import Member
from turns.message_checks import check_reply, check_size
from turns.queries.members import check_still_in_turn


def publish_message(
    content: str, reply_to_event_id: str | None, *, member: Member, limits: Limits, clock: Clock
) -> Published:
    """Append a message without targets to the chain of the member's turn. Joins the transaction of `run_once`.

    Raises:
        GroupXError: SESSION_NOT_AVAILABLE, MESSAGE_TOO_LARGE, NOT_FOUND (replyToEventId).
    """
    joins()
    check_still_in_turn(member.turn)
    check_size(content, limits)
    check_reply(reply_to_event_id)
    turn = member.turn
    event = NewEvent(
        body=MessageCreated(content=content),
        actor=member.caller.actor,
        source_kind=member.caller.source_kind,
        correlation_id=turn.correlation_id,
        root_correlation_id=turn.root_correlation_id,
        causation_id=turn.turn_id,
        reply_to_event_id=reply_to_event_id or turn.source_event_id,
    )
    append_events([event], clock=clock)
    return {"messageEventId": event.event_id, "correlationId": event.correlation_id}
