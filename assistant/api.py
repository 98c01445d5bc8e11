"""REST of the side conversation (edge). Plain ASGI: an answer is waited for without a thread."""

import asyncio
from typing import Protocol

from django.urls import URLPattern, path

from assistant.answers import Answered, AssistantTold, CancelTold
from assistant.queries.conversation import newest_messages
from assistant.requests import AskAssistant, CancelAssistant
from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.problems import error_body
from groupx.kernel.shapes import parse, read_object
from rooms.asgi_json import JsonRequest, Receive, Scope, Send, endpoint, send_json
from rooms.consumers import STREAM_HEADERS, until_disconnect
from rooms.envelope import dump
from rooms.sse import RETRY
from rooms.transactions import in_reader

log = get_logger()


class Follower(Protocol):
    async def next_chunk(self) -> bytes | None: ...


class Live(Protocol):
    """assistant/live.py."""

    def follow(self) -> Follower: ...
    def leave(self, follower: Follower) -> None: ...


class Desk(Protocol):
    """assistant/desk.py."""

    async def ask(self, command: AskAssistant) -> Answered: ...
    async def cancel(self, command: CancelAssistant) -> CancelTold: ...
    async def about(self) -> AssistantTold: ...


def routes(desk: Desk, live: Live, clock: Clock) -> list[URLPattern]:
    """What is below /api/assistant."""

    async def get_about(request: JsonRequest) -> tuple[int, str]:
        return 200, dump(await desk.about())

    async def get_messages(request: JsonRequest) -> tuple[int, str]:
        return 200, dump({"items": await in_reader(newest_messages)})

    async def post_message(request: JsonRequest) -> tuple[int, str]:
        command = parse(AskAssistant, read_object(await request.body()))
        return 200, dump(await request.while_connected(desk.ask(command)))

    async def post_cancel(request: JsonRequest) -> tuple[int, str]:
        command = parse(CancelAssistant, read_object(await request.body()))
        return 202, dump(await desk.cancel(command))

    return [
        path("api/assistant", endpoint({"GET": get_about})),
        path("api/assistant/messages", endpoint({"GET": get_messages, "POST": post_message})),
        path("api/assistant/cancel", endpoint({"POST": post_cancel})),
        path("api/assistant/events", TalkStream(live, clock)),
    ]


class TalkStream:
    """GET /api/assistant/events: the state, what is being said, and then what happens, until the client leaves."""

    def __init__(self, live: Live, clock: Clock) -> None:
        self._live, self._clock = live, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            error = GroupXError(ErrorCode.METHOD_NOT_ALLOWED, "The assistant's stream is read with GET.")
            await send_json(send, 405, dump(error_body(error)), [(b"allow", b"GET")])
            return
        follower = self._live.follow()
        sending = asyncio.create_task(_tell(follower, send), name="assistant-stream")
        watching = asyncio.create_task(until_disconnect(receive), name="assistant-stream-watch")
        try:
            await self._clock.wait({sending, watching}, None)
        finally:
            self._live.leave(follower)
            for task in (sending, watching):
                task.cancel()
            await asyncio.gather(sending, watching, return_exceptions=True)
        if not sending.cancelled() and (failure := sending.exception()) is not None:
            log.error("assistant_stream_failed", exc_info=failure)


async def _tell(follower: Follower, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
    await send({"type": "http.response.body", "body": RETRY, "more_body": True})
    while chunk := await follower.next_chunk():
        await send({"type": "http.response.body", "body": chunk, "more_body": True})
    await send({"type": "http.response.body", "body": b""})
