"""Compactions with scripted writers on a real room: what the tests of compaction stand on."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode
from memory.compaction import Compaction, CompactionDone, compact_room
from memory.compaction_lease import Database
from memory.models import Summary
from memory.queries.compaction import coverage
from memory.summary_writers import Writer, WriterFailed
from rooms.actions.append_event import append_events
from rooms.bodies import MessageCreated
from rooms.caller import PERSON
from rooms.context_bodies import CompactionBody
from rooms.new_event import NewEvent
from rooms.queries import last_seq
from rooms.transactions import durable, in_db, in_reader
from rooms.vocabulary import SourceKind
from tests import given

DATABASE = Database(read=in_reader, write=in_db)
type Answer = str | WriterFailed | asyncio.Event | Callable[[str], object]
"""What a writer says, how it fails, a gate that it waits at before it says "noted", or what it does first."""


def for_a_time(seconds: float | None = None) -> WriterFailed:
    return WriterFailed(
        ErrorCode.NATIVE_RATE_LIMITED, "The service is busy.", is_temporary=True, retry_after_seconds=seconds
    )


def for_good() -> WriterFailed:
    return WriterFailed(ErrorCode.NATIVE_AUTH_REQUIRED, "The agent is not signed in.", is_temporary=False)


class Scripted:
    """Agents that write summaries: each says its answers one after the other, the last one again and again."""

    def __init__(self, clock: Clock, *, context_chars: int = 256_000, **answers: Sequence[Answer]) -> None:
        self.prompts: list[tuple[str, str]] = []
        """Who was asked, and what."""
        self.told: list[CompactionBody] = []
        self.is_asked = asyncio.Event()
        self._answers = {f"agent:{name}": list(script) for name, script in answers.items()}
        self.compaction = Compaction(
            operation="manual",
            context_chars=context_chars,
            writers=self._writers,
            tell=self.told.append,
            database=DATABASE,
            clock=clock,
        )

    async def compact(self, through_seq: int | None = None, *, keeps: int = 12) -> CompactionDone:
        """All but the newest messages."""
        through = through_seq or await in_reader(last_seq)
        return await compact_room(self.compaction, lambda: coverage(through, lambda kept: len(kept) <= keeps))

    def on(self, database: Database) -> "Scripted":
        """In a process that reaches the database so."""
        self.compaction = replace(self.compaction, database=database)
        return self

    @property
    def asked(self) -> list[str]:
        return [actor_id.removeprefix("agent:") for actor_id, _ in self.prompts]

    @property
    def kinds(self) -> list[str]:
        """Of what was told, without what all have in common."""
        return [body.event_type.removeprefix("context.compaction.") for body in self.told]

    async def _writers(self) -> list[Writer]:
        return [self._writer(actor_id) for actor_id in self._answers]

    def _writer(self, actor_id: str) -> Writer:
        async def write(prompt: str, limit: int) -> str:
            self.prompts.append((actor_id, prompt))
            self.is_asked.set()
            script = self._answers[actor_id]
            answer = script.pop(0) if len(script) > 1 else script[0]
            if isinstance(answer, WriterFailed):
                raise answer
            if isinstance(answer, asyncio.Event):
                await answer.wait()
                return "noted"
            if isinstance(answer, str):
                return answer
            return str(await in_db(answer, prompt) or "noted")

        return Writer(actor_id=actor_id, name=actor_id.removeprefix("agent:").title(), write=write)


@durable
def said(count: int, *, clock: Clock, content: str = "a message of the room, of some length") -> list[int]:
    """Messages that a person and an agent write in turn, and that wake nobody; gives their seqs."""
    speakers = ((PERSON, SourceKind.WEB), (given.agent("scribe"), SourceKind.MCP))
    new = [
        NewEvent(
            body=MessageCreated(content=f"{content} ({number})"),
            actor=speakers[number % 2][0],
            source_kind=speakers[number % 2][1],
            correlation_id=f"corr_{number}",
            root_correlation_id=f"corr_{number}",
        )
        for number in range(1, count + 1)
    ]
    return [event.seq for event in append_events(new, clock=clock)]


def active_summary() -> Summary | None:
    return Summary.objects.filter(status="active").first()
