"""What the assistant may ask of memory and identity. The arguments of its tools are these shapes. Pure.

Who writes stands in none of them: it is `user:assistant`. Neither does the layer of an agent's own memory: core memory
has a tool of its own, dated memory is written by its agent alone.
"""

from typing import Annotated

from pydantic import Field

from groupx.kernel.shapes import OwnShape, Text
from memory.drafts import MemoryDraft
from memory.requests import (
    ActorId,
    Asked,
    AskedStatus,
    Content,
    IdentityQuery,
    Query,
    Revise,
    WrittenIdentityKind,
    WrittenKind,
)
from memory.vocabulary import AgentMemoryType, MemoryScope
from rooms.requests import EventId, Once
from rooms.vocabulary import MAIN_ROOM
from turns.memory_requests import Cursor, Limit, SharedScope

RecordId = Annotated[Text, Field(max_length=64)]
LearntFrom = Annotated[EventId | None, Field(description="The message that it was learnt from, if from one.")]
AgentActorId = Annotated[Text, Field(max_length=80, description="Whose it is: agent:<id>.")]


class KeepMemory(Once):
    scope: Annotated[SharedScope | None, Field(description="Without it the room's.")] = None
    kind: WrittenKind
    subject_actor_id: Annotated[ActorId | None, Field(description="Whom it is about, if about somebody.")] = None
    content: Content
    source_event_id: LearntFrom = None

    def draft(self) -> MemoryDraft:
        return MemoryDraft(
            scope_type=MemoryScope(self.scope.type) if self.scope else MemoryScope.ROOM,
            scope_id=self.scope.id if self.scope else MAIN_ROOM,
            agent_memory_type=None,
            kind=self.kind,
            subject_id=self.subject_actor_id,
            content=self.content,
            source_event_id=self.source_event_id,
        )


class KeepCoreMemory(Once):
    subject_actor_id: AgentActorId
    kind: WrittenKind
    content: Content
    source_event_id: LearntFrom = None

    def draft(self) -> MemoryDraft:
        return MemoryDraft(
            scope_type=MemoryScope.AGENT,
            scope_id=self.subject_actor_id,
            agent_memory_type=AgentMemoryType.CORE,
            kind=self.kind,
            subject_id=self.subject_actor_id,
            content=self.content,
            source_event_id=self.source_event_id,
            scope_field="subjectActorId",
        )


class SupersedeMemory(Revise):
    memory_id: RecordId
    kind: Annotated[WrittenKind | None, Field(description="Without it as before.")] = None


class SupersedeIdentity(Revise):
    identity_id: RecordId
    kind: Annotated[WrittenIdentityKind | None, Field(description="Without it as before.")] = None


class RetractMemory(Once):
    memory_id: RecordId


class RetractIdentity(Once):
    identity_id: RecordId


class FindIdentity(OwnShape):
    query: Annotated[Query | None, Field(description="Words that must all be in it; without them the newest.")] = None
    subject_actor_id: Annotated[Asked | None, Field(description="Whom it is about.")] = None
    author_actor_id: Annotated[Asked | None, Field(description="Who has said it.")] = None
    kind: WrittenIdentityKind | None = None
    status: AskedStatus | None = None
    cursor: Cursor | None = None
    limit: Limit | None = None

    def asked(self, usual_limit: int) -> IdentityQuery:
        return IdentityQuery(
            q=self.query,
            subject_actor_id=self.subject_actor_id,
            author_actor_id=self.author_actor_id,
            kind=self.kind,
            status=self.status or "active",
            cursor=self.cursor,
            limit=self.limit or usual_limit,
        )
