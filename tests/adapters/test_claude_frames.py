"""What single frames of Claude Code say, and which odd ones are survived."""

from typing import Any

import pytest

from adapters.claude.frames import (
    BlockBegins,
    ErrorMessage,
    Frame,
    Init,
    Limit,
    Message,
    MessageBegins,
    Nested,
    Other,
    PromptTold,
    Result,
    TextPiece,
    ThoughtPiece,
    ToolsTold,
    Unknown,
    read_frame,
)
from adapters.contract import ProgressReported, ToolStatus
from adapters.jsonrpc import ProtocolViolation
from adapters.tools import ToolUpdate


def event(value: object, **more: Any) -> dict[str, Any]:
    return {"type": "stream_event", "event": value, **more}


def delta(value: object) -> dict[str, Any]:
    return event({"type": "content_block_delta", "index": 0, "delta": value})


def assistant(*content: object, **more: Any) -> dict[str, Any]:
    return {"type": "assistant", "message": {"id": "msg_1", "content": list(content)}, **more}


def outcome(content: object, **more: Any) -> dict[str, Any]:
    block = {"type": "tool_result", "tool_use_id": "t", "content": content, **more}
    return {"type": "user", "message": {"content": [block]}}


def message(**more: Any) -> Message:
    return Message(**{"message_id": "msg_1", "texts": [], "thoughts": [], "tools": [], **more})


TOOL = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls\n-l", "description": "look"}}
TOLD = ToolUpdate(
    tool_call_id="t",
    name="Bash: ls -l",
    status=ToolStatus.RUNNING,
    details={"kind": "execute", "title": "ls\n-l", "input": {"command": "ls\n-l", "description": "look"}},
)


@pytest.mark.parametrize(
    ("frame", "meaning"),
    [
        (event({"type": "message_start", "message": {"id": "msg_1"}}), MessageBegins("msg_1")),
        (event({"type": "message_start"}), MessageBegins(None)),
        (event({"type": "content_block_start", "content_block": {"type": "text"}}), BlockBegins()),
        (event({"type": "content_block_start", "content_block": {"type": "thinking"}}), Nested()),
        (delta({"type": "text_delta", "text": "hi"}), TextPiece("hi")),
        (delta({"type": "text_delta"}), TextPiece("")),
        (delta({"type": "thinking_delta", "thinking": "hm"}), ThoughtPiece("hm")),
        (delta({"type": "input_json_delta", "partial_json": "{"}), Nested()),
        (delta({"type": "signature_delta", "signature": "x"}), Nested()),
        (delta(None), Nested()),
        (event({"type": "message_stop"}), Nested()),
        (event({"type": "ping"}), Nested()),
        (event({"type": "invented"}), Nested()),
        (event({"type": "content_block_delta", "delta": {}}, parent_tool_use_id="t"), Nested()),
        (assistant({"type": "text", "text": "hi"}), message(texts=["hi"])),
        (assistant({"type": "thinking", "thinking": "hm"}), message(thoughts=["hm"])),
        (assistant(TOOL), message(tools=[TOLD])),
        (assistant({"type": "invented"}, "odd", None), message()),
        (assistant({"type": "text", "text": "inner"}, parent_tool_use_id="t"), Nested()),
        (assistant(TOOL, parent_tool_use_id="outer"), ToolsTold([TOLD], "outer")),
        (assistant({"type": "text", "text": "API Error"}, error="rate_limit"), ErrorMessage("rate_limit")),
        (assistant({"type": "text", "text": "API Error"}, isApiErrorMessage=True), ErrorMessage("unknown")),
        ({"type": "user", "message": {"role": "user", "content": "our own words"}}, Nested()),
        ({"type": "user"}, Nested()),
        ({"type": "result"}, Result({"type": "result"})),
        ({"type": "system"}, Other()),
        ({"type": "system", "subtype": "invented"}, Other()),
        ({"type": "system", "subtype": "status", "status": "compacting"}, Nested()),
        ({"type": "system", "subtype": "status", "status": None}, Other()),
        ({"type": "tool_progress"}, Nested()),
        ({"type": "keep_alive"}, Other()),
        ({"type": "command_lifecycle", "command_uuid": "p", "state": "started"}, PromptTold("p", "started")),
        ({"type": "invented"}, Unknown()),
        ({"type": "rate_limit_event", "rate_limit_info": {"status": "allowed"}}, Other()),
        ({"type": "rate_limit_event", "rate_limit_info": {"status": "rejected", "resetsAt": 5}}, Limit(5.0)),
        ({"type": "rate_limit_event", "rate_limit_info": {"status": "rejected"}}, Limit(None)),
        ({"type": "rate_limit_event"}, Other()),
        (
            {
                "type": "rate_limit_event",
                "rate_limit_info": {"status": "allowed_warning", "rateLimitType": "five_hour", "utilization": 0.9},
            },
            ProgressReported("rate_limit", {"type": "five_hour", "used": 0.9}),
        ),
        (
            {"type": "system", "subtype": "api_retry", "attempt": 1, "max_retries": 10, "error_status": 529},
            ProgressReported("retry", {"attempt": 1, "maxRetries": 10, "status": 529}),
        ),
        (
            {
                "type": "system",
                "subtype": "compact_boundary",
                "compact_metadata": {"trigger": "auto", "pre_tokens": 180_000},
            },
            ProgressReported("compaction", {"trigger": "auto", "tokensBefore": 180_000}),
        ),
    ],
    ids=lambda value: str(value)[:70],
)
def test_a_frame_means(frame: dict[str, Any], meaning: Frame):
    assert read_frame(frame["type"], frame) == meaning


def test_the_begin_of_a_turn_tells_where_it_is():
    frame = {
        "type": "system",
        "subtype": "init",
        "session_id": "s",
        "cwd": "/w",
        "permissionMode": "plan",
        "mcp_servers": [{"name": "groupx", "status": "failed"}, "odd"],
    }
    assert read_frame("system", frame) == Init(session_id="s", cwd="/w", mode="plan", mcp_status={"groupx": "failed"})
    assert read_frame("system", {"subtype": "init"}) == Init(session_id=None, cwd=None, mode=None, mcp_status={})


@pytest.mark.parametrize(
    "frame",
    [
        event("text"),
        event(None),
        delta({"type": "text_delta", "text": 5}),
        delta({"type": "thinking_delta", "thinking": []}),
        event({"type": "message_start", "message": {"id": 5}}),
        {"type": "assistant"},
        {"type": "assistant", "message": "text"},
        assistant({"type": "text", "text": 5}),
        assistant({"type": "tool_use", "id": 5}),
        outcome("x", tool_use_id=5),
        {"type": "system", "subtype": "init", "session_id": 5},
    ],
    ids=str,
)
def test_a_wrong_type_where_it_matters_breaks_the_protocol(frame: dict[str, Any]):
    with pytest.raises(ProtocolViolation):
        read_frame(frame["type"], frame)


# ---------------------------------------------------------------- tools
@pytest.mark.parametrize(
    ("frame", "status", "details"),
    [
        (outcome("done"), ToolStatus.COMPLETED, {"output": "done"}),
        (
            outcome([{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
            ToolStatus.COMPLETED,
            {"output": "a\nb"},
        ),
        (outcome([{"type": "image"}]), ToolStatus.COMPLETED, {}),
        (outcome(None), ToolStatus.COMPLETED, {}),
        (outcome("no", is_error=True), ToolStatus.FAILED, {"output": "no"}),
    ],
    ids=str,
)
def test_what_came_of_a_tool_is_told(frame: dict[str, Any], status: ToolStatus, details: dict[str, object]):
    assert read_frame("user", frame) == ToolsTold(
        [ToolUpdate(tool_call_id="t", name=None, status=status, details=details)]
    )


@pytest.mark.parametrize(
    ("given", "diff"),
    [
        (
            {"file_path": "/a", "old_string": "x", "new_string": "y"},
            [{"path": "/a", "oldText": "x", "newText": "y"}],
        ),
        ({"file_path": "/a", "content": "new"}, [{"path": "/a", "newText": "new"}]),
        (
            {"file_path": "/a", "edits": [{"old_string": "1", "new_string": "2"}, {"new_string": "3"}]},
            [{"path": "/a", "oldText": "1", "newText": "2"}, {"path": "/a", "newText": "3"}],
        ),
    ],
    ids=str,
)
def test_an_edit_is_told_as_a_difference(given: dict[str, Any], diff: list[dict[str, str]]):
    told = read_frame("assistant", assistant({"type": "tool_use", "id": "t", "name": "Edit", "input": given}))
    assert isinstance(told, Message)
    (tool,) = told.tools
    assert tool.name == "Edit: /a"
    assert tool.details == {"kind": "edit", "title": "/a", "diff": diff, "locations": [{"path": "/a"}]}


def test_a_tool_of_the_room_keeps_its_name():
    block = {"type": "tool_use", "id": "t", "name": "mcp__groupx__send", "input": {"to": ["codex"], "content": "hi"}}
    told = read_frame("assistant", assistant(block))
    assert isinstance(told, Message)
    assert told.tools[0].name == "mcp__groupx__send" and told.tools[0].details["input"] == block["input"]


@pytest.mark.parametrize("block", [{"type": "tool_use"}, {"type": "tool_use", "id": ""}])
def test_a_call_that_does_not_tell_which_is_left_out(block: dict[str, Any]):
    assert read_frame("assistant", assistant(block)) == message()
