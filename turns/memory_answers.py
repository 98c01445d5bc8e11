"""What agents are told of memory and identity (docs/mcp.md). Pure."""

from typing import NotRequired, TypedDict

from pydantic import with_config

from groupx.kernel.answers import ANSWER
from memory.answers import Identity, Memory


class MemoryFound(Memory):
    truncated: NotRequired[bool]
    fullLength: NotRequired[int]
    """Where `content` was cut."""


class IdentityFound(Identity):
    truncated: NotRequired[bool]
    fullLength: NotRequired[int]


@with_config(ANSWER)
class MemoriesFound(TypedDict):
    items: list[MemoryFound]
    nextCursor: NotRequired[int]


@with_config(ANSWER)
class IdentitiesFound(TypedDict):
    items: list[IdentityFound]
    nextCursor: NotRequired[int]


class IdentityRead(IdentitiesFound):
    subjectActorId: str
    displayName: str
    configured: NotRequired[str]
    """What the room's configuration says it is."""
