"""`watch`: an observer waits for what happens next in the turn that it watches (edge)."""

import asyncio
from dataclasses import replace

from rooms.transactions import in_db, in_reader
from turns.actions.note_observed import note_observed
from turns.member_requests import MAX_WAIT_MS
from turns.queries.watching import facts_of, find_subject
from turns.supervision import WorkerTurn
from turns.supervision_requests import WatchRequest, WatchUntil
from turns.tools.answer_wait import USUAL_WAIT_MS
from turns.tools.tool import Tool, ToolCall
from turns.tools.waiting import waited_for
from turns.watch_answers import Watched
from turns.watching import TEXT_SECONDS, Facts, Told, is_text_due, news_in, told_after, watched_answer


class _Watch:
    """One call. What its observer was told before is remembered while the server lives (`room.told`); after a restart
    it is told what stands in the log, and what is live, anew."""

    def __init__(self, request: WatchRequest, subject: WorkerTurn, call: ToolCall) -> None:
        self._call, self._subject = call, subject
        self._live = call.room.tail.live
        self._key = (call.member.turn.turn_id, subject.turn_id)
        told = call.room.told.get(self._key) or Told()
        self._told = told if request.after_seq is None else replace(told, seq=request.after_seq)

    async def until_terminal(self) -> None:
        tail = self._call.room.tail
        while True:
            with tail.turn_ends.listening() as listener:  # before the look: an end between the two is heard
                facts = await self._look()
                if facts.is_over or tail.is_closed:
                    return
                await listener.until_ended([self._subject.turn_id])

    async def until_milestone(self) -> None:
        tail = self._call.room.tail
        while True:
            with self._live.news.listening(self._subject.turn_id) as bell:
                facts = await self._look()
                is_over = facts.is_over or tail.is_closed
                if is_over or news_in(facts, self._told, self._now()):
                    return
                if await self._rings_or_text_is_due(bell):
                    return

    async def _rings_or_text_is_due(self, bell: asyncio.Event) -> bool:
        """False when the bell rang, True when enough time has passed for text that has come."""
        ringing = asyncio.create_task(bell.wait(), name="watch-bell")
        try:
            while not await self._call.room.clock.wait({ringing}, TEXT_SECONDS):
                sight = self._live.sight_of(self._subject.turn_id)
                if sight is not None and is_text_due(sight, self._told, self._now()):
                    return True
            return False
        finally:
            ringing.cancel()
            await asyncio.gather(ringing, return_exceptions=True)

    async def answer(self) -> Watched:
        """How it stands now; what is told here is not told again."""
        facts, now = await self._look(), self._now()
        news = news_in(facts, self._told, now)
        self._call.room.told.put(self._key, told_after(facts, self._told, now))
        closes = "The room is closing; the turns go on." if self._call.room.tail.is_closed else ""
        return watched_answer(facts, news, note=closes)

    def doing(self) -> str:
        return f"Watching {self._subject.target}."

    async def _look(self) -> Facts:
        turn = self._call.member.turn
        facts = await in_reader(facts_of, turn, self._subject.turn_id, self._told.seq)
        sight = self._live.sight_of(self._subject.turn_id)
        if sight is not None and sight.changes < self._told.tool_changes:  # its lane has begun it anew
            self._told = Told(seq=self._told.seq)
        return replace(facts, live=sight)

    def _now(self) -> float:
        return self._call.room.clock.monotonic()


async def _run(request: WatchRequest, call: ToolCall) -> Watched:
    subject = await in_reader(find_subject, call.member.turn, request.subject_turn_id)
    if call.room.told.get((call.member.turn.turn_id, subject.turn_id)) is None:
        await in_db(note_observed, subject, member=call.member, clock=call.room.clock)
    watch = _Watch(request, subject, call)
    wait_ms = min(request.timeout_ms or USUAL_WAIT_MS, call.room.timeouts.watch_ms, MAX_WAIT_MS)
    waiting = watch.until_terminal() if request.until is WatchUntil.TERMINAL else watch.until_milestone()
    await waited_for(waiting, call, seconds=wait_ms / 1000, doing=watch.doing)
    return await watch.answer()


WATCH = Tool(
    name="watch",
    description=(
        "For observers, in the turn that made them one: waits (timeoutMs, at most 60000, usually 50000) for the next "
        "milestone or the end of the turn you watch, and tells how it stands: status, tools by name, excerpts of what "
        "its agent says. Changes nothing and wakes nobody. Call it again until there is nothing left to watch."
    ),
    request=WatchRequest,
    answer=Watched,
    run=_run,
)
