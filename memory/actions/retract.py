"""A record counts no longer. It stays, as retracted, and reaches nobody's context."""

from groupx.kernel.clock import Clock
from memory.actions.leave_active import leave_active
from memory.actions.tell_room import retracted, tell_room
from memory.answers import IdentityRetracted, MemoryRetracted
from memory.drafts import Occasion
from memory.models import IdentityRecord, MemoryRecord
from memory.vocabulary import RecordStatus
from rooms import bodies
from rooms.caller import Caller


def retract_memory(memory_id: str, *, caller: Caller, occasion: Occasion, clock: Clock) -> MemoryRetracted:
    """Joins the transaction of `run_once`.

    Raises:
        GroupXError: NOT_FOUND; STORE_CONFLICT when it is active no longer.
    """
    now = clock.now()
    old = leave_active(MemoryRecord, memory_id, RecordStatus.RETRACTED, retracted_at=now)
    body = bodies.MemoryRetracted(
        memory_id=memory_id,
        scope=bodies.ScopeTold(type=old.scope_type, id=old.scope_id),
        agent_memory_type=old.agent_memory_type,
        kind=old.kind,
        subject_actor_id=old.subject_id,
    )
    event = tell_room(body, caller=caller, occasion=occasion, clock=clock)
    return {"memoryId": memory_id, **retracted(event, now)}


def retract_identity(identity_id: str, *, caller: Caller, occasion: Occasion, clock: Clock) -> IdentityRetracted:
    """Joins the transaction of `run_once`.

    Raises:
        GroupXError: NOT_FOUND; STORE_CONFLICT when it is active no longer.
    """
    now = clock.now()
    old = leave_active(IdentityRecord, identity_id, RecordStatus.RETRACTED, retracted_at=now)
    body = bodies.IdentityRetracted(identity_id=identity_id, kind=old.kind, subject_actor_id=old.subject_id)
    event = tell_room(body, caller=caller, occasion=occasion, clock=clock)
    return {"identityId": identity_id, **retracted(event, now)}
