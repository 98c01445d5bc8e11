"""The MCP server of the assistant: how it acts in the room."""
