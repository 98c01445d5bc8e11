"""What clients and agents can ask for once per clientCommandId: every receipt says one of these. Pure."""

from enum import StrEnum


class CommandName(StrEnum):
    MESSAGE = "message"
    TURN_CANCEL = "turn.cancel"
    TURN_RETRY = "turn.retry"
    AGENT_RESTART = "agent.restart"
    AGENT_RESUME = "agent.resume"
    AGENT_FRESH_SESSION = "agent.fresh_session"
    LIMITS_GRANT = "limits.grant"
    CONTEXT_RESET = "context.reset"
    CONTEXT_COMPACT = "context.compact"
    MEMORY_REMEMBER = "memory.remember"
    MEMORY_SUPERSEDE = "memory.supersede"
    MEMORY_RETRACT = "memory.retract"
    IDENTITY_REMEMBER = "identity.remember"
    IDENTITY_SUPERSEDE = "identity.supersede"
    IDENTITY_RETRACT = "identity.retract"
    MCP_SEND = "mcp.send"
    MCP_ASK = "mcp.ask"
    MCP_PUBLISH = "mcp.publish"
    MCP_STEER = "supervision.steer"
    MCP_MEMORY_REMEMBER = "mcp.memory_remember"
    MCP_CORE_MEMORY_REMEMBER = "mcp.core_memory_remember"
    MCP_IDENTITY_REMEMBER = "mcp.identity_remember"
