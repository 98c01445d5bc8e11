"""Something is kept for later: in memory, or of who somebody is."""

from groupx.kernel.clock import Clock
from groupx.kernel.ids import new_identity_id, new_memory_id
from memory.actions.checks import check_actor, check_content, check_scope, check_source
from memory.actions.tell_room import kept, tell_room, written
from memory.answers import IdentityKept, MemoryKept
from memory.drafts import IdentityDraft, MemoryDraft, Occasion
from memory.models import IdentityRecord, MemoryRecord
from rooms.bodies import IdentityRemembered, MemoryRemembered, ScopeTold
from rooms.caller import Caller
from rooms.transactions import joins


def remember_memory(draft: MemoryDraft, *, caller: Caller, occasion: Occasion, clock: Clock) -> MemoryKept:
    """Keep it and tell the room. Joins the transaction of `run_once`.

    Raises:
        GroupXError: MESSAGE_TOO_LARGE, NOT_FOUND, UNKNOWN_ACTOR, INVALID_ENVELOPE (memory/actions/checks.py).
    """
    joins()
    check_content(draft.content)
    check_scope(draft, caller)
    if draft.subject_id is not None:
        check_actor(draft.subject_id, "subjectActorId")
    check_source(draft.source_event_id)
    memory_id = new_memory_id()
    body = MemoryRemembered(
        memory_id=memory_id,
        scope=ScopeTold(type=draft.scope_type, id=draft.scope_id),
        agent_memory_type=draft.agent_memory_type,
        kind=draft.kind,
        subject_actor_id=draft.subject_id,
        source_event_id=draft.source_event_id,
    )
    event = tell_room(body, caller=caller, occasion=occasion, clock=clock)
    MemoryRecord.objects.create(
        record_id=memory_id,
        scope_type=draft.scope_type,
        scope_id=draft.scope_id,
        agent_memory_type=draft.agent_memory_type,
        kind=draft.kind,
        subject_id=draft.subject_id,
        content=draft.content,
        source_event_id=draft.source_event_id,
        **written(event, caller),
    )
    return {"memoryId": memory_id, **kept(event)}


def remember_identity(draft: IdentityDraft, *, caller: Caller, occasion: Occasion, clock: Clock) -> IdentityKept:
    """Keep it and tell the room. Joins the transaction of `run_once`.

    Raises:
        GroupXError: MESSAGE_TOO_LARGE, NOT_FOUND, UNKNOWN_ACTOR (memory/actions/checks.py).
    """
    joins()
    check_content(draft.content)
    check_actor(draft.subject_id, "subjectActorId")
    check_source(draft.source_event_id)
    identity_id = new_identity_id()
    body = IdentityRemembered(
        identity_id=identity_id,
        kind=draft.kind,
        subject_actor_id=draft.subject_id,
        source_event_id=draft.source_event_id,
    )
    event = tell_room(body, caller=caller, occasion=occasion, clock=clock)
    IdentityRecord.objects.create(
        record_id=identity_id,
        subject_id=draft.subject_id,
        kind=draft.kind,
        content=draft.content,
        source_event_id=draft.source_event_id,
        **written(event, caller),
    )
    return {"identityId": identity_id, **kept(event)}
