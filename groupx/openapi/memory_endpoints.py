"""Memory, identity, and the search through all that was said and kept."""

from http import HTTPMethod

from groupx.kernel.errors import ErrorCode
from groupx.kernel.shapes import OwnShape
from groupx.openapi import examples
from groupx.openapi.endpoint import OF_A_COMMAND, OF_A_READING, SAME_COMMAND, Answer, Endpoint
from memory.answers import (
    IdentityKept,
    IdentityPage,
    IdentityRetracted,
    MemoryKept,
    MemoryPage,
    MemoryRetracted,
    MemoryVersion,
    SearchPage,
)
from memory.requests import (
    IdentityQuery,
    MemoryQuery,
    RememberIdentity,
    RememberMemory,
    ReviseIdentity,
    ReviseMemory,
    SearchQuery,
)
from rooms.requests import Command, RoomQuery

GET, POST = HTTPMethod.GET, HTTPMethod.POST
OF_A_NEW_RECORD = (*OF_A_COMMAND, ErrorCode.NOT_FOUND, ErrorCode.UNKNOWN_ACTOR)
OF_A_STEP = (*OF_A_COMMAND, ErrorCode.NOT_FOUND, ErrorCode.STORE_CONFLICT)
WORDS = "Every word of `q` must be in it, in any place and order, as a part of a word too; case does not matter."
SUPERSEDED = f"The former version stays, as `superseded`; if it was active no longer, nothing is done. {SAME_COMMAND}"
RETRACTED = f"It stays, as `retracted`, and reaches no agent any more. {SAME_COMMAND}"


def _links(parameter: str, part: str) -> dict[str, dict[str, object]]:
    """A record that was kept can be superseded and retracted."""
    named = {parameter: f"$response.body#/{parameter}"}
    return {
        verb: {"operationId": f"post_{part}_{parameter}_{verb}", "parameters": named}
        for verb in ("supersede", "retract")
    }


def _steps(record: str, revise: type[OwnShape], *, revised: Answer, retracted: Answer) -> tuple[Endpoint, Endpoint]:
    """What can become of a record that is active; `record` is its path."""
    return (
        Endpoint(
            method=POST,
            path=f"{record}/supersede",
            part="memory",
            summary="Put a new version in its place",
            words=SUPERSEDED,
            body=revise,
            body_example=examples.REVISE,
            answers={201: revised},
            errors=OF_A_STEP,
        ),
        Endpoint(
            method=POST,
            path=f"{record}/retract",
            part="memory",
            summary="Let it count no longer",
            words=RETRACTED,
            body=Command,
            body_example=examples.COMMAND,
            answers={200: retracted},
            errors=OF_A_STEP,
        ),
    )


MEMORY_ENDPOINTS = (
    Endpoint(
        method=GET,
        path="/api/memory",
        part="memory",
        summary="What is remembered",
        words=f"Newest first; with `q` best first. {WORDS}",
        query=MemoryQuery,
        answers={200: Answer(words="A page.", shape=MemoryPage, example=examples.MEMORY_PAGE)},
        errors=OF_A_READING,
    ),
    Endpoint(
        method=POST,
        path="/api/memory",
        part="memory",
        summary="Remember something",
        words=f"For the room, for one agent or for one conversation. {SAME_COMMAND}",
        body=RememberMemory,
        body_example=examples.REMEMBER_MEMORY,
        answers={201: Answer(words="Kept.", shape=MemoryKept, example=examples.MEMORY_KEPT)},
        errors=OF_A_NEW_RECORD,
        links=_links("memoryId", "memory"),
    ),
    Endpoint(
        method=GET,
        path="/api/memory/{memoryId}",
        part="memory",
        summary="One memory",
        words="Also one that is active no longer, and then the version that took its place.",
        query=RoomQuery,
        answers={200: Answer(words="The memory.", shape=MemoryVersion, example=examples.MEMORY_FORMER)},
        errors=OF_A_READING,
    ),
    *_steps(
        "/api/memory/{memoryId}",
        ReviseMemory,
        revised=Answer(words="Kept.", shape=MemoryKept, example=examples.MEMORY_REVISED),
        retracted=Answer(words="Retracted.", shape=MemoryRetracted, example=examples.MEMORY_RETRACTED),
    ),
    Endpoint(
        method=GET,
        path="/api/identity",
        part="memory",
        summary="What is said of who somebody is",
        words=f"Newest first; with `q` best first. {WORDS}",
        query=IdentityQuery,
        answers={200: Answer(words="A page.", shape=IdentityPage, example=examples.IDENTITY_PAGE)},
        errors=OF_A_READING,
    ),
    Endpoint(
        method=POST,
        path="/api/identity",
        part="memory",
        summary="Say something of who somebody is",
        words=SAME_COMMAND,
        body=RememberIdentity,
        body_example=examples.REMEMBER_IDENTITY,
        answers={201: Answer(words="Kept.", shape=IdentityKept, example=examples.IDENTITY_KEPT)},
        errors=OF_A_NEW_RECORD,
        links=_links("identityId", "identity"),
    ),
    *_steps(
        "/api/identity/{identityId}",
        ReviseIdentity,
        revised=Answer(words="Kept.", shape=IdentityKept, example=examples.IDENTITY_REVISED),
        retracted=Answer(words="Retracted.", shape=IdentityRetracted, example=examples.IDENTITY_RETRACTED),
    ),
    Endpoint(
        method=GET,
        path="/api/search",
        part="log",
        summary="Look for words",
        words=(
            f"In messages, memory and identity, newest first, with the seq to go to. {WORDS} Of a long message only "
            "the first 262,144 characters are looked through."
        ),
        query=SearchQuery,
        answers={200: Answer(words="A page.", shape=SearchPage, example=examples.SEARCH_PAGE)},
        errors=OF_A_READING,
    ),
)
