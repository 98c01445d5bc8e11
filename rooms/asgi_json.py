"""JSON endpoints that leave Django's request cycle: read, answer, and map errors as REST does everywhere.

The hot paths are plain ASGI with one hop into a database thread; a middleware chain would cost more than
their work. Host, Origin, media type and size were checked by the guard before.
"""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Mapping
from typing import Any

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.problems import error_body, problem_of
from groupx.kernel.shapes import OwnShape, parse_query

from .envelope import dump
from .transactions import StoreError, translate

log = get_logger()

JSON = "application/json"

type Scope = dict[str, Any]
type Receive = Callable[[], Awaitable[dict[str, Any]]]
type Send = Callable[[dict[str, Any]], Awaitable[None]]


class JsonRequest:
    """One request as a handler sees it."""

    def __init__(self, scope: Scope, receive: Receive) -> None:
        self._scope, self._receive = scope, receive

    @property
    def route_kwargs(self) -> dict[str, str]:
        return self._scope["url_route"]["kwargs"]

    def query[T: OwnShape](self, shape: type[T]) -> T:
        """
        Raises:
            GroupXError: INVALID_ENVELOPE naming each parameter that does not fit.
        """
        return parse_query(shape, self._scope["query_string"].decode("latin-1"))

    async def body(self) -> bytes:
        parts = []
        while True:
            message = await self._receive()
            if message["type"] == "http.disconnect":
                raise ClientGone
            parts.append(message.get("body", b""))
            if not message.get("more_body"):
                return b"".join(parts)

    async def while_connected[T](self, step: Coroutine[Any, Any, T]) -> T:
        """Await `step`, once the body has been read; when the client leaves before, it is cancelled.

        Raises:
            ClientGone: it has left.
        """
        working, leaving = asyncio.create_task(step), asyncio.create_task(self._left())
        try:
            await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (working, leaving):
                task.cancel()
            await asyncio.gather(working, leaving, return_exceptions=True)
        if working.cancelled():
            raise ClientGone
        return working.result()

    async def _left(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass


class ClientGone(Exception):
    """The client left before its request was read; nobody waits for an answer."""


type Handler = Callable[[JsonRequest], Awaitable[tuple[int, str]]]
"""Gives the status and the JSON text of the answer."""


def endpoint(
    handlers: Mapping[str, Handler], content_type: str = JSON
) -> Callable[[Scope, Receive, Send], Awaitable[None]]:
    """An ASGI application for one path: a handler per method, the project's errors for everything else.

    `content_type` is that of the handlers' answers; a refusal is JSON. HEAD is answered as GET; the server leaves
    the body out.
    """
    if "GET" in handlers:
        handlers = {**handlers, "HEAD": handlers["GET"]}
    allow = ", ".join(handlers).encode()

    async def application(scope: Scope, receive: Receive, send: Send) -> None:
        handler = handlers.get(scope["method"])
        if handler is None:
            error = GroupXError(ErrorCode.METHOD_NOT_ALLOWED, "This address does not take that method.")
            await send_json(send, 405, dump(error_body(error)), [(b"allow", allow)])
            return
        kind = JSON
        try:
            status, text = await handler(JsonRequest(scope, receive))
            kind = content_type
        except ClientGone:
            return
        except GroupXError as error:
            status, text = problem_of(error).http_status, dump(error_body(error))
        except StoreError as error:
            log.exception("database_unavailable", path=scope["path"])
            status, text = 503, dump(error_body(translate(error)))
        except Exception:  # outermost, a fault of ours: one shape all the same, the traceback for the log only
            log.exception("request_failed", path=scope["path"])
            error = GroupXError(ErrorCode.INTERNAL_ERROR, "Something went wrong in GroupX; the log says more.")
            status, text = problem_of(error).http_status, dump(error_body(error))
        await send_text(send, status, text, kind)

    return application


async def send_json(send: Send, status: int, text: str, headers: list[tuple[bytes, bytes]] | None = None) -> None:
    await send_text(send, status, text, JSON, headers)


async def send_text(
    send: Send, status: int, text: str, content_type: str, headers: list[tuple[bytes, bytes]] | None = None
) -> None:
    body = text.encode()
    await send(
        {
            "type": "http.response.start",
            "status": status,
            "headers": [
                (b"content-type", content_type.encode()),
                (b"content-length", str(len(body)).encode()),
                (b"cache-control", b"no-store"),
                (b"x-content-type-options", b"nosniff"),
                *(headers or []),
            ],
        }
    )
    await send({"type": "http.response.body", "body": body})
