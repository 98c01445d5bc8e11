"""ACP v1 updates and replies to values of ours (https://agentclientprotocol.com/protocol/), and its odd dialects."""

from pathlib import Path
from typing import Any

import pytest

from adapters.acp import messages
from adapters.acp.messages import read_initialize, read_prompt_reply, read_session_id, resumed_session_id
from adapters.acp.updates import (
    MessageChunk,
    OtherUpdate,
    PlanUpdate,
    ThoughtChunk,
    UnknownUpdate,
    UsageUpdate,
    UserChunk,
    read_update,
)
from adapters.bounds import MAX_CHARS, Bounded
from adapters.contract import McpEndpoint, ToolStatus, UsageReported
from adapters.jsonrpc import ProtocolViolation
from adapters.questions import asks_a_person
from adapters.tools import ToolUpdate


def update(kind: str, /, **more: Any) -> dict[str, Any]:
    return {"sessionId": "s", "update": {"sessionUpdate": kind, **more}}


def text(value: str) -> dict[str, str]:
    return {"type": "text", "text": value}


@pytest.mark.parametrize(
    ("params", "meaning"),
    [
        (update("agent_message_chunk", content=text("hi")), MessageChunk("hi")),
        (update("agent_message_chunk", content=text(""), messageId="m"), MessageChunk("")),
        (update("agent_message_chunk", content=None), MessageChunk("")),
        (update("agent_message_chunk"), MessageChunk("")),
        (update("agent_message_chunk", content=[text("a"), text("b")]), MessageChunk("ab")),
        (update("agent_message_chunk", content={"type": "image", "data": "…"}), MessageChunk("")),
        (update("agent_message_chunk", content={"type": "text", "text": None}), MessageChunk("")),
        (update("agent_thought_chunk", content=text("hm")), ThoughtChunk("hm")),
        (update("user_message_chunk", content=text("hi")), UserChunk()),
        (
            update("plan", entries=[{"content": "a", "status": "pending", "x": 1}, 5]),
            PlanUpdate([{"content": "a", "status": "pending"}]),
        ),
        (update("plan"), PlanUpdate([])),
        (update("usage_update", used=5, size=9), UsageUpdate(used=5, size=9, cost_usd=None)),
        (
            update("usage_update", used=0, size="9", cost={"amount": 0.5, "currency": "USD"}),
            UsageUpdate(used=None, size=None, cost_usd=0.5),
        ),
        (
            update("usage_update", cost={"amount": 1, "currency": "EUR"}),
            UsageUpdate(used=None, size=None, cost_usd=None),
        ),
        (update("current_mode_update", currentModeId="auto"), OtherUpdate()),
        (update("available_commands_update", availableCommands=[]), OtherUpdate()),
        (update("made_up_yesterday", anything=1), UnknownUpdate()),
        ({"sessionId": "s", "update": {}}, UnknownUpdate()),
        ({"sessionId": "s"}, UnknownUpdate()),
        (update("tool_call", title="no id"), UnknownUpdate()),
    ],
)
def test_each_update_has_one_meaning(params: dict[str, Any], meaning: object):
    assert read_update(params) == ("s", meaning)


def test_an_update_may_leave_out_its_session():
    assert read_update({"update": {"sessionUpdate": "plan"}}) == (None, PlanUpdate([]))


@pytest.mark.parametrize(
    "params",
    [
        {"sessionId": 5, "update": {}},
        {"sessionId": "s", "update": "text"},
        {"sessionId": "s", "update": {"sessionUpdate": 5}},
        update("agent_message_chunk", content="text"),
        update("agent_message_chunk", content=5),
        update("agent_message_chunk", content={"type": "text", "text": 5}),
        update("tool_call", toolCallId=5),
    ],
)
def test_a_wrong_type_where_we_need_it_breaks_the_protocol(params: dict[str, Any]):
    with pytest.raises(ProtocolViolation):
        read_update(params)


def test_a_tool_call_keeps_an_allow_list_of_details():
    _, tool = read_update(
        update(
            "tool_call",
            toolCallId="c",
            title="Edit a.py",
            kind="edit",
            status="in_progress",
            rawInput={"path": "a.py"},
            rawOutput={"ignored": "because the content tells it"},
            locations=[{"path": "a.py", "line": 3, "secret": "x"}],
            content=[
                {"type": "content", "content": text("done")},
                {"type": "diff", "path": "a.py", "oldText": "a", "newText": "b", "secret": "x"},
                {"type": "terminal", "terminalId": "t"},
            ],
            _meta={"vendor": "stuff"},
            env={"TOKEN": "x"},
        )
    )
    assert tool == ToolUpdate(
        tool_call_id="c",
        name="Edit a.py",
        status=ToolStatus.RUNNING,
        details={
            "kind": "edit",
            "title": "Edit a.py",
            "input": {"path": "a.py"},
            "output": "done",
            "locations": [{"path": "a.py", "line": 3}],
            "diff": [{"path": "a.py", "oldText": "a", "newText": "b"}],
        },
    )


@pytest.mark.parametrize(
    ("status", "meaning"),
    [
        ("pending", ToolStatus.PENDING),
        ("in_progress", ToolStatus.RUNNING),
        ("completed", ToolStatus.COMPLETED),
        ("failed", ToolStatus.FAILED),
        ("never heard of", None),
        (None, None),
        (5, None),
    ],
)
def test_a_tool_status_that_is_missing_or_unknown_means_as_before(status: object, meaning: ToolStatus | None):
    _, tool = read_update(update("tool_call_update", toolCallId="c", status=status))
    assert isinstance(tool, ToolUpdate) and tool.status is meaning and tool.name is None


def test_megabytes_of_tool_output_are_cut_and_marked():
    content = [{"type": "content", "content": text("x" * 2_000_000)}]
    _, tool = read_update(update("tool_call_update", toolCallId="c", content=content))
    assert isinstance(tool, ToolUpdate)
    assert tool.details == {"output": "x" * MAX_CHARS, "truncated": True}


def test_deep_and_wide_values_are_bounded():
    deep: object = "end"
    for _ in range(50):
        deep = {"in": [deep]}
    bounded = Bounded()
    bounded.value({"deep": deep, "wide": list(range(10_000)), "odd": "a\0\ud800", "huge": 10**30})
    assert bounded.truncated


def test_bounded_strings_can_be_stored():
    assert Bounded().value({"k\0": ["a\ud800", 10**30, None, True, 1.5]}) == {
        "k\ufffd": ["a\ufffd", str(10**30), None, True, 1.5]
    }


# ---------------------------------------------------------------- replies
def test_the_reply_to_initialize_may_leave_out_everything():
    facts = read_initialize({})
    assert (facts.name, facts.version, facts.protocol_version) == (None, None, None)
    assert (facts.can_load, facts.can_resume, facts.takes_http_mcp) == (False, False, False)


def test_capabilities_are_read_where_agents_announce_them():
    facts = read_initialize(
        {
            "protocolVersion": 1,
            "agentCapabilities": {
                "loadSession": True,
                "mcpCapabilities": {"http": True},
                "sessionCapabilities": {"resume": {}},
            },
            "_meta": {"agentVersion": "1.0.41"},
        }
    )
    assert (facts.can_load, facts.can_resume, facts.takes_http_mcp, facts.version) == (True, True, True, "1.0.41")


@pytest.mark.parametrize("reply", [None, [], {"sessionId": None}, {"sessionId": 5}, {"sessionId": ""}, {}])
def test_a_new_session_needs_an_id(reply: object):
    with pytest.raises(ProtocolViolation):
        read_session_id(reply)


@pytest.mark.parametrize(
    ("reply", "session_id"),
    [
        (None, "asked"),
        ({}, "asked"),
        ({"sessionId": "asked", "modes": None}, "asked"),
        ({"sessionId": "another"}, "another"),
        ({"success": False}, None),
        ({"error": "Session not found"}, None),
        ({"found": False}, None),
    ],
)
def test_a_resume_that_found_nothing_is_seen_through(reply: object, session_id: str | None):
    assert resumed_session_id(reply, "asked") == session_id


@pytest.mark.parametrize(
    ("reply", "stop_reason", "tokens"),
    [
        ({"stopReason": "end_turn"}, "end_turn", (None, None, None)),
        (None, "end_turn", (None, None, None)),
        ({"stopReason": None}, "end_turn", (None, None, None)),
        (
            {"stopReason": "refusal", "usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}},
            "refusal",
            (1, 2, 3),
        ),
        ({"_meta": {"usage": {"input_tokens": 1, "output_tokens": 2}}}, "end_turn", (1, 2, None)),
        ({"_meta": {"quota": {"token_count": {"input_tokens": 1, "output_tokens": 2}}}}, "end_turn", (1, 2, None)),
        ({"usage": [1], "_meta": {"quota": 5}}, "end_turn", (None, None, None)),
        ({"usage": {"inputTokens": 0, "outputTokens": 0, "totalTokens": 0}}, "end_turn", (None, None, None)),
        ({"usage": {"inputTokens": "1", "outputTokens": -2, "totalTokens": True}}, "end_turn", (None, None, None)),
    ],
)
def test_the_reply_to_a_prompt_tells_reason_and_usage(reply: object, stop_reason: str, tokens: tuple[int | None, ...]):
    read = read_prompt_reply(reply)
    assert read.stop_reason == stop_reason
    told = read.usage or UsageReported()
    assert (told.input_tokens, told.output_tokens, told.total_tokens) == tokens


@pytest.mark.parametrize("reply", ["end_turn", 5, [], {"stopReason": 5}])
def test_a_reply_of_the_wrong_type_breaks_the_protocol(reply: object):
    with pytest.raises(ProtocolViolation):
        read_prompt_reply(reply)


@pytest.mark.parametrize(
    ("method", "kind"),
    [
        ("session/request_permission", "permission"),
        ("elicitation/create", "an answer"),
        ("session/elicitation", "an answer"),
        ("_vendor/ask_user_question", "an answer"),
        ("item/commandExecution/requestApproval", "permission"),
        ("fs/read_text_file", None),
        ("terminal/create", None),
        ("craft/drainMidTurnQueue", None),
    ],
)
def test_requests_that_want_a_person_are_recognised(method: str, kind: str | None):
    assert asks_a_person(method) == kind


def test_the_rooms_mcp_server_goes_with_the_session():
    endpoint = McpEndpoint(url="http://127.0.0.1:1/mcp", binding_handle="secret")
    assert messages.session_params(Path("/w"), endpoint, "s") == {
        "sessionId": "s",
        "cwd": "/w",
        "mcpServers": [
            {
                "type": "http",
                "name": "groupx",
                "url": "http://127.0.0.1:1/mcp",
                "headers": [{"name": "X-GroupX-Binding", "value": "secret"}],
            }
        ],
    }
    assert messages.session_params(Path("/w"), None)["mcpServers"] == []


@pytest.mark.parametrize("command", ["\x1b[2J", "\x1b]0;title\x07", "\u202e", "\r\n", "\x9b", "\0", "\ud800"])
def test_what_an_agent_calls_itself_is_one_line_of_what_can_be_seen(command: str):
    facts = read_initialize({"agentInfo": {"name": f"{command}par{command}rot", "version": f"1.2{command}"}})
    assert (facts.name, facts.version) == ("parrot", "1.2")
