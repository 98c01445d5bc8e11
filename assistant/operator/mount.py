"""`/operator/mcp` and `/mcp/operator`: the room's MCP server for its assistant (edge)."""

from assistant.operator.room import OperatorRoom
from assistant.queries.brain import check_operator_handle
from turns.tools.mount import McpMount


def operator_mount(room: OperatorRoom) -> McpMount:
    return McpMount(room, check_handle=check_operator_handle, served_by="assistant.operator.server")
