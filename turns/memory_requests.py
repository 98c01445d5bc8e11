"""What an agent in a turn may ask of memory and identity. The arguments of its tools are these shapes. Pure.

Who writes, and whose own memory it is, stands in none of them: it is the caller.
"""

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field

from groupx.kernel.shapes import FROM_DIGITS, OwnShape
from memory.drafts import IdentityDraft, MemoryDraft, Occasion
from memory.requests import (
    ActorId,
    Asked,
    AskedStatus,
    Content,
    IdentityQuery,
    MemoryQuery,
    Query,
    ScopeType,
    WrittenIdentityKind,
    WrittenKind,
)
from memory.vocabulary import AgentMemoryType, MemoryScope
from rooms.command_names import CommandName
from rooms.requests import MAX_SEQ, CommandId, EventId
from rooms.vocabulary import MAIN_ROOM

MOST_FOUND = 100
Limit = Annotated[int, Field(ge=1, le=MOST_FOUND)]
Cursor = Annotated[int, Field(ge=1, le=MAX_SEQ, description="The nextCursor of the page before."), FROM_DIGITS]


class SharedScope(OwnShape):
    """Everybody's memory (room, room:main), or that of one conversation (correlation, corr_…)."""

    type: Literal["room", "correlation"]
    id: Annotated[str, Field(min_length=1, max_length=80)]


class _Write(OwnShape):
    command_type: ClassVar[CommandName]
    content: Content
    source_event_id: Annotated[
        EventId | None, Field(description="What it was learnt from; without it the message of your turn.")
    ] = None
    client_command_id: CommandId

    def canonical(self) -> dict[str, Any]:
        return {name: value for name, value in self.wire().items() if name != "clientCommandId"}


class MemoryRequest(_Write):
    command_type = CommandName.MCP_MEMORY_REMEMBER
    scope: Annotated[SharedScope | None, Field(description="Without it the room's.")] = None
    kind: WrittenKind
    subject_actor_id: Annotated[ActorId | None, Field(description="Whom it is about, if about somebody.")] = None

    def draft(self, caller_id: str, occasion: Occasion) -> MemoryDraft:
        return MemoryDraft(
            scope_type=MemoryScope(self.scope.type) if self.scope else MemoryScope.ROOM,
            scope_id=self.scope.id if self.scope else MAIN_ROOM,
            agent_memory_type=None,
            kind=self.kind,
            subject_id=self.subject_actor_id,
            content=self.content,
            source_event_id=self.source_event_id or occasion.source_event_id,
        )


class CoreMemoryRequest(_Write):
    command_type = CommandName.MCP_CORE_MEMORY_REMEMBER
    kind: WrittenKind

    def draft(self, caller_id: str, occasion: Occasion) -> MemoryDraft:
        return MemoryDraft(
            scope_type=MemoryScope.AGENT,
            scope_id=caller_id,
            agent_memory_type=AgentMemoryType.CORE,
            kind=self.kind,
            subject_id=caller_id,
            content=self.content,
            source_event_id=self.source_event_id or occasion.source_event_id,
        )


class IdentityRequest(_Write):
    command_type = CommandName.MCP_IDENTITY_REMEMBER
    kind: WrittenIdentityKind

    def draft(self, caller_id: str, occasion: Occasion) -> IdentityDraft:
        return IdentityDraft(
            subject_id=caller_id,
            kind=self.kind,
            content=self.content,
            source_event_id=self.source_event_id or occasion.source_event_id,
        )


class MemorySearchRequest(OwnShape):
    query: Annotated[Query | None, Field(description="Words that must all be in it; without them the newest.")] = None
    scope_type: ScopeType | None = None
    scope_id: Asked | None = None
    agent_memory_type: Literal["core", "dated"] | None = None
    kind: Literal[WrittenKind, "summary"] | None = None
    author_actor_id: Asked | None = None
    subject_actor_id: Asked | None = None
    status: AskedStatus | None = None
    cursor: Cursor | None = None
    limit: Limit | None = None

    def asked(self, usual_limit: int) -> MemoryQuery:
        return MemoryQuery(
            q=self.query,
            scope_type=self.scope_type,
            scope_id=self.scope_id,
            agent_memory_type=self.agent_memory_type,
            kind=(self.kind,) if self.kind else None,
            author_actor_id=self.author_actor_id,
            subject_actor_id=self.subject_actor_id,
            status=self.status or "active",
            cursor=self.cursor,
            limit=self.limit or usual_limit,
        )


class IdentityReadRequest(OwnShape):
    subject_actor_id: Annotated[Asked | None, Field(description="Without it you yourself.")] = None
    query: Query | None = None
    kind: WrittenIdentityKind | None = None
    cursor: Cursor | None = None
    limit: Limit | None = None

    def asked(self, subject_id: str, usual_limit: int) -> IdentityQuery:
        return IdentityQuery(
            q=self.query,
            subject_actor_id=subject_id,
            kind=self.kind,
            cursor=self.cursor,
            limit=self.limit or usual_limit,
        )
