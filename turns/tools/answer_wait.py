"""What `ask` and `collect` share: to wait for the turns of an ask, within bounds (edge)."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from rooms.transactions import in_reader
from turns.asked import AskedTurn
from turns.member import CallersTurn
from turns.member_answers import Asked
from turns.member_requests import MAX_WAIT_MS
from turns.queries.asked import asked_turns
from turns.tools.asked_answer import HOW_TO_GO_ON, asked_answer
from turns.tools.waiting import WaitingCall, waited_for

USUAL_WAIT_MS = 50_000
"""Clients give a call up after a minute; its answer needs a moment too."""


@dataclass(frozen=True, kw_only=True)
class Waited:
    turns: list[AskedTurn]
    """As they stand after it."""
    is_time_over: bool


class AnswerWait:
    """`choose` says for which of the turns to wait; for none it ends at once."""

    def __init__(
        self,
        message_event_id: str,
        call: WaitingCall,
        asker: CallersTurn | None,
        choose: Callable[[Sequence[AskedTurn]], list[AskedTurn]],
    ) -> None:
        """`asker` is the turn that waits; the assistant's brain waits in none."""
        self._message_event_id, self._call, self._asker, self._choose = message_event_id, call, asker, choose
        self._awaited: dict[str, str] = {}
        """turn id → target"""
        self._heard: Collection[str] = ()

    async def within(self, timeout_ms: int | None) -> Waited:
        """Wait until they have ended, the time is over or the room closes.

        Raises:
            StoreError: the database could not be read.
        """
        wait_ms = min(timeout_ms or USUAL_WAIT_MS, self._call.room.timeouts.ask_ms, MAX_WAIT_MS)
        turns = await waited_for(self._until_ended(), self._call, seconds=wait_ms / 1000, doing=self._doing)
        if turns is None:
            return Waited(turns=await self._look(), is_time_over=True)
        return Waited(turns=turns, is_time_over=False)

    async def _until_ended(self) -> list[AskedTurn]:
        tail = self._call.room.tail
        while True:
            with tail.turn_ends.listening() as listener:  # before the look: an end between the two is heard
                turns = await self._look()
                self._awaited = {turn.turn_id: turn.target for turn in self._choose(turns)}
                if not self._awaited or tail.is_closed:
                    return turns
                self._heard = listener.ended
                await listener.until_ended(self._awaited)

    async def _look(self) -> list[AskedTurn]:
        return await in_reader(asked_turns, self._message_event_id, self._asker)

    def _doing(self) -> str:
        left = [target for turn_id, target in self._awaited.items() if turn_id not in self._heard]
        return f"Waiting for {', '.join(left) or 'the room'}."


def told(
    message_event_id: str,
    correlation_id: str,
    turns: Sequence[AskedTurn],
    call: WaitingCall,
    how_to_go_on: str = HOW_TO_GO_ON,
) -> Asked:
    """How they stand, in the shape of both tools."""
    closes = "The room is closing; what was asked stays asked." if call.room.tail.is_closed else ""
    return asked_answer(message_event_id, correlation_id, turns, why_pending=closes, how_to_go_on=how_to_go_on)
