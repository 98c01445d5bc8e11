"""From a command to a Codex thread: who it is, what it is given, what may not be. A real child process answers."""

from pathlib import Path
from typing import Any

import pytest

from adapters.codex.driver import CodexDriver
from adapters.codex.program import CODEX
from adapters.contract import Completed, Evidence, McpEndpoint
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import do, failed, heard, log_of, play, prompts, refused, spec

pytestmark = pytest.mark.usefixtures("nothing_left_running")
MCP = McpEndpoint(url="http://127.0.0.1:9/mcp", binding_handle="handle")


def methods(cwd: Path) -> list[str]:
    return [entry["method"] for entry in log_of(cwd) if entry["ev"] == "heard"]


async def test_a_fresh_thread_tells_who_it_is(open_agent: Open, cwd: Path):
    info = (await open_agent(driver="codex")).info
    assert info.native_session_id.startswith("fake-")
    assert (info.agent_name, info.agent_version) == ("codex", "1.2.3")
    assert not info.resumed and not info.context_lost
    assert info.capabilities["resume"] is Evidence.DOCUMENTED
    assert methods(cwd) == ["initialize", "initialized", "configRequirements/read", "thread/start"]


async def test_a_thread_works_unrestricted_in_its_folder_with_the_rooms_tools(open_agent: Open, cwd: Path):
    await open_agent(driver="codex", mcp=MCP)
    server = {"url": MCP.url, "http_headers": {"X-GroupX-Binding": "handle"}}
    assert heard(cwd, "thread/start")[0]["params"] == {
        "cwd": str(cwd),
        "approvalPolicy": "never",
        "sandbox": "danger-full-access",
        "config": {"mcp_servers": {"groupx": server}},
    }


async def test_hooks_of_a_person_are_not_asked_about(open_agent: Open, cwd: Path):
    await open_agent(driver="codex")
    assert log_of(cwd)[0]["argv"] == ["--dangerously-bypass-hook-trust", "app-server"]


async def test_an_older_version_without_that_flag_is_started_all_the_same(open_agent: Open, cwd: Path):
    await open_agent({"known_flags": []}, driver="codex")
    assert [entry["argv"] for entry in log_of(cwd) if entry["ev"] == "start"] == [["app-server"]]


async def test_the_child_inherits_no_secret_of_ours(open_agent: Open, cwd: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GROUPX_LANE_SECRET", "s3cret")
    await open_agent(driver="codex")
    assert log_of(cwd)[0]["env"] == ["GROUPX_AGENT_ID"]


@pytest.mark.parametrize("reply", [{}, None, {"userAgent": None}])
async def test_a_codex_that_does_not_tell_its_version_still_opens(open_agent: Open, reply: object):
    session = await open_agent({"replies": {"initialize": {"result": reply}}}, driver="codex")
    assert session.info.agent_version is None
    assert isinstance((await play(session, do({"text": "hi"})))[-1], Completed)


async def test_a_banner_before_the_handshake_is_skipped_and_shown(open_agent: Open):
    session = await open_agent({"banner": ["Welcome!", "", '"text"', "\x1b[2J"], "stderr": 200_000}, driver="codex")
    kinds = {getattr(e, "kind", None): getattr(e, "count", None) for e in await play(session, do({"text": "hi"}))}
    assert kinds["noise"] == 4


async def test_opening_prompts_nothing(open_agent: Open, cwd: Path):
    await open_agent(driver="codex")
    assert prompts(cwd) == []


# ---------------------------------------------------------------- what a managed machine forbids
@pytest.mark.parametrize(
    ("requirements", "missing"),
    [
        ({"allowedApprovalPolicies": ["on-request"], "allowedSandboxModes": None}, "never"),
        ({"allowedSandboxModes": ["read-only", "workspace-write"]}, "danger-full-access"),
    ],
)
async def test_a_machine_that_allows_too_little_is_told_before_a_thread_begins(
    cwd: Path, requirements: dict[str, Any], missing: str
):
    failure = await refused(cwd, {"requirements": requirements}, driver="codex")
    assert failure.code is ErrorCode.NATIVE_POLICY_BLOCKED and not failure.temporary
    assert missing in failure.message and failure.hint
    assert heard(cwd, "thread/start") == []


async def test_a_machine_that_allows_what_we_need_is_fine(open_agent: Open):
    allowed = {"allowedApprovalPolicies": ["on-request", "never"], "allowedSandboxModes": ["danger-full-access"]}
    await open_agent({"requirements": allowed}, driver="codex")


async def test_a_version_that_knows_no_requirements_is_judged_by_its_thread(open_agent: Open):
    unknown = {"error": {"code": -32600, "message": "Invalid request: unknown variant `configRequirements/read`"}}
    await open_agent({"replies": {"configRequirements/read": unknown}}, driver="codex")


@pytest.mark.parametrize(
    "settings", [{"approvalPolicy": "on-request"}, {"sandbox": {"type": "workspaceWrite"}}, {"sandbox": "read-only"}]
)
async def test_a_thread_that_does_not_take_the_setting_is_not_used(cwd: Path, settings: dict[str, Any]):
    failure = await refused(cwd, {"settings": settings}, driver="codex")
    assert failure.code is ErrorCode.NATIVE_POLICY_BLOCKED and not failure.temporary


async def test_a_thread_that_is_refused_by_a_policy_says_so(cwd: Path):
    error = {"code": -32600, "message": "approval_policy `never` is disallowed by your organization's policy"}
    failure = await refused(cwd, {"replies": {"thread/start": {"error": error}}}, driver="codex")
    assert failure.code is ErrorCode.NATIVE_POLICY_BLOCKED and "organization" in failure.message


async def test_a_thread_that_is_not_made_unrestricted_asks_and_its_turn_fails(
    open_agent: Open, monkeypatch: pytest.MonkeyPatch
):
    """Shows that the scripted agent insists: without what the driver asks for, it asks."""
    monkeypatch.setattr("adapters.codex.messages.APPROVAL_POLICY", "on-request")
    session = await open_agent(driver="codex")
    failure = failed(await play(session, do({"text": "done"})))
    assert failure.code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION


# ---------------------------------------------------------------- what keeps it from starting
@pytest.mark.parametrize(
    ("method", "reply", "code"),
    [
        ("thread/start", {"error": {"code": -32603, "message": "not logged in"}}, ErrorCode.NATIVE_AUTH_REQUIRED),
        ("thread/start", {"error": {"code": -32603, "message": "429 slow down"}}, ErrorCode.NATIVE_RATE_LIMITED),
        ("thread/start", {"error": {"code": -32603, "message": "oops"}}, ErrorCode.NATIVE_START_FAILED),
        ("thread/start", {"result": None}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ("thread/start", {"result": {"thread": {"id": 5}}}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ("initialize", {"result": "hello"}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ("initialize", {"exit": 4, "stderr": "cannot read my settings"}, ErrorCode.NATIVE_START_FAILED),
        ("initialize", {"exit": 1, "stderr": "Error: not logged in"}, ErrorCode.NATIVE_AUTH_REQUIRED),
        ("initialize", {"frames": [{"level": "info"}] * 201, "hang": True}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ("initialize", {"frames": [{"id": 77, "result": 1}], "hang": True}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
    ],
)
async def test_a_refused_handshake_is_classified(cwd: Path, method: str, reply: dict[str, Any], code: ErrorCode):
    failure = await refused(cwd, {"replies": {method: reply}}, driver="codex")
    assert failure.code is code and "settings" not in failure.message
    if code is ErrorCode.NATIVE_AUTH_REQUIRED:
        assert failure.hint == CODEX.sign_in


@pytest.mark.parametrize("method", ["initialize", "configRequirements/read", "thread/start"])
async def test_a_handshake_without_an_answer_ends_in_time(cwd: Path, method: str):
    limits = {"handshake_ms": 1_500, "request_ms": 1_500}
    failure = await refused(cwd, {"replies": {method: {"hang": True}}}, driver="codex", **limits)
    assert failure.code is ErrorCode.NATIVE_START_FAILED and failure.temporary
    assert method in failure.message


async def test_what_was_learnt_about_flags_is_kept(cwd: Path):
    driver = CodexDriver()
    for _ in range(2):
        session = await driver.open(spec(cwd, "codex", {"known_flags": []}), None, None)
        await session.close()
    assert [entry["argv"] for entry in log_of(cwd) if entry["ev"] == "start"] == [["app-server"]] * 2
