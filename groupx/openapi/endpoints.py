"""Every endpoint, once: the list that the OpenAPI document and the page of it are made of.

A new endpoint gets an entry here; a test compares the list with the routes.
"""

from http import HTTPMethod

from groupx.health import Health
from groupx.kernel.errors import ErrorCode
from groupx.openapi import examples
from groupx.openapi.endpoint import (
    EVENT_STREAM,
    OF_A_BODY,
    OF_A_COMMAND,
    OF_A_QUERY,
    OF_THE_DATABASE,
    Answer,
    Endpoint,
    Header,
)
from groupx.ping import Ping
from groupx.runtime_api import RuntimeAccepted, RuntimeCommand
from rooms.answers import Event, ExportLine, HistoryPage, StreamEvent
from rooms.export.formats import ExportRequest
from rooms.requests import MAX_SEQ, HistoryQuery, RoomQuery, StreamQuery
from turns.answers import (
    Agents,
    Bootstrap,
    CancelAccepted,
    MessageAccepted,
    Packet,
    RestartAccepted,
    RetryAccepted,
    Turn,
)
from turns.requests import Command, SendMessage

GET, POST = HTTPMethod.GET, HTTPMethod.POST

PARTS = {
    "messages": "Say something to agents, and follow what becomes of it.",
    "turns": "One agent's run for one message.",
    "log": "What happened, all of it, in order.",
    "agents": "Who is in the room.",
    "runtime": "The room as a program.",
}
PATH_VARIABLES = {
    "turnId": ("The turn.", examples.TURN_ID),
    "eventId": ("The event.", examples.EVENT_ID),
    "actorId": ("The agent.", "agent:builder"),
}
_SAME_COMMAND = "The same clientCommandId with the same content gets the same answer, byte for byte."

ENDPOINTS = (
    Endpoint(
        method=POST,
        path="/api/messages",
        part="messages",
        summary="Send a message to agents",
        words=f"Taken whole or refused whole; only `to` wakes agents. {_SAME_COMMAND}",
        body=SendMessage,
        body_example=examples.MESSAGE,
        answers={202: Answer(words="Queued.", shape=MessageAccepted, example=examples.MESSAGE_ACCEPTED)},
        errors=(
            *OF_A_COMMAND,
            ErrorCode.UNKNOWN_TARGET,
            ErrorCode.NOT_FOUND,
            ErrorCode.QUEUE_CAPACITY_REACHED,
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
        method=GET,
        path="/api/bootstrap",
        part="messages",
        summary="Everything a client needs to begin",
        words="Of one moment; go on with `/api/events?afterSeq=<cursor>&epoch=<epoch>`.",
        query=RoomQuery,
        answers={200: Answer(words="The room.", shape=Bootstrap, example=examples.BOOTSTRAP)},
        errors=(*OF_A_QUERY, *OF_THE_DATABASE),
    ),
    Endpoint(
        method=GET,
        path="/api/turns/{turnId}",
        part="turns",
        summary="A turn with its attempts",
        words="How far each delivery came, what is certain about it, times and usage.",
        query=RoomQuery,
        answers={200: Answer(words="The turn.", shape=Turn, example=examples.TURN)},
        errors=(*OF_A_QUERY, *OF_THE_DATABASE),
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
        errors=(*OF_A_QUERY, *OF_THE_DATABASE),
    ),
    Endpoint(
        method=POST,
        path="/api/turns/{turnId}/cancel",
        part="turns",
        summary="Cancel a turn",
        words=f"A waiting turn ends at once; a running one is `cancelling` until it has stopped. {_SAME_COMMAND}",
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
        words=f"A new turn for one that failed, was cancelled or interrupted. {_SAME_COMMAND}",
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
        method=GET,
        path="/api/events",
        part="log",
        summary="The event stream",
        words=(
            "Server-sent events. Each is an envelope; durable ones have `id: <seq>`. It begins after the cursor, "
            "`afterSeq` or `Last-Event-ID` (both must be equal), and goes on until the client leaves. A cursor ahead "
            "of the log or of another epoch gets one `stream.resync` and the end."
        ),
        query=StreamQuery,
        headers=(
            Header(
                name="Last-Event-ID",
                words="The cursor, as a browser's EventSource sends it; empty counts as absent.",
                schema={"anyOf": [{"type": "integer", "minimum": 0, "maximum": MAX_SEQ}, {"const": ""}]},
            ),
        ),
        answers={
            200: Answer(
                words="`retry: 1000`, then events, and a comment line every 15 s.",
                media_type=EVENT_STREAM,
                item_shape=StreamEvent,
                example=examples.STREAM,
            )
        },
        errors=(*OF_A_QUERY, *OF_THE_DATABASE),
    ),
    Endpoint(
        method=GET,
        path="/api/history",
        part="log",
        summary="Older events",
        words="Newest first. Long texts are cut and marked; the event itself has them whole.",
        query=HistoryQuery,
        answers={200: Answer(words="A page.", shape=HistoryPage, example=examples.HISTORY)},
        errors=(*OF_A_QUERY, *OF_THE_DATABASE),
    ),
    Endpoint(
        method=GET,
        path="/api/events/{eventId}",
        part="log",
        summary="One event, whole",
        query=RoomQuery,
        answers={200: Answer(words="The event.", shape=Event, example=examples.MESSAGE_EVENT)},
        errors=(*OF_A_QUERY, *OF_THE_DATABASE),
    ),
    Endpoint(
        method=GET,
        path="/api/export",
        part="log",
        summary="The transcript as a download",
        words=(
            "Up to the event that was the last when it was asked for; `X-GroupX-Last-Seq` names that one. `md` is "
            "text/markdown. One that cannot be read to its end says so in its last line."
        ),
        query=ExportRequest,
        answers={
            200: Answer(
                words="The transcript, nothing cut.",
                media_type="application/jsonl",
                item_shape=ExportLine,
                other_media_types=("text/markdown",),
            )
        },
        errors=(*OF_A_QUERY, *OF_THE_DATABASE),
    ),
    Endpoint(
        method=GET,
        path="/api/agents",
        part="agents",
        summary="The roster",
        words="Each agent with its health, queue, folder and last error.",
        query=RoomQuery,
        answers={200: Answer(words="The agents.", shape=Agents, example=examples.AGENTS)},
        errors=(*OF_A_QUERY, *OF_THE_DATABASE),
    ),
    Endpoint(
        method=POST,
        path="/api/agents/{actorId}/restart",
        part="agents",
        summary="Replace an agent's process",
        words=f"Its running turn is interrupted, its queue stays. {_SAME_COMMAND}",
        body=Command,
        body_example=examples.COMMAND,
        answers={202: Answer(words="Heard.", shape=RestartAccepted, example=examples.RESTART_ACCEPTED)},
        errors=(*OF_A_COMMAND, ErrorCode.UNKNOWN_ACTOR),
    ),
    Endpoint(
        method=GET,
        path="/api/health",
        part="runtime",
        summary="Who this is and whether it serves",
        words="In constant time, whatever the database holds.",
        answers={
            200: Answer(words="It serves.", shape=Health, example=examples.HEALTH),
            503: Answer(words="It drains.", shape=Health),
        },
    ),
    Endpoint(
        method=GET,
        path="/api/ping",
        part="runtime",
        summary="The least that is answered",
        words="No database is asked: the yardstick for measurements.",
        answers={200: Answer(words="It answers.", shape=Ping, example={"ok": True})},
    ),
    Endpoint(
        method=POST,
        path="/api/runtime/shutdown",
        part="runtime",
        summary="End the room",
        words="The key is the one health tells, so that nobody stops another room by mistake.",
        body=RuntimeCommand,
        body_example=examples.RUNTIME_COMMAND,
        answers={202: Answer(words="It drains and ends.", shape=RuntimeAccepted, example=examples.RUNTIME_ACCEPTED)},
        errors=(*OF_A_BODY, ErrorCode.RUNTIME_SCOPE_MISMATCH, ErrorCode.SESSION_NOT_AVAILABLE),
    ),
    Endpoint(
        method=POST,
        path="/api/runtime/restart",
        part="runtime",
        summary="Start the room anew with the newest configuration",
        words="Refused while that configuration is invalid; the port stays open.",
        body=RuntimeCommand,
        body_example=examples.RUNTIME_COMMAND,
        answers={202: Answer(words="It begins anew.", shape=RuntimeAccepted, example=examples.RUNTIME_ACCEPTED)},
        errors=(
            *OF_A_BODY,
            ErrorCode.RUNTIME_SCOPE_MISMATCH,
            ErrorCode.SESSION_NOT_AVAILABLE,
            ErrorCode.CONFIG_INVALID,
        ),
    ),
    Endpoint(
        method=GET,
        path="/metrics",
        part="runtime",
        summary="Measurements for Prometheus",
        words="What each one means stands in docs/operations.md.",
        answers={
            200: Answer(words="Text.", media_type="text/plain", example=examples.METRICS),
        },
        errors=OF_THE_DATABASE,
    ),
    Endpoint(
        method=GET,
        path="/api/schema",
        part="runtime",
        summary="This document",
        answers={200: Answer(words="OpenAPI 3.1.", shape=dict[str, object])},
    ),
    Endpoint(
        method=GET,
        path="/api/docs",
        part="runtime",
        summary="This document as a page",
        answers={200: Answer(words="HTML.", media_type="text/html")},
    ),
)
