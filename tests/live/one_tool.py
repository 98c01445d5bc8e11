"""The room's MCP server with one tool, without a room: what a real CLI is given while its conversation is recorded."""

import json
import threading
from types import TracebackType

import mcp_types as types
import uvicorn
from mcp.server.lowlevel.server import Server, ServerRequestContext
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.applications import Starlette
from starlette.routing import Mount

from adapters.contract import MCP_SERVER, McpEndpoint
from tests.running_room import free_port
from tests.waiting import wait_until

START_SECONDS = 20
ANSWER = "forty-two"
_TEXT = {"type": "string"}
_ASK = types.Tool(
    name="ask",
    description="Asks other agents and waits for their answers.",
    input_schema={
        "type": "object",
        "properties": {"to": {"type": "array", "items": _TEXT}, "content": _TEXT, "clientCommandId": _TEXT},
        "required": ["to", "content", "clientCommandId"],
        "additionalProperties": False,
    },
)
_GIVEN = {"messageEventId": "evt_1", "state": "terminal", "results": [{"target": "agent:b", "content": ANSWER}]}


async def _list(context: ServerRequestContext, params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
    return types.ListToolsResult(tools=[_ASK])


async def _call(context: ServerRequestContext, params: types.CallToolRequestParams) -> types.CallToolResult:
    text = types.TextContent(type="text", text=json.dumps(_GIVEN))
    return types.CallToolResult(content=[text], structured_content=_GIVEN)


class OneTool:
    """A context manager; listens on a free port of loopback."""

    def __init__(self) -> None:
        manager = StreamableHTTPSessionManager(
            Server(MCP_SERVER, on_list_tools=_list, on_call_tool=_call), stateless=True, json_response=False
        )
        app = Starlette(routes=[Mount("/mcp", app=manager.handle_request)], lifespan=lambda _: manager.run())
        self._port = free_port()
        self._server = uvicorn.Server(uvicorn.Config(app, host="127.0.0.1", port=self._port, log_level="warning"))
        self._thread = threading.Thread(target=self._server.run, name="one-tool", daemon=True)

    @property
    def endpoint(self) -> McpEndpoint:
        return McpEndpoint(url=f"http://127.0.0.1:{self._port}/mcp/", binding_handle="handle")

    def __enter__(self) -> "OneTool":
        self._thread.start()
        wait_until(lambda: self._server.started, timeout_seconds=START_SECONDS, what="a server with one tool")
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.should_exit = True
        self._thread.join()
