"""How full the room's context is, and what a person can do about it."""

from http import HTTPMethod

from groupx.openapi import examples
from groupx.openapi.endpoint import OF_A_COMMAND, OF_A_READING, SAME_COMMAND, Answer, Endpoint
from memory.context_answers import ContextResetDone, ContextUsage
from rooms.requests import Command, RoomQuery

GET, POST = HTTPMethod.GET, HTTPMethod.POST

CONTEXT_ENDPOINTS = (
    Endpoint(
        method=GET,
        path="/api/context",
        part="context",
        summary="How full it is",
        words="An estimate in characters, never in tokens.",
        query=RoomQuery,
        answers={200: Answer(words="The usage.", shape=ContextUsage, example=examples.CONTEXT_USAGE)},
        errors=OF_A_READING,
    ),
    Endpoint(
        method=POST,
        path="/api/context/reset",
        part="context",
        summary="Let it begin anew",
        words=(
            "Later turns are given, and summaries cover, only what comes from now on. The transcript stays, as does "
            "what an agent's own session knows already: a fresh session ends that. Without a message since the last "
            f"reset nothing happens. {SAME_COMMAND}"
        ),
        body=Command,
        body_example=examples.COMMAND,
        answers={200: Answer(words="The usage.", shape=ContextResetDone, example=examples.CONTEXT_RESET)},
        errors=OF_A_COMMAND,
    ),
)
