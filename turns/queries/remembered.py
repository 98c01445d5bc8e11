"""What agents and the assistant find in memory and identity: texts cut to what their CLIs take."""

from typing import Any

from groupx.kernel.errors import ErrorCode, GroupXError, issue
from memory.queries.records import PageSize, search_identity, search_memory
from memory.requests import IdentityQuery
from rooms.models import Actor
from rooms.vocabulary import ActorKind
from turns.memory_answers import IdentitiesFound, IdentityRead, MemoriesFound
from turns.memory_requests import IdentityReadRequest, MemorySearchRequest
from turns.queries.reading import PAGE_CHARS, TEXT_CHARS

USUALLY_FOUND = 20


def memories_found(request: MemorySearchRequest, *, reader_id: str | None = None) -> MemoriesFound:
    """`reader_id`: an agent finds the room's, conversations' and its own, never what is another agent's own."""
    size = _size(request.limit)
    page = search_memory(request.asked(USUALLY_FOUND), size, reader_id=reader_id)
    return {**page, "items": [_cut(item, size.text_chars) for item in page["items"]]}


def identity_for(agent_id: str, request: IdentityReadRequest) -> IdentityRead:
    """
    Raises:
        GroupXError: UNKNOWN_ACTOR for nobody of the room.
    """
    subject_id = request.subject_actor_id or agent_id
    people = Actor.objects.exclude(kind=ActorKind.SYSTEM.value)
    subject = people.filter(actor_id=subject_id).values_list("display_name", "identity").first()
    if subject is None:
        raise GroupXError(
            ErrorCode.UNKNOWN_ACTOR,
            f"Nobody in the room is called {subject_id}.",
            issues=[issue("subjectActorId", "no such actor")],
        )
    display_name, configured = subject
    answer: IdentityRead = {
        "subjectActorId": subject_id,
        "displayName": display_name,
        **identity_found(request.asked(subject_id, USUALLY_FOUND)),
    }
    if configured:
        answer["configured"] = configured
    return answer


def identity_found(asked: IdentityQuery) -> IdentitiesFound:
    size = _size(asked.limit)
    page = search_identity(asked, size)
    return {**page, "items": [_cut(item, size.text_chars) for item in page["items"]]}


def _size(limit: int | None) -> PageSize:
    return PageSize(chars=PAGE_CHARS, text_chars=PAGE_CHARS if limit == 1 else TEXT_CHARS)


def _cut(item: Any, most_chars: int) -> Any:
    content = item["content"]
    if len(content) <= most_chars:
        return item
    return {**item, "content": content[:most_chars], "truncated": True, "fullLength": len(content)}
