"""Pure rules of a turn: tools, endings, how a profile becomes a command (the table of docs/drivers.md)."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from adapters.acp import launch
from adapters.acp.profiles import BY_DRIVER, PROFILES
from adapters.contract import AgentSpec, Cancelled, Completed, Failed, Interrupted, SessionLoss, ToolPhase, ToolStatus
from adapters.driver_names import driver_names
from adapters.endings import Ending, Interaction, PromptReply, Seen, terminal_of
from adapters.jsonrpc import RpcError
from adapters.program import with_older_flags
from adapters.registry import driver_for
from adapters.tools import Tools, ToolUpdate
from groupx.kernel.errors import ErrorCode

STARTED, UPDATED, COMPLETED = ToolPhase.STARTED, ToolPhase.UPDATED, ToolPhase.COMPLETED


def tool(status: ToolStatus | None = None, name: str | None = None, **details: object) -> ToolUpdate:
    return ToolUpdate(tool_call_id="c", name=name, status=status, details=details)


@pytest.mark.parametrize(
    ("updates", "phases"),
    [
        (
            [tool(ToolStatus.PENDING), tool(ToolStatus.RUNNING), tool(ToolStatus.COMPLETED)],
            [STARTED, UPDATED, COMPLETED],
        ),
        ([tool(ToolStatus.RUNNING)], [STARTED]),
        ([tool(ToolStatus.COMPLETED)], [STARTED, COMPLETED]),
        ([tool(), tool(ToolStatus.FAILED), tool(ToolStatus.FAILED), tool(ToolStatus.RUNNING)], [STARTED, COMPLETED]),
        ([tool(name="a"), tool(name="a"), tool()], [STARTED]),
        ([tool(), tool(input={"a": 1}), tool(input={"a": 1}), tool(input={"a": 2})], [STARTED, UPDATED, UPDATED]),
        ([tool(ToolStatus.PENDING), tool(ToolStatus.PENDING)], [STARTED]),
    ],
)
def test_a_tool_starts_once_and_ends_once(updates: list[ToolUpdate], phases: list[ToolPhase]):
    tools = Tools()
    events = [event for update in updates for event in tools.fold(update)]
    assert [event.phase for event in events] == phases


def test_a_tool_keeps_what_earlier_updates_told():
    tools = Tools()
    tools.fold(tool(ToolStatus.PENDING, "Read", kind="read"))
    (event,) = tools.fold(tool(ToolStatus.COMPLETED, output="text"))
    assert (event.name, event.details) == ("Read", {"kind": "read", "output": "text"})


def test_a_tool_without_a_title_is_called_by_its_kind_or_its_id():
    assert Tools().fold(tool(kind="execute"))[0].name == "execute"
    assert Tools().fold(tool())[0].name == "c"


def test_a_kind_that_comes_later_does_not_take_a_title_away():
    tools = Tools()
    tools.fold(tool(ToolStatus.PENDING, "terminal: echo hi"))
    assert tools.fold(tool(ToolStatus.COMPLETED, kind="execute"))[0].name == "terminal: echo hi"


SEEN = Seen(text="", used_tools=False, thought=False, cancel_sent=False, session_is_proven=True, diagnostics={})
TEXT = replace(SEEN, text="words")


@pytest.mark.parametrize(
    ("ending", "seen", "terminal"),
    [
        (PromptReply(stop_reason="end_turn"), TEXT, Completed("words", "end_turn")),
        (PromptReply(stop_reason="max_tokens"), TEXT, Completed("words", "max_tokens")),
        (PromptReply(stop_reason="max_turn_requests"), SEEN, Completed("", "max_turn_requests")),
        (PromptReply(stop_reason="refusal"), SEEN, Completed("", "refusal")),
        (PromptReply(stop_reason="refusal"), replace(TEXT, session_is_proven=False), Completed("words", "refusal")),
        (PromptReply(stop_reason="invented"), TEXT, Completed("words", "invented")),
        (PromptReply(stop_reason="end_turn"), replace(SEEN, used_tools=True), Completed("", "end_turn")),
        (PromptReply(stop_reason="end_turn"), replace(TEXT, cancel_sent=True), Cancelled(is_certain=False)),
        (PromptReply(stop_reason="cancelled"), replace(SEEN, cancel_sent=True), Cancelled()),
        (RpcError(-32603, "aborted"), replace(SEEN, cancel_sent=True), Cancelled(is_certain=False)),
    ],
)
def test_an_ending_gives_its_terminal(ending: Ending, seen: Seen, terminal: object):
    assert terminal_of(ending, seen, None) == terminal


@pytest.mark.parametrize(
    ("ending", "seen", "code"),
    [
        (PromptReply(stop_reason="end_turn"), SEEN, ErrorCode.NATIVE_EMPTY_RESPONSE),
        (PromptReply(stop_reason="end_turn"), replace(SEEN, text=" \n"), ErrorCode.NATIVE_EMPTY_RESPONSE),
        (PromptReply(stop_reason="end_turn"), replace(SEEN, thought=True), ErrorCode.NATIVE_EMPTY_RESPONSE),
        (PromptReply(stop_reason="invented"), SEEN, ErrorCode.NATIVE_ERROR),
        (RpcError(-32603, "oops"), TEXT, ErrorCode.NATIVE_ERROR),
        (SessionLoss(code=ErrorCode.NATIVE_EXITED, message="It ended."), TEXT, ErrorCode.NATIVE_EXITED),
        (
            SessionLoss(code=ErrorCode.PROTOCOL_INVALID_MESSAGE, message="It broke."),
            TEXT,
            ErrorCode.PROTOCOL_INVALID_MESSAGE,
        ),
        (SessionLoss(code=ErrorCode.NATIVE_SESSION_LOST, message="It is deaf."), TEXT, ErrorCode.NATIVE_SESSION_LOST),
        (
            SessionLoss(code=ErrorCode.NATIVE_EXITED, message="It ended."),
            replace(TEXT, cancel_sent=True),
            ErrorCode.NATIVE_EXITED,
        ),
        (Interaction("permission"), TEXT, ErrorCode.UNEXPECTED_NATIVE_INTERACTION),
        (PromptReply(stop_reason="refusal", error="401 Unauthorized"), TEXT, ErrorCode.NATIVE_AUTH_REQUIRED),
        (PromptReply(stop_reason="refusal"), replace(SEEN, session_is_proven=False), ErrorCode.NATIVE_SESSION_LOST),
    ],
)
def test_a_failure_has_a_code_and_says_what_to_do(ending: Ending, seen: Seen, code: ErrorCode):
    terminal = terminal_of(ending, seen, None)
    assert isinstance(terminal, Failed)
    assert terminal.code is code
    assert terminal.message and terminal.hint


def test_a_cancel_that_nobody_asked_for_interrupts():
    terminal = terminal_of(PromptReply(stop_reason="cancelled"), TEXT, None)
    assert isinstance(terminal, Interrupted) and terminal.code is ErrorCode.NATIVE_CANCELLED


def test_an_empty_answer_tells_what_was_seen():
    terminal = terminal_of(PromptReply(stop_reason="end_turn"), replace(SEEN, diagnostics={"noise": 3}), None)
    assert isinstance(terminal, Failed) and "noise (3)" in str(terminal.hint)


# ---------------------------------------------------------------- launching
def agent(driver: str, **more: object) -> AgentSpec:
    return AgentSpec(agent_id="a", driver=driver, argv=("node", "x.mjs"), cwd=Path("/w"), **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("driver", "arguments"),
    [
        ("opencode", ("acp",)),
        ("grok", ("--no-auto-update", "agent", "--always-approve", "--no-leader", "stdio")),
        ("kimi", ("acp",)),
        ("hermes", ("--yolo", "acp")),
        ("gemini", ("--acp",)),
        ("qwen", ("--acp",)),
        ("codebuddy", ("--acp",)),
        ("acp", ()),
    ],
)
def test_a_profile_adds_its_arguments_to_the_command(driver: str, arguments: tuple[str, ...]):
    assert launch.command_line(BY_DRIVER[driver], agent(driver)) == ("node", "x.mjs", *arguments)


def test_the_open_driver_takes_arguments_of_the_person():
    assert launch.command_line(BY_DRIVER["acp"], agent("acp", args=("--acp",)))[2:] == ("--acp",)


@pytest.mark.parametrize(
    ("inherited", "own", "merged"),
    [
        ({}, {}, {"permission": "allow"}),
        ({"OPENCODE_CONFIG_CONTENT": '{"model":"a","permission":"ask"}'}, {}, {"model": "a", "permission": "allow"}),
        (
            {"OPENCODE_CONFIG_CONTENT": '{"model":"a"}'},
            {"OPENCODE_CONFIG_CONTENT": '{"model":"b"}'},
            {"model": "b", "permission": "allow"},
        ),
        ({"OPENCODE_CONFIG_CONTENT": "not JSON"}, {}, {"permission": "allow"}),
        ({"OPENCODE_CONFIG_CONTENT": "[]"}, {}, {"permission": "allow"}),
    ],
)
def test_opencode_is_unrestricted_beside_the_persons_own_settings(
    inherited: dict[str, str], own: dict[str, str], merged: dict[str, str]
):
    added = launch.added_environment(BY_DRIVER["opencode"], agent("opencode", env=own), inherited)
    assert json.loads(added["OPENCODE_CONFIG_CONTENT"]) == merged


def test_a_variable_that_a_person_has_set_stays():
    inherited = {"OPENCODE_DISABLE_AUTOUPDATE": "0"}
    assert "OPENCODE_DISABLE_AUTOUPDATE" not in launch.added_environment(
        BY_DRIVER["opencode"], agent("opencode"), inherited
    )


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        ("error: unexpected argument '--no-leader' found", {"--no-leader"}),
        ("unknown option --always-approve", {"--always-approve"}),
        ("please sign in; --no-leader is fine", set()),
        ("error: unexpected argument '--other' found", set()),
        ("error: unexpected argument 'stdio' found", set()),
        ("unknown option: --no-leader-election", set()),
        ("  --no-leader  do not lead\nerror: unknown option --always-approve", {"--always-approve"}),
    ],
)
def test_only_a_usage_error_about_a_flag_that_has_an_older_form_counts(words: str, flags: set[str]):
    assert BY_DRIVER["grok"].refused_flags(words) == flags


@pytest.mark.parametrize(
    ("words", "flags"),
    [
        ("  --experimental-acp  start as an ACP agent\nUnknown argument: acp", {"--acp"}),
        ("Unknown arguments: acp, foo", {"--acp"}),
        ("Unknown argument: experimental-acp", set()),
        ("Unknown argument: acpx", set()),
    ],
)
def test_a_usage_error_may_name_a_flag_without_its_dashes(words: str, flags: set[str]):
    assert BY_DRIVER["gemini"].refused_flags(words) == flags


def test_a_flag_that_is_not_known_is_replaced_by_its_older_form_or_left_out():
    assert with_older_flags(BY_DRIVER["gemini"], frozenset({"--acp"})).args == ("--experimental-acp",)
    assert with_older_flags(BY_DRIVER["hermes"], frozenset({"--yolo"})).args == ("acp",)


def test_every_profile_is_a_driver():
    assert {profile.driver for profile in PROFILES} == set(BY_DRIVER) <= set(driver_names())
    assert all(driver_for(name).name == name for name in driver_names())
