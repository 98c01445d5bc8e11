"""What can be asked of one agent, and what agents have used."""

from http import HTTPMethod

from groupx.kernel.errors import ErrorCode
from groupx.openapi import examples
from groupx.openapi.endpoint import OF_A_COMMAND, OF_A_READING, SAME_COMMAND, Answer, Endpoint
from rooms.requests import Command
from turns.answers import FreshSessionAccepted, ResumeAccepted
from turns.requests import UsageQuery
from turns.usage_answers import Usage

GET, POST = HTTPMethod.GET, HTTPMethod.POST

AGENT_ENDPOINTS = (
    Endpoint(
        method=POST,
        path="/api/agents/{actorId}/resume",
        part="agents",
        summary="Let an agent go on",
        words=(
            "Ends the pause of a rate limit or of a spend limit, and tries an agent again that could not be started. "
            "After a spend limit it may use another limit's worth until the day is over. Not accepted where there is "
            f"nothing to go on with. {SAME_COMMAND}"
        ),
        body=Command,
        body_example=examples.COMMAND,
        answers={202: Answer(words="Heard.", shape=ResumeAccepted, example=examples.RESUME_ACCEPTED)},
        errors=(*OF_A_COMMAND, ErrorCode.UNKNOWN_ACTOR),
    ),
    Endpoint(
        method=POST,
        path="/api/agents/{actorId}/fresh-session",
        part="agents",
        summary="Begin a fresh session",
        words=(
            "The agent's session ends after the turn that it works on; the next turn begins a fresh one, which is "
            f"given the room anew. {SAME_COMMAND}"
        ),
        body=Command,
        body_example=examples.COMMAND,
        answers={202: Answer(words="Heard.", shape=FreshSessionAccepted, example=examples.FRESH_SESSION_ACCEPTED)},
        errors=(*OF_A_COMMAND, ErrorCode.UNKNOWN_ACTOR),
    ),
    Endpoint(
        method=GET,
        path="/api/usage",
        part="agents",
        summary="What agents have used",
        words=(
            "Tokens and cost by agent and day, as far as agents tell; what none of them told is null. A turn belongs "
            "to the day of `timeZone` on which it ended. Cost is in US dollars."
        ),
        query=UsageQuery,
        answers={200: Answer(words="The sums.", shape=Usage, example=examples.USAGE)},
        errors=(*OF_A_READING, ErrorCode.UNKNOWN_ACTOR),
    ),
)
