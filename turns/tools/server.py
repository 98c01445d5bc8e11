"""The MCP server an agent's session is given, on the official SDK (edge). Heavy to import: `mount` loads it when it is
needed.

A call is known by its binding alone; its turn is looked up for each. Whatever fails is an answer with `isError`, a
stable code and a plain sentence, so that the model can read it and go on.
"""

from collections.abc import Sequence
from functools import partial

import mcp_types as types
from mcp.server.lowlevel.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.kernel.shapes import MAX_DEPTH, parse, refuse_sender_fields, refuse_unstorable
from groupx.kernel.version import VERSION
from rooms.transactions import StoreError, in_reader, translate
from turns.member import Member
from turns.queries.members import member_of
from turns.tools.catalog import TOOLS, argument_words, instructions
from turns.tools.open_calls import OpenCalls
from turns.tools.results import answered, failed
from turns.tools.schemas import input_schema, output_schema
from turns.tools.tool import AnyTool, ToolCall, ToolRoom
from turns.tools.use import McpUse, handle_of

log = get_logger()


def session_manager(room: ToolRoom, tools: Sequence[AnyTool] = TOOLS) -> StreamableHTTPSessionManager:
    """Stateless with SSE answers: the one mode in which a waiting call ends when its client goes away."""
    desk = _Desk(room, {tool.name: tool for tool in tools})
    schemas = {tool.name: tool.input_schema for tool in desk.listed}
    server: Server = Server(
        "groupx",
        version=VERSION,
        instructions=instructions(room.agents),
        get_tool_input_schema=schemas.get,
        on_list_tools=desk.list_tools,
        on_call_tool=desk.call_tool,
    )
    return StreamableHTTPSessionManager(server, stateless=True, json_response=False)


class _Desk:
    """Where calls arrive; one for each server process."""

    def __init__(self, room: ToolRoom, tools: dict[str, AnyTool]) -> None:
        self._room, self._tools = room, tools
        self._use = McpUse(room.clock)
        self._open_calls = OpenCalls()
        words = argument_words(room.agents)
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
        await self._use.noticed(context, is_call=False)
        return types.ListToolsResult(tools=self.listed)

    async def call_tool(
        self, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        await self._use.noticed(context, is_call=True)
        try:
            member = await in_reader(member_of, handle_of(context))
            with self._open_calls.one_of(member):
                return await self._call(member, context, params)
        except GroupXError as error:
            return failed(error)
        except StoreError as error:
            log.exception("database_unavailable", tool=params.name)
            return failed(translate(error))
        except Exception:  # outermost, a fault of ours: the same shape all the same, the traceback for the log only
            log.exception("tool_failed", tool=params.name)
            return failed(GroupXError(ErrorCode.INTERNAL_ERROR, "Something went wrong in GroupX; its log says more."))

    async def _call(
        self, member: Member, context: ServerRequestContext, params: types.CallToolRequestParams
    ) -> types.CallToolResult:
        tool = self._tools.get(params.name)
        if tool is None:
            there = list(self._tools)
            raise GroupXError(
                ErrorCode.NOT_FOUND, f"There is no tool “{params.name}”. There are: {', '.join(there)}.", tools=there
            )
        arguments = params.arguments or {}
        refuse_unstorable(arguments)
        refuse_sender_fields(arguments, levels=MAX_DEPTH)
        request = parse(tool.request, arguments)
        call = ToolCall(member=member, room=self._room, tell_progress=partial(_tell_progress, context))
        return answered(await tool.run(request, call))


async def _tell_progress(context: ServerRequestContext, seconds: float, message: str) -> None:
    await context.session.report_progress(seconds, message=message)
