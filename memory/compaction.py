"""Sum up the older part of the room, so that what an agent has to be given fits again.

Knows neither turns nor agents' programs: writers are callables, and whoever starts a compaction says what is to be
covered by a look at the database. Nothing is changed before the one transaction that replaces the summary.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from groupx.kernel.clock import Clock, iso
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from memory.actions.ask_for_rollups import ask_for_rollups
from memory.actions.replace_summary import replace_summary
from memory.compaction_lease import Database, while_leased
from memory.compaction_plan import Block, BlockPlan, block_room, entries_of, limit_for
from memory.compaction_prompt import block_prompt
from memory.packet_text import quoted
from memory.queries.compaction import WINDOW_SEQS, Coverage, check_stands, messages_between
from memory.summary_writers import ROUNDS, Failure, SummaryWriters, Writer, Written
from rooms.context_bodies import (
    CompactionBody,
    CompactionCompleted,
    CompactionFailed,
    CompactionRetrying,
    CompactionStarted,
)

log = get_logger()

MAX_BEGINNINGS = 5
"""Of one that others overtake: each time it begins anew with what there is by then."""
NO_PROGRESS = "no_progress"

type Look = Callable[[], Coverage | None]
"""A query: what is to be covered now; None when nothing is, any more."""


@dataclass(frozen=True, kw_only=True)
class CompactionDone:
    compacted: bool
    """False: there was nothing to sum up, or somebody else has done it meanwhile."""
    summary_through_seq: int | None = None
    """Of the summary that this compaction wrote."""


@dataclass(frozen=True, kw_only=True)
class Compaction:
    """For whom the room is summed up, and by whom."""

    operation: Literal["automatic", "manual"]
    turn_id: str | None = None
    context_chars: int
    writers: Callable[[], Awaitable[Sequence[Writer]]]
    """The agents that can be asked now, in the order in which they are."""
    tell: Callable[[CompactionBody], None]
    """Called on the loop with each event; must return at once."""
    database: Database
    clock: Clock


async def compact_room(compaction: Compaction, look: Look) -> CompactionDone:
    """Write a summary of what `look` finds. One at a time: who comes second waits, and looks again.

    Whatever was told to have begun ends in `completed` or `failed`, also when it is cancelled.

    Raises:
        GroupXError: CONTEXT_COMPACTION_FAILED with the reason no_agent, all_failed or no_progress; STORE_CONFLICT when
            others were faster every time. Nothing has changed then.
    """
    run = _Run(compaction)
    read = compaction.database.read
    for _ in range(MAX_BEGINNINGS):
        if await read(look) is None:
            return CompactionDone(compacted=False)
        try:
            return await while_leased(lambda token: run.sum_up(look, token), compaction.database, compaction.clock)
        except GroupXError as error:
            if error.code is not ErrorCode.STORE_CONFLICT:
                raise
            log.info("compaction_overtaken", reason=error.message)
    raise GroupXError(ErrorCode.STORE_CONFLICT, "The room's context changed again and again while it was summed up.")


class _Run:
    def __init__(self, compaction: Compaction) -> None:
        self._of = compaction
        self._coverage: Coverage | None = None
        self._block = self._blocks = 1
        self._writers = SummaryWriters(
            healthy=compaction.writers, clock=compaction.clock, asked=self._tell_asked, retrying=self._tell_retrying
        )

    async def sum_up(self, look: Look, lease_token: str) -> CompactionDone:
        coverage = await self._of.database.read(look)
        if coverage is None:
            return CompactionDone(compacted=False)
        self._coverage = coverage
        try:
            await self._write_summary(coverage, lease_token)
        except asyncio.CancelledError:
            self._tell_failed(ErrorCode.TURN_CANCELLED, "It was stopped before the summary was written.")
            raise
        except GroupXError as error:
            self._tell_failed(error.code, error.message)
            raise
        self._tell(CompactionCompleted)
        return CompactionDone(compacted=True, summary_through_seq=coverage.through_seq)

    async def _write_summary(self, coverage: Coverage, lease_token: str) -> None:
        of = self._of
        plan = await self._plan(coverage)
        blocks, replaced_chars = plan.blocks(), plan.chars + len(quoted(coverage.old_content))
        written = Written(actor_id="", content=coverage.old_content)
        self._blocks = len(blocks)
        limit = limit_for(replaced_chars, of.context_chars)
        for self._block, block in enumerate(blocks, 1):
            await of.database.read(check_stands, coverage, lease_token)  # nobody writes what is of no use any more
            written = await self._writers.write(await self._prompt(block, written.content, limit), limit)
        if len(quoted(written.content)) >= replaced_chars:
            raise GroupXError(
                ErrorCode.CONTEXT_COMPACTION_FAILED,
                "The summary is no shorter than what it would take the place of.",
                reason=NO_PROGRESS,
            )
        # Not earlier: an agent that writes its own memory takes up no block meanwhile.
        await of.database.write(ask_for_rollups, coverage.through_seq, clock=of.clock)
        await of.database.write(
            replace_summary,
            coverage,
            writer_id=written.actor_id,
            content=written.content,
            lease_token=lease_token,
            clock=of.clock,
        )

    async def _plan(self, coverage: Coverage) -> BlockPlan:
        plan = BlockPlan(block_room(self._of.context_chars))
        for first in range(coverage.after_seq + 1, coverage.through_seq + 1, WINDOW_SEQS):
            last = min(first + WINDOW_SEQS - 1, coverage.through_seq)
            for message in await self._of.database.read(messages_between, first, last):
                plan.add(message)
        return plan

    async def _prompt(self, block: Block, summary_so_far: str, limit: int) -> str:
        messages = await self._of.database.read(messages_between, block.begin.seq, block.end.seq)
        return block_prompt(
            summary_so_far=summary_so_far,
            entries=entries_of(block, messages),
            limit=limit,
            block=self._block,
            blocks=self._blocks,
        )

    # ------------------------------------------------------------ what is told
    def _tell(self, kind: type[CompactionBody], **more: object) -> None:
        coverage = self._coverage
        assert coverage is not None
        body = kind.model_validate(
            {
                "operation": self._of.operation,
                "turn_id": self._of.turn_id,
                "from_seq": coverage.from_seq,
                "through_seq": coverage.through_seq,
                **more,
            }
        )
        self._of.tell(body)

    def _tell_asked(self, actor_id: str) -> None:
        self._tell(CompactionStarted, actor_id=actor_id, block=self._block, blocks=self._blocks)

    def _tell_retrying(self, failure: Failure) -> None:
        next_attempt = self._of.clock.now() + timedelta(seconds=failure.pause_seconds)
        self._tell(
            CompactionRetrying,
            actor_id=failure.actor_id,
            block=self._block,
            blocks=self._blocks,
            attempt=failure.round,
            max_attempts=ROUNDS,
            next_attempt_at=iso(next_attempt) if failure.pause_seconds else None,
            error_code=failure.code.value,
            message=failure.message,
        )

    def _tell_failed(self, code: ErrorCode, message: str) -> None:
        self._tell(CompactionFailed, error_code=code.value, message=message)
