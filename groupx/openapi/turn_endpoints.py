"""Messages, turns and the agents that work on them."""

from http import HTTPMethod

from groupx.kernel.errors import ErrorCode
from groupx.openapi import examples
from groupx.openapi.endpoint import (
    OF_A_BODY,
    OF_A_COMMAND,
    OF_A_READING,
    OF_THE_DATABASE,
    SAME_COMMAND,
    Answer,
    Endpoint,
)
from rooms.requests import Command, RoomQuery
from turns.answers import Bootstrap, CancelAccepted, LimitGranted, MessageAccepted, Packet, RetryAccepted, Turn
from turns.preview_answers import Preview
from turns.requests import GrantRequest, MessageDraft, SendMessage

GET, POST = HTTPMethod.GET, HTTPMethod.POST

TURN_ENDPOINTS = (
    Endpoint(
        method=POST,
        path="/api/messages",
        part="messages",
        summary="Send a message to agents",
        words=f"Taken whole or refused whole; only `to` wakes agents. {SAME_COMMAND}",
        body=SendMessage,
        body_example=examples.MESSAGE,
        answers={202: Answer(words="Queued.", shape=MessageAccepted, example=examples.MESSAGE_ACCEPTED)},
        errors=(
            *OF_A_COMMAND,
            ErrorCode.UNKNOWN_TARGET,
            ErrorCode.NOT_FOUND,
            ErrorCode.QUEUE_CAPACITY_REACHED,
            ErrorCode.SUPERVISION_PAIR_INVALID,
        ),
        links={
            "turn": {"operationId": "get_turns_turnId", "parameters": {"turnId": "$response.body#/turns/0/turnId"}},
            "cancel": {
                "operationId": "post_turns_turnId_cancel",
                "parameters": {"turnId": "$response.body#/turns/0/turnId"},
            },
            "event": {
                "operationId": "get_events_eventId",
                "parameters": {"eventId": "$response.body#/messageEventId"},
            },
        },
    ),
    Endpoint(
        method=POST,
        path="/api/preview",
        part="messages",
        summary="What agents would be given for a draft",
        words=(
            "Made as for a turn that begins now, from what each agent's present session has been given. Nothing is "
            "written and nobody is woken. `given-when-sent` stands for the message's id and seq. Refused where sending "
            "it would be; what cannot be made for one agent is told there, as `problem`."
        ),
        body=MessageDraft,
        body_example=examples.DRAFT,
        answers={200: Answer(words="A packet for each.", shape=Preview, example=examples.PREVIEW)},
        errors=(
            *OF_A_BODY,
            ErrorCode.UNKNOWN_TARGET,
            ErrorCode.NOT_FOUND,
            ErrorCode.QUEUE_CAPACITY_REACHED,
            *OF_THE_DATABASE,
        ),
    ),
    Endpoint(
        method=GET,
        path="/api/bootstrap",
        part="messages",
        summary="Everything a client needs to begin",
        words="Of one moment; go on with `/api/events?afterSeq=<cursor>&epoch=<epoch>`.",
        query=RoomQuery,
        answers={200: Answer(words="The room.", shape=Bootstrap, example=examples.BOOTSTRAP)},
        errors=OF_A_READING,
    ),
    Endpoint(
        method=GET,
        path="/api/turns/{turnId}",
        part="turns",
        summary="A turn with its attempts",
        words="How far each delivery came, what is certain about it, times and usage.",
        query=RoomQuery,
        answers={200: Answer(words="The turn.", shape=Turn, example=examples.TURN)},
        errors=OF_A_READING,
        links={
            "cancel": {"operationId": "post_turns_turnId_cancel", "parameters": {"turnId": "$response.body#/turnId"}},
            "retry": {"operationId": "post_turns_turnId_retry", "parameters": {"turnId": "$response.body#/turnId"}},
        },
    ),
    Endpoint(
        method=GET,
        path="/api/turns/{turnId}/packet",
        part="turns",
        summary="The text that the agent was given",
        query=RoomQuery,
        answers={200: Answer(words="The packet of the last attempt.", shape=Packet, example=examples.PACKET)},
        errors=OF_A_READING,
    ),
    Endpoint(
        method=POST,
        path="/api/turns/{turnId}/cancel",
        part="turns",
        summary="Cancel a turn",
        words="A waiting turn ends at once; a running one is `cancelling` until it has stopped. What its agent asked "
        f"of others in it is cancelled with it. {SAME_COMMAND}",
        body=Command,
        body_example=examples.COMMAND,
        answers={202: Answer(words="Heard.", shape=CancelAccepted, example=examples.CANCEL_ACCEPTED)},
        errors=(*OF_A_COMMAND, ErrorCode.NOT_FOUND),
    ),
    Endpoint(
        method=POST,
        path="/api/turns/{turnId}/retry",
        part="turns",
        summary="Try a turn again",
        words=f"A new turn for one that failed, was cancelled or interrupted. {SAME_COMMAND}",
        body=Command,
        body_example=examples.COMMAND,
        answers={202: Answer(words="Queued.", shape=RetryAccepted, example=examples.RETRY_ACCEPTED)},
        errors=(
            *OF_A_COMMAND,
            ErrorCode.NOT_FOUND,
            ErrorCode.UNKNOWN_TARGET,
            ErrorCode.STORE_CONFLICT,
            ErrorCode.DUPLICATE_DISPATCH,
            ErrorCode.QUEUE_CAPACITY_REACHED,
        ),
    ),
    Endpoint(
        method=POST,
        path="/api/limits/grant",
        part="turns",
        summary="Let agents go on past a limit",
        words=(
            "Where a `routing.loop_stopped` says that agents reached `rootTurns`, `hopCount` or `actorCallsPerRoot`: "
            "for what follows from this one message the limit is raised by as much as is configured, and the call that "
            "was refused is sent as the agent's, or dropped with `withoutMessage`: one to an agent that is gone "
            f"can never be sent. Anywhere else 409. {SAME_COMMAND}"
        ),
        body=GrantRequest,
        body_example=examples.GRANT,
        answers={202: Answer(words="They go on.", shape=LimitGranted, example=examples.LIMIT_GRANTED)},
        errors=(
            *OF_A_COMMAND,
            ErrorCode.NOT_FOUND,
            ErrorCode.STORE_CONFLICT,
            ErrorCode.UNKNOWN_ACTOR,
            ErrorCode.UNKNOWN_TARGET,
            ErrorCode.QUEUE_CAPACITY_REACHED,
        ),
    ),
)
