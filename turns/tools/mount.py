"""An MCP server under a server without lifespan: who calls is known by the binding, then the SDK takes over (edge).

The SDK's manager must be entered and left in one task, once per loop: a host task does that on first use. The
guard has checked the Host; a browser has no business here.
"""

import asyncio
from contextlib import suppress
from importlib import import_module
from threading import Thread
from typing import Any

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.problems import error_body, problem_of
from rooms.asgi_json import Receive, Scope, Send, send_json
from rooms.envelope import dump
from rooms.transactions import StoreError, in_reader, translate
from turns.tools.bodies import with_readable_body
from turns.tools.desk import Desk

log = get_logger()

BINDING_HEADER = b"x-groupx-binding"


class McpMount:
    """One per server process and desk; an ASGI application for its paths."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._manager: asyncio.Future[Any] | None = None
        self._host: asyncio.Task[None] | None = None

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            refusal = await self._refusal(scope)
            manager = await self._running_manager() if refusal is None else None
        except StoreError as error:
            log.exception("database_unavailable", path=scope["path"])
            refusal, manager = translate(error), None
        if refusal is not None or manager is None:
            refusal = refusal or GroupXError(ErrorCode.SESSION_NOT_AVAILABLE, "The MCP server is not ready; try again.")
            extra = [(b"allow", b"POST")] if refusal.code is ErrorCode.METHOD_NOT_ALLOWED else []
            await send_json(send, problem_of(refusal).http_status, dump(error_body(refusal)), extra)
            return
        try:
            readable = await with_readable_body(receive)
        except GroupXError as refused:
            await send_json(send, problem_of(refused).http_status, dump(error_body(refused)))
            return
        await manager.handle_request(scope, readable, send)

    async def _refusal(self, scope: Scope) -> GroupXError | None:
        headers = dict(scope["headers"])
        if b"origin" in headers:
            return GroupXError(ErrorCode.ORIGIN_FORBIDDEN, "This address is for agents, not for browsers.")
        handle = headers.get(BINDING_HEADER, b"").decode("latin-1")
        try:
            await in_reader(self._desk.check_handle, handle)
        except GroupXError as refusal:
            return refusal
        if scope["method"] != "POST":
            return GroupXError(ErrorCode.METHOD_NOT_ALLOWED, "This address takes POST.")
        media_type = headers.get(b"content-type", b"").partition(b";")[0].strip().lower()
        if media_type != b"application/json":
            return GroupXError(ErrorCode.UNSUPPORTED_MEDIA_TYPE, "Write with Content-Type: application/json.")
        return None

    def prepare(self) -> "asyncio.Future[Any]":
        """Load what the first call needs: an agent that has to wait for it may begin its first turn without tools."""
        if self._manager is None or (self._host is not None and self._host.done()):
            self._manager = asyncio.get_running_loop().create_future()
            self._host = asyncio.create_task(self._run_manager(self._manager), name="mcp-host")
        return self._manager

    async def _running_manager(self) -> Any:
        try:
            return await asyncio.shield(self.prepare())
        except (ImportError, RuntimeError):
            log.exception("mcp_not_available")
            return None

    async def _run_manager(self, ready: "asyncio.Future[Any]") -> None:
        try:
            server = await _imported("turns.tools.server")
            manager = server.session_manager(self._desk)
            async with manager.run():
                ready.set_result(manager)
                await asyncio.Event().wait()
        except BaseException as error:
            if not ready.done():
                ready.set_exception(error)
                ready.exception()  # nobody may be waiting for it
            raise


async def _imported(name: str) -> Any:
    """In a thread, since the SDK costs a second, and in one that holds up no process that ends meanwhile."""
    loop, ended = asyncio.get_running_loop(), asyncio.Event()

    def run() -> None:
        try:
            import_module(name)
        finally:
            with suppress(RuntimeError):  # the loop has ended
                loop.call_soon_threadsafe(ended.set)

    Thread(target=run, name=f"import-{name}", daemon=True).start()
    await ended.wait()
    return import_module(name)  # it is there, or fails once more, here
