"""Examples of the setup. A test holds them to their shapes."""

from typing import Any

AGENT = {
    "id": "builder",
    "driver": "codex",
    "name": "Builder",
    "identity": "You build. Be brief.",
    "command": "codex",
    "cwd": ".",
    "enabled": True,
}
DRAFT: dict[str, Any] = {
    "serverPort": 4310,
    "storagePath": ".groupx/groupx.db",
    "agents": [AGENT],
    "assistant": {
        "enabled": True,
        "name": "Assistant",
        "brain": {"driver": "claude", "command": "claude", "cwd": "."},
        "extraInstructions": "",
    },
}
COMMAND = {"config": DRAFT}
_PATH = "/home/ada/project/groupx.json"
SETUP = {
    "configPath": _PATH,
    "existing": True,
    "runtimeActive": True,
    "drivers": [
        {
            "driver": "codex",
            "label": "Codex",
            "found": True,
            "command": "/usr/local/bin/codex",
            "version": "0.145.0",
            "install": "npm install -g @openai/codex",
        },
        {
            "driver": "claude",
            "label": "Claude Code",
            "found": False,
            "problem": "“claude” was not found on PATH.",
            "hint": "npm install -g @anthropic-ai/claude-code",
            "install": "npm install -g @anthropic-ai/claude-code",
        },
    ],
    "config": DRAFT,
}
SAVED = {
    "saved": True,
    "restartRequired": True,
    "configPath": _PATH,
    "backupPath": f"{_PATH}.bak",
    "agents": ["builder"],
}
CHECKED = {
    "issues": [
        {
            "path": "config.agents.0.cwd",
            "message": "The folder “/home/ada/old” does not exist.",
            "severity": "error",
        }
    ]
}
LAUNCH = {"status": "ready", "origin": "http://127.0.0.1:4310"}
PENDING = {
    "restartRequired": True,
    "changes": [
        {"actorId": "agent:reviewer", "displayName": "Reviewer", "driver": "claude", "change": "added"},
        {"displayName": "Settings", "change": "settings"},
    ],
}
TRY = {"agent": AGENT}
TRIED = {"ok": True, "tookMs": 4210, "answer": "Hello! I work in /home/ada/project.", "version": "0.145.0"}
