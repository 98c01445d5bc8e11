"""An MCP server of the room, on the official SDK (edge). Heavy to import: `mount` loads it when it is needed.

A call is known by its binding alone, looked up for each. Whatever fails is an answer with `isError`, a stable code and
a plain sentence, so that the model can read it and go on.
"""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from functools import partial
from typing import Any, Protocol

import mcp_types as types
from mcp.server.lowlevel.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.shapes import MAX_DEPTH, parse, refuse_sender_fields, refuse_unstorable
from groupx.kernel.version import VERSION
from rooms.transactions import StoreError, translate
from turns.tools.mount import BINDING_HEADER
from turns.tools.results import answered, failed
from turns.tools.schemas import input_schema, output_schema
from turns.tools.tool import AnyTool

log = get_logger()


class Callers(Protocol):
    """Who calls a server, known by the handle that comes with each request."""

    async def noticed(self, handle: str, *, is_call: bool) -> None:
        """A request has come: to call a tool, or for their list."""
        ...

    def call_of(
        self, handle: str, tell_progress: Callable[[float, str], Awaitable[None]]
    ) -> AbstractAsyncContextManager[Any]:
        """What a tool is given, while this call of it lasts.

        Raises:
            GroupXError: whoever shows this may not call now.
        """
        ...


def session_manager(
    callers: Callers, tools: Sequence[AnyTool], *, instructions: str, words: Mapping[str, str]
) -> StreamableHTTPSessionManager:
    """Stateless with SSE answers: the one mode in which a waiting call ends when its client goes away.

    `words`: what is said of arguments by their name.
    """
    desk = _Desk(callers, {tool.name: tool for tool in tools}, words)
    schemas = {tool.name: tool.input_schema for tool in desk.listed}
    server: Server = Server(
        "groupx",
        version=VERSION,
        instructions=instructions,
        get_tool_input_schema=schemas.get,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
    )
    return StreamableHTTPSessionManager(server, stateless=True, json_response=False)


class _Desk:
    """Where calls arrive; one for each server process."""

    def __init__(self, callers: Callers, tools: dict[str, AnyTool], words: Mapping[str, str]) -> None:
        self._callers, self._tools = callers, tools
        self.listed = [
            types.Tool(
                name=tool.name,
                description=tool.description,
                input_schema=input_schema(tool.request, words),
                output_schema=output_schema(tool.answer),
            )
            for tool in tools.values()
        ]

    async def list_tools(
        self, context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        await self._callers.noticed(_handle_of(context), is_call=False)
        return types.ListToolsResult(tools=self.listed)

    async def call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        handle = _handle_of(context)
        await self._callers.noticed(handle, is_call=True)
        try:
            async with self._callers.call_of(handle, partial(_tell_progress, context)) as call:
                return await self._answer(params, call)
        except GroupXError as error:
            return failed(error)
        except StoreError as error:
            log.exception("database_unavailable", tool=params.name)
            return failed(translate(error))
        except Exception:  # outermost, a fault of ours: the same shape all the same, the traceback for the log only
            log.exception("tool_failed", tool=params.name)
            return failed(GroupXError(ErrorCode.INTERNAL_ERROR, "Something went wrong in GroupX; its log says more."))

    async def _answer(self, params: types.CallToolRequestParams, call: Any) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            there = list(self._tools)
            raise GroupXError(
                ErrorCode.NOT_FOUND, f"There is no tool “{params.name}”. There are: {', '.join(there)}.", tools=there
            )
        arguments = params.arguments or {}
        refuse_unstorable(arguments)
        refuse_sender_fields(arguments, levels=MAX_DEPTH)
        return answered(await tool.run(parse(tool.request, arguments), call))


def _handle_of(context: ServerRequestContext) -> str:
    """The secret that this request shows; empty for none."""
    return context.request.headers.get(BINDING_HEADER, "") if context.request is not None else ""


async def _tell_progress(context: ServerRequestContext, seconds: float, message: str) -> None:
    await context.session.report_progress(seconds, message=message)
