"""How full the room's context is, and what a person can do about it."""

from http import HTTPMethod

from groupx.kernel.errors import ErrorCode
from groupx.openapi import examples
from groupx.openapi.endpoint import OF_A_COMMAND, OF_A_READING, SAME_COMMAND, Answer, Endpoint
from memory.context_answers import ContextCompacted, ContextResetDone, ContextUsage
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
    Endpoint(
        method=POST,
        path="/api/context/compact",
        part="context",
        summary="Have the older part summed up",
        words=(
            "All but the newest messages; an agent writes it, which takes a minute or several. It is answered when it "
            "is done, and goes on when the client leaves: the same clientCommandId joins it. Its progress is told by "
            "`context.compaction.*` events. Where it did not come about, nothing has changed and the same command may "
            f"be sent again. {SAME_COMMAND}"
        ),
        body=Command,
        body_example=examples.COMMAND,
        answers={200: Answer(words="The usage.", shape=ContextCompacted, example=examples.CONTEXT_COMPACTED)},
        errors=(*OF_A_COMMAND, ErrorCode.CONTEXT_COMPACTION_FAILED, ErrorCode.STORE_CONFLICT),
    ),
)
