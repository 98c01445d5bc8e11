"""The side conversation with the room's assistant."""

from http import HTTPMethod

from assistant.answers import ActivityTold, Answered, AssistantTold, CancelTold, DeltaTold, MessageList, MessageNews
from assistant.requests import AskAssistant, CancelAssistant
from groupx.kernel.errors import ErrorCode
from groupx.openapi import assistant_examples as examples
from groupx.openapi.endpoint import EVENT_STREAM, OF_A_BODY, OF_A_COMMAND, OF_THE_DATABASE, Answer, Endpoint

GET, POST = HTTPMethod.GET, HTTPMethod.POST
WHY_THERE_IS_NO_ANSWER = (
    ErrorCode.TURN_CANCELLED,
    ErrorCode.TURN_INTERRUPTED,
    ErrorCode.TURN_CANCEL_TIMEOUT,
    ErrorCode.TURN_FIRST_EVENT_TIMEOUT,
    ErrorCode.TURN_IDLE_TIMEOUT,
    ErrorCode.TURN_TIME_LIMIT,
    ErrorCode.UNEXPECTED_NATIVE_INTERACTION,
    ErrorCode.PROTOCOL_INVALID_MESSAGE,
    ErrorCode.COMMAND_NOT_FOUND,
    ErrorCode.NATIVE_START_FAILED,
    ErrorCode.NATIVE_POLICY_BLOCKED,
    ErrorCode.NATIVE_EMPTY_RESPONSE,
    ErrorCode.NATIVE_ERROR,
    ErrorCode.NATIVE_CANCELLED,
    ErrorCode.NATIVE_AUTH_REQUIRED,
    ErrorCode.NATIVE_RATE_LIMITED,
    ErrorCode.NATIVE_CONTEXT_FULL,
    ErrorCode.NATIVE_EXITED,
    ErrorCode.NATIVE_SESSION_LOST,
    ErrorCode.SESSION_NOT_AVAILABLE,
    ErrorCode.ROOM_RESTORED,
)

ASSISTANT_ENDPOINTS = (
    Endpoint(
        method=GET,
        path="/api/assistant",
        part="assistant",
        summary="How the assistant is",
        words="`configured` is of this run: what is saved under /setup counts after a restart.",
        answers={200: Answer(words="Its state.", shape=AssistantTold, example=examples.ABOUT)},
        errors=OF_THE_DATABASE,
    ),
    Endpoint(
        method=GET,
        path="/api/assistant/messages",
        part="assistant",
        summary="The side conversation",
        words="The newest 200 questions and replies, oldest first. Nothing of it is in the log or given to agents.",
        answers={200: Answer(words="The messages.", shape=MessageList, example=examples.MESSAGES)},
        errors=OF_THE_DATABASE,
    ),
    Endpoint(
        method=POST,
        path="/api/assistant/messages",
        part="assistant",
        summary="Ask the assistant",
        words=(
            "Answered when the reply is there, which may take minutes; the question goes on when the client leaves. "
            "The same clientCommandId with the same content joins a question that waits or runs, gets the kept reply "
            "of one that was answered, and asks one again that failed or was cancelled, without a second question. An "
            "error says why there is no reply; `details.question` is the question as it stands, `details.hint` what to "
            "do."
        ),
        body=AskAssistant,
        body_example=examples.QUESTION,
        answers={200: Answer(words="Question and reply.", shape=Answered, example=examples.ANSWERED)},
        errors=(*OF_A_COMMAND, ErrorCode.ASSISTANT_NOT_CONFIGURED, *WHY_THERE_IS_NO_ANSWER),
    ),
    Endpoint(
        method=POST,
        path="/api/assistant/cancel",
        part="assistant",
        summary="Stop a question",
        words=(
            "The one that is named, or without an id the one that runs, or else the first that waits. One that runs is "
            "stopped as a turn is; `assistant.message` says when it is over. What is over already is not accepted."
        ),
        body=CancelAssistant,
        body_example=examples.CANCEL,
        answers={
            202: Answer(words="Whether there was something to stop.", shape=CancelTold, example=examples.CANCELLED)
        },
        errors=(*OF_A_BODY, *OF_THE_DATABASE, ErrorCode.ASSISTANT_NOT_CONFIGURED),
    ),
    Endpoint(
        method=GET,
        path="/api/assistant/events",
        part="assistant",
        summary="The side conversation as it happens",
        words=(
            "Server-sent events with a name and no id: `assistant.state` (as `GET /api/assistant`, first on each "
            "stream), `assistant.delta` (text of a reply that grows; with `replace` all of it so far), "
            "`assistant.activity` (what it does just now, in words) and `assistant.message` (a question or a reply as "
            "it stands now). Nothing is replayed: on each connection read the messages once."
        ),
        answers={
            200: Answer(
                words="`retry: 1000`, then events, and a comment line every 15 s.",
                media_type=EVENT_STREAM,
                item_shape=AssistantTold | DeltaTold | ActivityTold | MessageNews,
                example=examples.STREAM,
            )
        },
    ),
)
