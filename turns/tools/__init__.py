"""The room's MCP server for its agents (edge)."""
