"""An MCP server of the room on the official SDK (edge). Heavy to import: `mount` loads it when it is needed.

Who calls is the desk's business. Whatever fails is an answer with `isError`, a stable code and a plain sentence, so
that the model can read it and go on.
"""

from functools import partial
from typing import Any

import mcp_types as types
from mcp.server.lowlevel.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.shapes import MAX_DEPTH, parse, refuse_sender_fields, refuse_unstorable
from groupx.kernel.version import VERSION
from rooms.transactions import StoreError, translate
from turns.tools.desk import Desk
from turns.tools.results import answered, failed
from turns.tools.schemas import input_schema, output_schema

log = get_logger()


BINDING_HEADER = "x-groupx-binding"


def session_manager(desk: Desk) -> StreamableHTTPSessionManager:
    """Stateless with SSE answers: the one mode in which a waiting call ends when its client goes away."""
    calls = _Calls(desk)
    schemas = {tool.name: tool.input_schema for tool in calls.listed}
    server: Server = Server(
        "groupx",
        version=VERSION,
        instructions=desk.instructions,
        get_tool_input_schema=schemas.get,
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
    )
    return StreamableHTTPSessionManager(server, stateless=True, json_response=False)


class _Calls:
    """What the SDK calls for each request; one for each server."""

    def __init__(self, desk: Desk) -> None:
        self._desk, self._tools = desk, {tool.name: tool for tool in desk.tools}
        self.listed = [
            types.Tool(
                name=tool.name,
                description=tool.description,
                input_schema=input_schema(tool.request, desk.argument_words),
                output_schema=output_schema(tool.answer),
            )
            for tool in desk.tools
        ]

    async def list_tools(
        self, context: ServerRequestContext, params: types.PaginatedRequestParams | None
    ) -> types.ListToolsResult:
        await self._desk.noticed(_handle_of(context), is_call=False)
        return types.ListToolsResult(tools=self.listed)

    async def call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        await self._desk.noticed(_handle_of(context), is_call=True)
        try:
            async with self._desk.calling(_handle_of(context), partial(_tell_progress, context)) as call:
                return await self._call(call, params)
        except GroupXError as error:
            return failed(error)
        except StoreError as error:
            log.exception("database_unavailable", tool=params.name)
            return failed(translate(error))
        except Exception:  # outermost, a fault of ours: the same shape all the same, the traceback for the log only
            log.exception("tool_failed", tool=params.name)
            return failed(GroupXError(ErrorCode.INTERNAL_ERROR, "Something went wrong in GroupX; its log says more."))

    async def _call(self, call: Any, params: types.CallToolRequestParams) -> types.CallToolResult:
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
