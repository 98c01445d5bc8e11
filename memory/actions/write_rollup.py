"""A day of an agent's memory is written: the new text takes the place of the old, and what went in waits no longer."""

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import new_memory_id
from memory.actions.leave_active import leave_active
from memory.actions.tell_room import tell_room, written
from memory.drafts import Occasion
from memory.models import MemoryRecord, RollupSource, RollupState
from memory.queries.rollups import active_rollup
from memory.rollup_prompt import RollupBatch
from memory.vocabulary import AgentMemoryType, MemoryKind, MemoryScope, RecordSource, RecordStatus
from rooms.bodies import MemoryRemembered, MemorySuperseded, ScopeTold
from rooms.caller import Caller
from rooms.envelope import ActorRef
from rooms.transactions import durable, joins
from rooms.vocabulary import SourceKind


@durable
def write_rollup(batch: RollupBatch, content: str | None, *, agent: ActorRef, clock: Clock) -> str | None:
    """Keep `content` as the agent's memory of the day, and tell the room; gives the record's id.

    With None nothing of the batch is worth keeping: its turns only wait no longer, and what was remembered stays.

    Raises:
        GroupXError: STORE_CONFLICT when the day is another since the batch was made: somebody else has written it, or
            the person has retracted what it goes on from. The turns of the batch that still wait go on waiting.
    """
    record = None if content is None else _keep(batch, content, agent, clock)
    waiting = RollupSource.objects.filter(pk__in=batch.source_ids, rolled_at=None)
    if waiting.update(rolled_at=clock.now(), record=record) != len(batch.source_ids):
        raise _another_day()
    _forget_failures(batch)
    return record.record_id if record else None


def _keep(batch: RollupBatch, content: str, agent: ActorRef, clock: Clock) -> MemoryRecord:
    joins()
    now = active_rollup(batch.actor_id, batch.day)
    if (now.record_id if now else None) != batch.record_id:
        raise _another_day()
    old = leave_active(MemoryRecord, batch.record_id, RecordStatus.SUPERSEDED) if batch.record_id else None
    memory_id = new_memory_id()
    facts = {
        "memory_id": memory_id,
        "scope": ScopeTold(type=MemoryScope.AGENT, id=batch.actor_id),
        "agent_memory_type": AgentMemoryType.DATED,
        "kind": MemoryKind.SUMMARY,
        "subject_actor_id": batch.actor_id,
    }
    body = MemorySuperseded(supersedes=old.record_id, **facts) if old else MemoryRemembered(**facts)
    caller = Caller(actor=agent, binding_id="", source_kind=SourceKind.GENERATED_SUMMARY)
    event = tell_room(body, caller=caller, occasion=Occasion(), clock=clock)
    record: MemoryRecord = MemoryRecord.objects.create(
        record_id=memory_id,
        scope_type=MemoryScope.AGENT.value,
        scope_id=batch.actor_id,
        agent_memory_type=AgentMemoryType.DATED.value,
        day=batch.day,
        kind=MemoryKind.SUMMARY.value,
        subject_id=batch.actor_id,
        content=content,
        supersedes=old,
        **written(event, caller) | {"source_kind": RecordSource.AUTOMATIC_ROLLUP.value},
    )
    return record


def _forget_failures(batch: RollupBatch) -> None:
    """A compaction that waits goes on waiting while turns of the day do."""
    state = RollupState.objects.filter(actor_id=batch.actor_id, day=batch.day)
    if RollupSource.objects.filter(actor_id=batch.actor_id, day=batch.day, rolled_at=None).exists():
        state.update(failures=0, next_attempt_at=None, last_error="")
    else:
        state.delete()


def _another_day() -> GroupXError:
    return GroupXError(ErrorCode.STORE_CONFLICT, "This day's memory has changed meanwhile. It is read again.")
