"""GET /api/events: the room's event stream (edge). Plain ASGI, so that a disconnect is seen while we send."""

import asyncio

from groupx.kernel.clock import Clock
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.problems import error_body, problem_of

from .asgi_json import Receive, Scope, Send, send_json
from .envelope import dump
from .sse import RESYNC, RETRY, read_request
from .tail import Follower, Tail
from .vocabulary import MAIN_ROOM

log = get_logger()

STREAM_HEADERS = [
    (b"content-type", b"text/event-stream; charset=utf-8"),
    (b"cache-control", b"no-cache, no-transform"),
    (b"x-accel-buffering", b"no"),
    (b"x-content-type-options", b"nosniff"),
]


class EventStream:
    """Replays from the client's cursor, then tells what happens, until the client leaves or the room closes."""

    def __init__(self, tail: Tail, clock: Clock) -> None:
        self._tail, self._clock = tail, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "GET":
            error = GroupXError(ErrorCode.METHOD_NOT_ALLOWED, "The event stream is read with GET.")
            await send_json(send, 405, dump(error_body(error)), [(b"allow", b"GET")])
            return
        try:
            follower = await self._place(scope)
        except GroupXError as error:
            await send_json(send, problem_of(error).http_status, dump(error_body(error)))
            return
        sending = asyncio.create_task(_tell(follower, send), name="event-stream")
        watching = asyncio.create_task(until_disconnect(receive), name="event-stream-watch")
        try:
            await self._clock.wait({sending, watching}, None)
        finally:
            if follower is not None:
                self._tail.followers.discard(follower)
            for task in (sending, watching):
                task.cancel()
            await asyncio.gather(sending, watching, return_exceptions=True)
        _log_failure(sending)

    async def _place(self, scope: Scope) -> Follower | None:
        last_event_ids = [value for name, value in scope["headers"] if name == b"last-event-id"]
        request = read_request(scope["query_string"], last_event_ids)
        if request.room_id != MAIN_ROOM:
            raise GroupXError(ErrorCode.NOT_FOUND, f"There is no room “{request.room_id}”.")
        return await self._tail.follow(request.after_seq, request.epoch)


async def _tell(follower: Follower | None, send: Send) -> None:
    await send({"type": "http.response.start", "status": 200, "headers": STREAM_HEADERS})
    await send({"type": "http.response.body", "body": RETRY, "more_body": True})
    if follower is None:
        await send({"type": "http.response.body", "body": RESYNC, "more_body": True})
    else:
        try:
            while chunk := await follower.next_chunk():
                await send({"type": "http.response.body", "body": chunk, "more_body": True})
        except GroupXError as error:
            # The client comes back with its cursor, perhaps to a database that can be read again.
            log.warning("event_stream_given_up", code=error.code.value)
    await send({"type": "http.response.body", "body": b""})


async def until_disconnect(receive: Receive) -> None:
    """Returns when the client has left."""
    while (await receive())["type"] != "http.disconnect":
        pass


def _log_failure(sending: asyncio.Task[None]) -> None:
    if not sending.cancelled() and (error := sending.exception()) is not None:
        log.error("event_stream_failed", exc_info=error)
