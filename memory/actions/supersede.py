"""A new version takes the place of a record, in the same scope and about the same subject."""

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.ids import new_identity_id, new_memory_id
from memory.actions.checks import check_content, check_source
from memory.actions.leave_active import leave_active
from memory.actions.tell_room import kept, tell_room, written
from memory.answers import IdentityKept, MemoryKept
from memory.drafts import Occasion, Revision
from memory.models import IdentityRecord, MemoryRecord
from memory.vocabulary import AgentMemoryType, RecordStatus
from rooms.bodies import IdentitySuperseded, MemorySuperseded, ScopeTold
from rooms.caller import Caller
from rooms.transactions import joins


def supersede_memory(
    memory_id: str, revision: Revision, *, caller: Caller, occasion: Occasion, clock: Clock
) -> MemoryKept:
    """Joins the transaction of `run_once`.

    Raises:
        GroupXError: MESSAGE_TOO_LARGE, NOT_FOUND (also sourceEventId), STORE_CONFLICT when it is active no longer, or
            is dated memory, which its agent alone writes.
    """
    joins()
    check_content(revision.content)
    check_source(revision.source_event_id)
    old = leave_active(MemoryRecord, memory_id, RecordStatus.SUPERSEDED)
    if old.agent_memory_type == AgentMemoryType.DATED:
        raise GroupXError(ErrorCode.STORE_CONFLICT, "Dated memory is written by its agent alone; it can be retracted.")
    new_id, kind = new_memory_id(), revision.kind or old.kind
    body = MemorySuperseded(
        memory_id=new_id,
        supersedes=memory_id,
        scope=ScopeTold(type=old.scope_type, id=old.scope_id),
        agent_memory_type=old.agent_memory_type,
        kind=kind,
        subject_actor_id=old.subject_id,
        source_event_id=revision.source_event_id,
    )
    event = tell_room(body, caller=caller, occasion=occasion, clock=clock)
    MemoryRecord.objects.create(
        record_id=new_id,
        scope_type=old.scope_type,
        scope_id=old.scope_id,
        agent_memory_type=old.agent_memory_type,
        kind=kind,
        subject_id=old.subject_id,
        content=revision.content,
        source_event_id=revision.source_event_id,
        supersedes=old,
        **written(event, caller),
    )
    return {"memoryId": new_id, **kept(event), "supersedes": memory_id}


def supersede_identity(
    identity_id: str, revision: Revision, *, caller: Caller, occasion: Occasion, clock: Clock
) -> IdentityKept:
    """Joins the transaction of `run_once`.

    Raises:
        GroupXError: MESSAGE_TOO_LARGE, NOT_FOUND (also sourceEventId), STORE_CONFLICT when it is active no longer.
    """
    joins()
    check_content(revision.content)
    check_source(revision.source_event_id)
    old = leave_active(IdentityRecord, identity_id, RecordStatus.SUPERSEDED)
    new_id, kind = new_identity_id(), revision.kind or old.kind
    body = IdentitySuperseded(
        identity_id=new_id,
        supersedes=identity_id,
        kind=kind,
        subject_actor_id=old.subject_id,
        source_event_id=revision.source_event_id,
    )
    event = tell_room(body, caller=caller, occasion=occasion, clock=clock)
    IdentityRecord.objects.create(
        record_id=new_id,
        subject_id=old.subject_id,
        kind=kind,
        content=revision.content,
        source_event_id=revision.source_event_id,
        supersedes=old,
        **written(event, caller),
    )
    return {"identityId": new_id, **kept(event), "supersedes": identity_id}
