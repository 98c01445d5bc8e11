"""The answers to a question that was accepted, as what a call gives: for agents and for the assistant (edge)."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any, Protocol

from anyio import CancelScope

from groupx.kernel.errors import GroupXError
from groupx.kernel.logs import get_logger
from rooms.transactions import StoreError, in_db, in_reader
from turns.actions.cancel_asked import cancel_asked
from turns.asked import AskedTurn, to_wait_for_at_first
from turns.member import CallersTurn
from turns.member_answers import Asked
from turns.queries.asked import asked_turns
from turns.state import TurnStatus
from turns.tools.answer_wait import AnswerWait, told
from turns.tools.asked_answer import HOW_TO_GO_ON, asked_answer
from turns.tools.waiting import WaitingCall

log = get_logger()


class Patience(Protocol):
    @property
    def timeout_ms(self) -> int | None: ...
    @property
    def cancel_on_timeout(self) -> bool: ...


async def answers_to(
    accepted: dict[str, Any],
    patience: Patience,
    call: WaitingCall,
    asker: CallersTurn | None,
    *,
    choose: Callable[[Sequence[AskedTurn]], list[AskedTurn]] = to_wait_for_at_first,
    how_to_go_on: str = HOW_TO_GO_ON,
) -> Asked:
    """Wait for those turns of an accepted message that `choose` names; `asker` is the turn that waits, where there is
    one. `how_to_go_on` says how the answers are got that are not there yet."""
    room = call.room
    message_event_id, correlation_id = accepted["messageEventId"], accepted["correlationId"]
    try:
        waited = await AnswerWait(message_event_id, call, asker, choose).within(patience.timeout_ms)
        turns = waited.turns
        if waited.is_time_over and patience.cancel_on_timeout:
            await in_db(cancel_asked, message_event_id, clock=room.clock)
            turns = await in_reader(asked_turns, message_event_id, asker)
    except asyncio.CancelledError:
        if patience.cancel_on_timeout and not room.tail.is_closed:
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
            how_to_go_on=how_to_go_on,
        )
    return told(message_event_id, correlation_id, turns, call, how_to_go_on)


async def _cancel_without_asker(message_event_id: str, call: WaitingCall) -> None:
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
