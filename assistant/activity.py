"""What the brain does just now, in words for the person. Pure."""

import re

from groupx.kernel.text import clip

TITLE_CHARS = 120
OF_THE_ROOM = {
    "send": "Writes a message into the room",
    "read": "Reads what was said in the room",
    "roster": "Looks who is in the room",
    "context_usage": "Looks how full the room's context is",
    "context_compact": "Has the room summed up",
    "context_reset": "Resets the room's context",
    "turn_cancel": "Cancels a turn",
    "turns_cancel": "Cancels turns",
    "agent_restart": "Restarts an agent",
    "memory_search": "Searches the room's memory",
    "memory_remember": "Keeps something in the room's memory",
    "memory_supersede": "Changes the room's memory",
    "memory_retract": "Takes something out of the room's memory",
    "agent_core_remember": "Keeps something in an agent's memory",
    "identity_search": "Looks who is thought to be what",
    "identity_remember_for": "Keeps who somebody is",
    "identity_supersede": "Changes who somebody is",
    "identity_retract": "Takes back who somebody is",
    "setup_read": "Reads the configuration",
    "setup_save": "Saves the configuration",
    "worker_dispatch": "Gives work to agents",
    "worker_ask": "Asks agents and waits for their answers",
    "dispatch_event": "Hands a message on to agents",
    "supervision_status": "Looks who watches whom",
}
"""By the tool's name, which each CLI shows in a way of its own: `groupx__send`, `mcp__groupx__send`, `groupx.send` …"""
_NAME = re.compile(r"[a-z]+(?:_[a-z]+)*")


def activity_of(name: str, title: str = "") -> str:
    """`title` is the CLI's own line for this call, where it has one."""
    for shown in (name, title):
        if "groupx" in shown.lower():
            for word in (word.removeprefix("groupx_") for word in _NAME.findall(shown.lower())):
                if word in OF_THE_ROOM:
                    return OF_THE_ROOM[word]
    tool = clip(title or name, TITLE_CHARS)
    return f"Uses a tool: {tool}"
