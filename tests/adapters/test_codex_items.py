"""Items of a turn as Codex tells them, reduced to what a room shows. Shapes as of its version 0.171. Our contract."""

from typing import Any

import pytest

from adapters.codex.items import CompactionItem, EchoItem, MessageItem, ReasoningItem, UnknownItem, read_item
from adapters.contract import ToolStatus
from adapters.jsonrpc import ProtocolViolation
from adapters.tools import ToolUpdate


def tool(item: dict[str, Any], *, is_over: bool = True) -> ToolUpdate:
    read = read_item({"id": "i", **item}, is_over=is_over)
    assert isinstance(read, ToolUpdate)
    return read


def test_a_command_is_called_by_what_was_meant_inside_of_the_shell():
    item = {
        "type": "commandExecution",
        "command": "/bin/bash -lc 'echo hi'",
        "cwd": "/w",
        "processId": "7",
        "status": "completed",
        "commandActions": [{"type": "unknown", "command": "echo hi"}],
        "aggregatedOutput": "hi\n",
        "exitCode": 0,
        "durationMs": 12,
    }
    read = tool(item)
    assert (read.tool_call_id, read.name, read.status) == ("i", "echo hi", ToolStatus.COMPLETED)
    assert read.details == {
        "kind": "execute",
        "input": {"command": "/bin/bash -lc 'echo hi'", "cwd": "/w"},
        "output": "hi\n",
    }


def test_a_command_that_failed_tells_its_exit_code():
    read = tool({"type": "commandExecution", "command": "false", "cwd": "/", "status": "failed", "exitCode": 1})
    assert (read.name, read.status, read.details["exitCode"]) == ("false", ToolStatus.FAILED, 1)


@pytest.mark.parametrize(
    ("change", "diff"),
    [
        ({"kind": {"type": "add"}, "diff": "one\ntwo\n"}, {"newText": "one\ntwo\n"}),
        ({"kind": {"type": "delete"}, "diff": "gone\n"}, {"oldText": "gone\n"}),
        (
            {"kind": {"type": "update"}, "diff": "@@ -1,2 +1,2 @@\n same\n-old\n+new\n"},
            {"oldText": "old", "newText": "new"},
        ),
        ({"kind": {"type": "update"}, "diff": "--- a\n+++ b\n@@\n+more\n"}, {"newText": "more"}),
        ({"kind": {"type": "update"}, "diff": None}, {}),
        ({}, {}),
    ],
)
def test_changed_files_are_shown_as_changes(change: dict[str, Any], diff: dict[str, str]):
    read = tool({"type": "fileChange", "status": "completed", "changes": [{"path": "/w/a.py", **change}]})
    assert read.details["diff"] == [{"path": "/w/a.py", **diff}]
    assert read.details["locations"] == [{"path": "/w/a.py"}]
    assert read.name == "apply_patch /w/a.py"


def test_a_call_of_an_mcp_server_tells_what_came_back():
    item = {
        "type": "mcpToolCall",
        "server": "groupx",
        "tool": "ask",
        "arguments": {"to": "kimi"},
        "status": "completed",
        "result": {"content": [{"type": "text", "text": "yes"}, {"type": "image"}], "structuredContent": {"a": 1}},
    }
    read = tool(item)
    assert read.name == "groupx.ask"
    assert read.details == {"kind": "other", "input": {"to": "kimi"}, "output": "yes"}


def test_a_failed_call_of_an_mcp_server_tells_why():
    item = {"type": "mcpToolCall", "server": "s", "tool": "t", "status": "failed", "error": {"message": "no such"}}
    read = tool(item)
    assert (read.status, read.details["output"]) == (ToolStatus.FAILED, "no such")


@pytest.mark.parametrize(
    ("item", "name", "details"),
    [
        (
            {"type": "webSearch", "query": "django", "action": {"type": "search", "query": "django"}},
            "django",
            {"kind": "search", "input": {"type": "search", "query": "django"}},
        ),
        ({"type": "imageView", "path": "/a.png"}, "view_image", {"kind": "read", "locations": [{"path": "/a.png"}]}),
        (
            {"type": "imageGeneration", "status": "completed", "revisedPrompt": "a cat", "result": "iVBORw0KGgo="},
            "image_generation",
            {"input": "a cat"},
        ),
        (
            {"type": "dynamicToolCall", "tool": "t", "arguments": 1, "contentItems": [{"text": "x"}], "success": True},
            "t",
            {"input": 1, "output": "x"},
        ),
        (
            {"type": "collabAgentToolCall", "tool": "spawnAgent", "prompt": "go", "status": "completed"},
            "spawnAgent",
            {"kind": "other", "input": {"prompt": "go"}},
        ),
        ({"type": "functionCallOutput", "name": "f", "namespace": "n", "output": "x"}, "n.f", {"output": "x"}),
        ({"type": "functionCallOutput", "name": "f", "output": [{"text": "x"}, {}]}, "f", {"output": "x"}),
        ({"type": "sleep", "durationMs": 5}, "sleep", {"input": {"durationMs": 5}}),
        ({"type": "exitedReviewMode", "review": "fine"}, "review", {"output": "fine"}),
    ],
)
def test_every_known_tool_has_a_name_and_an_allow_list(item: dict[str, Any], name: str, details: dict[str, Any]):
    read = tool(item)
    assert (read.name, read.status, read.details) == (name, ToolStatus.COMPLETED, details)


@pytest.mark.parametrize(
    ("fields", "is_over", "status"),
    [
        ({"status": "inProgress"}, False, ToolStatus.RUNNING),
        ({"status": "completed"}, False, ToolStatus.RUNNING),
        ({"status": "inProgress"}, True, ToolStatus.COMPLETED),
        ({"status": "declined"}, True, ToolStatus.FAILED),
        ({"success": False}, True, ToolStatus.FAILED),
        ({}, True, ToolStatus.COMPLETED),
    ],
)
def test_a_tool_is_over_when_its_item_is(fields: dict[str, Any], is_over: bool, status: ToolStatus):
    assert tool({"type": "dynamicToolCall", "tool": "t", **fields}, is_over=is_over).status is status


def test_an_item_that_nobody_knows_is_a_tool_without_its_fields():
    read = read_item({"id": "i", "type": "inventedYesterday", "secret": "x"}, is_over=True)
    assert isinstance(read, UnknownItem) and read.tool is not None
    assert (read.tool.name, read.tool.details) == ("inventedYesterday", {"kind": "other"})


@pytest.mark.parametrize("item", [{}, {"type": "webSearch"}, {"id": "i"}, {"id": None, "type": None}])
def test_an_item_without_a_type_or_an_id_is_only_counted(item: dict[str, Any]):
    assert read_item(item, is_over=True) == UnknownItem(None)


@pytest.mark.parametrize(
    "item", [{"id": 5, "type": "sleep"}, {"id": "i", "type": 5}, {"id": "i", "type": "plan", "text": 5}]
)
def test_a_wrong_type_where_we_need_the_value_breaks_the_protocol(item: dict[str, Any]):
    with pytest.raises(ProtocolViolation):
        read_item(item, is_over=True)


@pytest.mark.parametrize(
    ("item", "read"),
    [
        ({"type": "agentMessage", "text": "hi"}, MessageItem("i", "hi")),
        ({"type": "plan", "text": "first"}, MessageItem("i", "first")),
        ({"type": "reasoning", "summary": ["a", "b"], "content": ["x"]}, ReasoningItem("i", ["a", "b"], "summary")),
        ({"type": "reasoning", "summary": [], "content": ["x"]}, ReasoningItem("i", ["x"], "content")),
        ({"type": "userMessage", "content": []}, EchoItem()),
        ({"type": "contextCompaction"}, CompactionItem()),
    ],
)
def test_what_is_no_tool_is_told_apart(item: dict[str, Any], read: object):
    assert read_item({"id": "i", **item}, is_over=True) == read
