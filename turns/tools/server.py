"""The MCP server an agent's session is given, on the official SDK. Heavy to import: `mount` loads it when it is needed.

This version offers no tool yet: the session, its binding and the address are what later tools stand on. An
agent that lists tools gets an empty list instead of a connection error in each session.
"""

import mcp_types as types
from mcp.server.lowlevel.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager

from groupx.kernel.version import VERSION
from turns.tools.use import McpUse

INSTRUCTIONS = (
    "You are in a GroupX room. Your final answer is shown to everybody in it. No tools are offered in this version."
)
_use = McpUse()


async def _list_tools(
    context: ServerRequestContext, params: types.PaginatedRequestParams | None
) -> types.ListToolsResult:
    await _use.noticed(context, is_call=False)
    return types.ListToolsResult(tools=[])


async def _call_tool(context: ServerRequestContext, params: types.CallToolRequestParams) -> types.CallToolResult:
    await _use.noticed(context, is_call=True)
    said = f"There is no tool “{params.name}”. {INSTRUCTIONS}"
    return types.CallToolResult(content=[types.TextContent(type="text", text=said)], is_error=True)


def session_manager() -> StreamableHTTPSessionManager:
    """Stateless with SSE answers: the one mode in which a waiting call ends when its client goes away."""
    server: Server = Server(
        "groupx", version=VERSION, instructions=INSTRUCTIONS, on_list_tools=_list_tools, on_call_tool=_call_tool
    )
    return StreamableHTTPSessionManager(server, stateless=True, json_response=False)
