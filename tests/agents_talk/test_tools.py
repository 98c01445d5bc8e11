"""What an agent is shown of the room's tools, by either protocol (protocol sections 6 and 12; docs/mcp.md)."""

import re

import pytest

TOOLS = {
    "send": {"to", "content", "clientCommandId"},
    "publish": {"content", "clientCommandId"},
    "ask": {"to", "content", "clientCommandId"},
    "collect": {"messageEventId"},
    "read": set(),
    "watch": {"until"},
    "steer": {"action", "reason", "content", "clientCommandId"},
    "memory_search": set(),
    "memory_remember": {"kind", "content", "clientCommandId"},
    "core_memory_remember": {"kind", "content", "clientCommandId"},
    "identity_read": set(),
    "identity_remember": {"kind", "content", "clientCommandId"},
}
"""Each with the arguments that it cannot do without."""
SENDER = {"from", "actor", "author", "provenance", "eventId", "binding", "bindingId", "sender", "sourceBinding"}


@pytest.fixture(scope="module", params=["old", "auto"])
def listed(room, request):
    told = room.tell("ada", {"list_tools": request.param})
    return room.until_noted("ada", "tools", told.nonce)


def test_every_tool_is_there_with_what_it_needs(listed):
    needed = {tool["name"]: set(tool["inputSchema"].get("required", [])) for tool in listed["tools"]}

    assert needed == TOOLS


def test_every_tool_says_what_it_does_takes_and_gives(listed):
    for tool in listed["tools"]:
        assert len(tool["description"]) > 40, tool["name"]
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["outputSchema"]["type"] == "object"
        assert all("type" in shown for shown in tool["inputSchema"]["properties"].values()), tool["name"]


def test_no_tool_takes_a_sender(listed):
    assert not {name for tool in listed["tools"] for name in tool["inputSchema"]["properties"]} & SENDER


def test_names_pass_every_clients_rules(listed):
    assert all(re.fullmatch(r"[a-z_]{1,40}", tool["name"]) for tool in listed["tools"])


def test_the_words_prescribe_no_way_of_working_together(listed):
    words = " ".join([listed["instructions"], *(tool["description"] for tool in listed["tools"])]).lower()

    assert listed["instructions"]
    assert not re.search(r"\b(coordinator|moderator|leader|orchestrat\w+|rounds?|final recorder|topology)\b", words)
