"""Sum up the room by asking its agents: from a lane, before a turn that needs it, or because a person wants it."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from memory.compaction import NO_PROGRESS, Compaction, CompactionDone, compact_room
from memory.compaction_lease import Database
from memory.compaction_plan import answer_fault
from memory.gather import gather_packet_inputs
from memory.packet import build_packet
from memory.queries.compaction import Coverage, coverage
from memory.summary_writers import Writer, WriterFailed
from memory.whole_packet import fits_any_packet, is_whole_with
from rooms.context_bodies import CompactionBody, CompactionStarted
from rooms.queries import last_seq
from rooms.transactions import in_db, in_reader
from turns.actions.claim_turn import ClaimedTurn
from turns.agent_jobs import ask_agent
from turns.control import LaneControl
from turns.job_ends import JobFailed
from turns.lane_link import LaneLink
from turns.lane_store import LaneStore
from turns.queries.healthy import healthy_agents
from turns.queries.lane import delivered_through
from turns.sessions import LiveSession
from turns.state import LaneStatus

MORE_ROOM = "Raise limits.contextCharacters or reset the context, then retry."


async def compact_now(tell: Callable[[CompactionBody], None], *, context_chars: int, clock: Clock) -> CompactionDone:
    """Sum up all that is older than the newest messages, in the server's process.

    Raises:
        GroupXError: CONTEXT_COMPACTION_FAILED and others, as `compact_room`.
        StoreError: the database could not be used.
    """
    compaction = Compaction(
        operation="manual",
        context_chars=context_chars,
        writers=lambda: _writers("manual", clock),
        tell=tell,
        database=Database(read=in_reader, write=in_db),
        clock=clock,
    )
    return await compact_room(
        compaction, lambda: coverage(last_seq(), lambda kept: fits_any_packet(context_chars, kept))
    )


@dataclass(frozen=True, kw_only=True)
class TurnCompaction:
    """Makes room for the turns of one lane."""

    context_chars: int
    link: LaneLink
    store: LaneStore
    control: LaneControl
    clock: Clock

    async def run(self, claimed: ClaimedTurn, live: LiveSession) -> None:
        """Returns when the room is summed up, when there is nothing to sum up, or at once when the turn is cancelled or
        the lane is to stop.

        Raises:
            GroupXError: CONTEXT_BUDGET_EXCEEDED when it was not summed up.
            OperationalError, InterfaceError: the lane is to close, and the database does not answer.
        """
        started: asyncio.Queue[CompactionStarted] = asyncio.Queue()

        def tell(body: CompactionBody) -> None:
            self.link.transient(body, actor=live.agent, correlation_id=claimed.correlation_id)
            if isinstance(body, CompactionStarted):
                started.put_nowait(body)

        compaction = Compaction(
            operation="automatic",
            turn_id=claimed.turn_id,
            context_chars=self.context_chars,
            writers=lambda: _writers(claimed.turn_id, self.clock),
            tell=tell,
            database=Database(read=self.store.read, write=self.store.write),
            clock=self.clock,
        )
        native_session_id = live.info.native_session_id
        await self.store.show(LaneStatus.WORKING, "Summing up the room before the turn.")
        compacting = asyncio.create_task(
            compact_room(compaction, lambda: self._coverage(claimed, native_session_id)), name="compaction"
        )
        try:
            while not compacting.done() and not self._is_unwanted(claimed):
                await self._wait(compacting, started)
            if compacting.done():
                compacting.result()
        except GroupXError as error:
            raise _not_summed_up(error) from error
        finally:
            compacting.cancel()
            await asyncio.gather(compacting, return_exceptions=True)
            await self.store.show(LaneStatus.WORKING)

    def _is_unwanted(self, claimed: ClaimedTurn) -> bool:
        """The turn is not to be sent now."""
        return self.control.stop is not None or claimed.turn_id in self.control.cancelled_turn_ids

    async def _wait(self, compacting: asyncio.Task[CompactionDone], started: asyncio.Queue[CompactionStarted]) -> None:
        """Until it has ended, something is wanted of the lane, or there is something new to say on its card."""
        news = asyncio.create_task(started.get(), name="compaction-news")
        changed = asyncio.create_task(self.control.changed(), name="lane-control")
        try:
            await self.clock.wait({compacting, news, changed}, None)
            if news.done() and (part := news.result()).blocks not in (None, 1):
                await self.store.show(
                    LaneStatus.WORKING, f"Summing up the room before the turn: part {part.block} of {part.blocks}."
                )
        finally:
            for task in (news, changed):
                task.cancel()
            await asyncio.gather(news, changed, return_exceptions=True)

    def _coverage(self, claimed: ClaimedTurn, native_session_id: str) -> Coverage | None:
        """None when the turn's packet is whole by now, or nothing more can be covered for it."""
        inputs = gather_packet_inputs(
            target_id=claimed.target_id,
            source=claimed.source_event_id,
            root_correlation_id=claimed.root_correlation_id,
            given_through_seq=delivered_through(claimed.target_id, native_session_id),
            through_seq=claimed.context_through_seq,
            max_chars=self.context_chars,
        )
        if not build_packet(inputs).needs_compaction:
            return None
        return coverage(claimed.context_through_seq, lambda kept: is_whole_with(inputs, kept))


async def _writers(asked_by: str, clock: Clock) -> Sequence[Writer]:
    healthy = await in_reader(healthy_agents)
    return [_writer(actor_id, name, asked_by, clock) for actor_id, name in healthy.items()]


def _writer(actor_id: str, name: str, asked_by: str, clock: Clock) -> Writer:
    async def write(prompt: str, limit: int) -> str:
        try:
            return await ask_agent(
                actor_id,
                prompt,
                asked_by=asked_by,
                is_good=lambda answer: answer_fault(answer, limit) is None,
                clock=clock,
            )
        except JobFailed as error:
            raise WriterFailed(
                error.code,
                error.message,
                is_temporary=error.is_temporary,
                retry_after_seconds=error.retry_after_seconds,
            ) from error

    return Writer(actor_id=actor_id, name=name, write=write)


def still_too_long() -> GroupXError:
    """Of a packet that is not whole, although the room was summed up as far as it can be."""
    return GroupXError(
        ErrorCode.CONTEXT_BUDGET_EXCEEDED,
        "What was said in the room does not fit, even summed up.",
        hint=MORE_ROOM,
    )


def _not_summed_up(error: GroupXError) -> GroupXError:
    hint = MORE_ROOM if error.details.get("reason") == NO_PROGRESS else "Look at the agents' cards, and retry."
    return GroupXError(
        ErrorCode.CONTEXT_BUDGET_EXCEEDED,
        f"What was said in the room does not fit, and was not summed up: {error.message}",
        hint=hint,
    )
