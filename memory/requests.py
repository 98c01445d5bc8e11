"""What clients may ask of memory and identity, and of search. Pure."""

import re
from typing import Annotated, Literal

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic.json_schema import WithJsonSchema

from groupx.kernel.errors import invalid
from groupx.kernel.shapes import FROM_DIGITS, OwnShape, Says, Text, not_blank
from groupx.kernel.text import SOMETHING, is_storable
from rooms.requests import MAX_PAGE, MAX_SEQ, Command, EventId, Once, RoomQuery
from rooms.vocabulary import MAIN_ROOM

from .drafts import IdentityDraft, MemoryDraft, Revision
from .vocabulary import MAX_RECORD_CHARACTERS, AgentMemoryType, MemoryKind, MemoryScope

MAX_QUERY_CHARACTERS = 1_000
ScopeType = Literal["room", "agent", "correlation"]
WrittenKind = Literal["fact", "decision", "preference", "instruction", "constraint", "note"]
"""Summaries are the system's."""
WrittenIdentityKind = Literal["preference", "instruction", "constraint", "note"]
Content = Annotated[Text, Says(maxLength=MAX_RECORD_CHARACTERS)]
ActorId = Annotated[Text, Field(max_length=80, description="An actor, as user:web or agent:<id>.")]


class Scope(OwnShape):
    """Whose memory: the room's (room:main), an agent's own (agent:<id>), or that of one conversation (corr_…)."""

    type: ScopeType
    id: Annotated[Text, Field(max_length=80)]


THE_ROOM = Scope(type="room", id=MAIN_ROOM)


_LAYERS_OF_AGENTS_ALONE = {
    "anyOf": [
        {"properties": {"agentMemoryType": {"type": "null"}}},
        {"properties": {"scope": {"properties": {"type": {"const": "agent"}}}}, "required": ["scope"]},
    ]
}


class RememberMemory(Command):
    """POST /api/memory"""

    model_config = {"json_schema_extra": _LAYERS_OF_AGENTS_ALONE}

    scope: Scope = THE_ROOM
    agent_memory_type: Annotated[
        Literal["core"] | None, Field(description="Of an agent's own memory; dated memory is written by itself.")
    ] = None
    kind: WrittenKind
    subject_actor_id: Annotated[ActorId | None, Field(description="Whom it is about.")] = None
    content: Content
    source_event_id: EventId | None = None

    def draft(self) -> MemoryDraft:
        """
        Raises:
            GroupXError: INVALID_ENVELOPE for a layer of what is no agent's own memory.
        """
        is_an_agents = self.scope.type == MemoryScope.AGENT
        if self.agent_memory_type and not is_an_agents:
            raise invalid("agentMemoryType belongs to the scope of an agent.", "agentMemoryType")
        return MemoryDraft(
            scope_type=MemoryScope(self.scope.type),
            scope_id=self.scope.id,
            agent_memory_type=AgentMemoryType.CORE if is_an_agents else None,
            kind=self.kind,
            subject_id=self.subject_actor_id or (self.scope.id if is_an_agents else None),
            content=self.content,
            source_event_id=self.source_event_id,
        )


class KeepIdentity(Once):
    """Something of who somebody is."""

    subject_actor_id: ActorId
    kind: WrittenIdentityKind
    content: Content
    source_event_id: EventId | None = None

    def draft(self) -> IdentityDraft:
        return IdentityDraft(
            subject_id=self.subject_actor_id,
            kind=self.kind,
            content=self.content,
            source_event_id=self.source_event_id,
        )


class RememberIdentity(KeepIdentity, Command):
    """POST /api/identity"""


class Revise(Once):
    """A new version. Without a kind it stays what it was."""

    content: Content
    source_event_id: EventId | None = None
    kind: str | None = None

    def revision(self) -> Revision:
        return Revision(content=self.content, kind=self.kind, source_event_id=self.source_event_id)


class ReviseMemory(Revise, Command):
    """POST /api/memory/<id>/supersede"""

    kind: WrittenKind | None = None


class ReviseIdentity(Revise, Command):
    """POST /api/identity/<id>/supersede"""

    kind: WrittenIdentityKind | None = None


# ---------------------------------------------------------------- reading
def _storable(value: str) -> str:
    if not is_storable(value):
        raise ValueError("must not contain NUL or half of a surrogate pair")
    return value


Asked = Annotated[str, Field(max_length=128), AfterValidator(_storable)]
Query = Annotated[
    str,
    Field(max_length=MAX_QUERY_CHARACTERS, description="Words that must all be in it, in any place; blank for none."),
    AfterValidator(_storable),
]
Cursor = Annotated[int, Field(ge=1, le=MAX_SEQ, description="The nextCursor of the page before."), FROM_DIGITS]
Limit = Annotated[int, Field(ge=1, le=MAX_PAGE, description="How many at most."), FROM_DIGITS]
AskedStatus = Literal["active", "superseded", "retracted", "any"]


class RecordsQuery(RoomQuery):
    q: Query | None = None
    author_actor_id: Annotated[Asked | None, Field(description="Who has written it.")] = None
    subject_actor_id: Annotated[Asked | None, Field(description="Whom it is about.")] = None
    status: AskedStatus = "active"
    cursor: Cursor | None = None
    limit: Limit = 50


def _split_of(choices: tuple[str, ...]) -> BeforeValidator:
    """Several of the choices, with commas between, in the choices' order."""

    def split(value: object) -> object:
        if not isinstance(value, str):
            return value
        if not re.fullmatch(_pattern_of(choices), value):
            raise ValueError(f"must be {', '.join(choices)}, or several of them with commas between")
        return tuple(choice for choice in choices if choice in value.split(","))

    return BeforeValidator(split)


def _pattern_of(choices: tuple[str, ...]) -> str:
    return rf"({'|'.join(choices)})(,({'|'.join(choices)}))*"


def _schema_of(choices: tuple[str, ...]) -> WithJsonSchema:
    return WithJsonSchema(
        {"type": "string", "pattern": f"^{_pattern_of(choices)}$", "description": "With commas between; all without."}
    )


AskedKind = Literal[WrittenKind, "summary"]
_ASKED_KINDS = tuple(kind.value for kind in MemoryKind)


class MemoryQuery(RecordsQuery):
    """GET /api/memory"""

    scope_type: ScopeType | None = None
    scope_id: Asked | None = None
    agent_memory_type: Literal["core", "dated"] | None = None
    kind: Annotated[tuple[AskedKind, ...] | None, _split_of(_ASKED_KINDS), _schema_of(_ASKED_KINDS)] = None


class IdentityQuery(RecordsQuery):
    """GET /api/identity"""

    kind: WrittenIdentityKind | None = None


SearchKind = Literal["message", "memory", "identity"]
_KINDS: tuple[SearchKind, ...] = ("message", "memory", "identity")


class SearchQuery(RoomQuery):
    """GET /api/search"""

    q: Annotated[Query, AfterValidator(not_blank), Says(minLength=1, pattern=SOMETHING)]
    kinds: Annotated[tuple[SearchKind, ...], _split_of(_KINDS), _schema_of(_KINDS)] = _KINDS
    cursor: Cursor | None = None
    limit: Limit = 50
