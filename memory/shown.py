"""Records as clients see them."""

from groupx.kernel.clock import iso

from .answers import Identity, Memory, RecordShown
from .models import IdentityRecord, MemoryRecord
from .vocabulary import AgentMemoryType, IdentityKind, MemoryKind, MemoryScope, RecordSource, RecordStatus


def shown_memory(record: MemoryRecord) -> Memory:
    shown: Memory = {
        "memoryId": record.record_id,
        "scope": {"type": MemoryScope(record.scope_type), "id": record.scope_id},
        "kind": MemoryKind(record.kind),
        **_shown(record),
    }
    if record.agent_memory_type:
        shown["agentMemoryType"] = AgentMemoryType(record.agent_memory_type)
    if record.day:
        shown["day"] = record.day.isoformat()
    if record.subject_id:
        shown["subjectActorId"] = record.subject_id
    return shown


def shown_identity(record: IdentityRecord) -> Identity:
    return {
        "identityId": record.record_id,
        "kind": IdentityKind(record.kind),
        "subjectActorId": record.subject_id,
        **_shown(record),
    }


def _shown(record: MemoryRecord | IdentityRecord) -> RecordShown:
    shown: RecordShown = {
        "authorActorId": record.author_id,
        "content": record.content,
        "sourceKind": RecordSource(record.source_kind),
        "status": RecordStatus(record.status),
        "seq": record.seq,
        "createdAt": iso(record.created_at),
    }
    if record.source_event_id:
        shown["sourceEventId"] = record.source_event_id
    if record.supersedes is not None:
        shown["supersedes"] = record.supersedes.record_id
    if record.retracted_at:
        shown["retractedAt"] = iso(record.retracted_at)
    return shown
