"""The log and the roster."""

from http import HTTPMethod

from groupx.kernel.errors import ErrorCode
from groupx.openapi import examples
from groupx.openapi.endpoint import EVENT_STREAM, OF_A_COMMAND, OF_A_READING, SAME_COMMAND, Answer, Endpoint, Header
from rooms.answers import Event, ExportLine, HistoryPage, StreamEvent
from rooms.export.formats import ExportRequest
from rooms.requests import MAX_SEQ, Command, HistoryQuery, RoomQuery, StreamQuery
from turns.answers import Agents, RestartAccepted

GET, POST = HTTPMethod.GET, HTTPMethod.POST

ROOM_ENDPOINTS = (
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
        errors=OF_A_READING,
    ),
    Endpoint(
        method=GET,
        path="/api/history",
        part="log",
        summary="Older events",
        words="Newest first. Long texts are cut and marked; the event itself has them whole.",
        query=HistoryQuery,
        answers={200: Answer(words="A page.", shape=HistoryPage, example=examples.HISTORY)},
        errors=OF_A_READING,
    ),
    Endpoint(
        method=GET,
        path="/api/events/{eventId}",
        part="log",
        summary="One event, whole",
        query=RoomQuery,
        answers={200: Answer(words="The event.", shape=Event, example=examples.MESSAGE_EVENT)},
        errors=OF_A_READING,
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
        errors=OF_A_READING,
    ),
    Endpoint(
        method=GET,
        path="/api/agents",
        part="agents",
        summary="The roster",
        words="Each agent with its health, queue, folder and last error.",
        query=RoomQuery,
        answers={200: Answer(words="The agents.", shape=Agents, example=examples.AGENTS)},
        errors=OF_A_READING,
    ),
    Endpoint(
        method=POST,
        path="/api/agents/{actorId}/restart",
        part="agents",
        summary="Replace an agent's process",
        words=f"Its running turn is interrupted, its queue stays. {SAME_COMMAND}",
        body=Command,
        body_example=examples.COMMAND,
        answers={202: Answer(words="Heard.", shape=RestartAccepted, example=examples.RESTART_ACCEPTED)},
        errors=(*OF_A_COMMAND, ErrorCode.UNKNOWN_ACTOR),
    ),
)
