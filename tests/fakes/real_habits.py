"""What each real CLI was seen to insist on (docs/drivers.md), as startups of the scripted agent. Data."""

from typing import Any

_HISTORY = [
    {"sessionUpdate": "user_message_chunk", "content": {"type": "text", "text": "old question"}},
    {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "old answer"}},
]
_LOAD = {"loadSession": True, "mcpCapabilities": {"http": True}}
_RESUME = {**_LOAD, "sessionCapabilities": {"resume": {}}}

HABITS: dict[str, dict[str, Any]] = {
    "opencode": {
        "capabilities": _RESUME,
        "asks_unless": {"argv": ["acp"], "env": {"OPENCODE_CONFIG_CONTENT": '{"permission": "allow"}'}},
    },
    "grok": {
        "capabilities": _LOAD,
        "tells_mcp_by": "_x.ai/mcp/server_status",
        "asks_unless": {"argv": ["agent", "--always-approve", "stdio"]},
    },
    "kimi": {
        "capabilities": _RESUME,
        "history": _HISTORY,
        "asks_unless": {"argv": ["acp"], "env": {"KIMI_MCP_TOOL_TIMEOUT_MS": "90000"}, "mode": "auto"},
    },
    "hermes": {
        "name": "hermes-agent",
        # announces no MCP, yet takes it; resumes what it does not know
        "capabilities": {"loadSession": True, "sessionCapabilities": {"resume": {}}},
        "history": _HISTORY,
        "invents_sessions": True,
        "asks_unless": {"argv": ["--yolo", "acp"], "mode": "dont_ask"},
    },
    "gemini": {
        "capabilities": _LOAD,
        "history": _HISTORY[:1],
        "history_after": _HISTORY[1:],
        "ignore_eof": True,
        "mode_wants": {"GEMINI_CLI_TRUST_WORKSPACE": "true"},
        "asks_unless": {"argv": ["--acp"], "env": {"GEMINI_CLI_NO_RELAUNCH": "true"}, "mode": "yolo"},
    },
    "qwen": {"capabilities": _RESUME, "history": _HISTORY, "asks_unless": {"argv": ["--acp"], "mode": "yolo"}},
    "codebuddy": {
        "capabilities": _LOAD,
        "history": _HISTORY,
        "ignore_eof": True,
        "invents_sessions": True,
        "signed_in_by": "CODEBUDDY_API_KEY",
        "asks_unless": {
            "argv": ["--acp"],
            "env": {"CODEBUDDY_DEFER_TOOL_LOADING": "false"},
            "mode": "bypassPermissions",
        },
    },
}
