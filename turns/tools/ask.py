"""`ask`: a question to others, and their answers as what the call gives (edge)."""

import asyncio
from typing import Any

from anyio import CancelScope

from groupx.kernel.errors import GroupXError
from groupx.kernel.logs import get_logger
from rooms.transactions import StoreError, in_db, in_reader
from turns import member_commands
from turns.actions.cancel_asked import cancel_asked
from turns.asked import AskedTurn, to_wait_for_at_first
from turns.member_answers import Asked
from turns.member_requests import AskRequest
from turns.queries.asked import asked_turns
from turns.state import TurnStatus
from turns.tools.answer_wait import AnswerWait, told
from turns.tools.asked_answer import asked_answer
from turns.tools.tool import Tool, ToolCall

log = get_logger()


async def _run(request: AskRequest, call: ToolCall) -> Asked:
    room = call.room
    with CancelScope(shield=True):  # if the client leaves now, it must be known what there is to cancel
        receipt = await in_db(member_commands.ask, request, member=call.member, limits=room.limits, clock=room.clock)
    accepted = receipt.result
    message_event_id, correlation_id = accepted["messageEventId"], accepted["correlationId"]
    try:
        waited = await AnswerWait(message_event_id, call, to_wait_for_at_first).within(request.timeout_ms)
        turns = waited.turns
        if waited.is_time_over and request.cancel_on_timeout:
            await in_db(cancel_asked, message_event_id, clock=room.clock)
            turns = await in_reader(asked_turns, message_event_id, call.member.turn)
    except asyncio.CancelledError:
        if request.cancel_on_timeout and not room.tail.is_closed:
            await _cancel_without_asker(message_event_id, call)
        raise
    except StoreError:
        # An error would say that nothing was asked, and it would be asked again.
        log.exception("answers_not_read", message_event_id=message_event_id)
        return asked_answer(
            message_event_id,
            correlation_id,
            _as_accepted(accepted),
            why_pending="The room's database cannot be used right now; what was asked stays asked.",
        )
    return told(message_event_id, correlation_id, turns, call)


async def _cancel_without_asker(message_event_id: str, call: ToolCall) -> None:
    with CancelScope(shield=True):
        try:
            await in_db(cancel_asked, message_event_id, clock=call.room.clock)
        except (StoreError, GroupXError):  # nobody is left to tell; the turns go on, and a person can cancel them
            log.exception("asked_not_cancelled", message_event_id=message_event_id)


def _as_accepted(accepted: dict[str, Any]) -> list[AskedTurn]:
    return [
        AskedTurn(
            target=turn["target"],
            turn_id=turn["turnId"],
            status=TurnStatus.QUEUED,
            ahead=turn["queuePosition"],
            active_turn_id=turn.get("activeTurnId"),
        )
        for turn in accepted["turns"]
    ]


ASK = Tool(
    name="ask",
    description=(
        "Gives each agent in `to` a new turn with this question and waits for their answers (timeoutMs, at most 60000, "
        "usually 50000). If one of them has other turns to do first, or the time is over, state is pending: the turns "
        "go on, and collect gets their answers later. cancelOnTimeout stops them instead. Everybody can read it all."
    ),
    request=AskRequest,
    answer=Asked,
    run=_run,
)
