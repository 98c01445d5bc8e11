"""From a command to a Claude Code session: its arguments, the room's MCP server, its permission mode, resume, and what
keeps it from starting."""

import os
from dataclasses import replace
from pathlib import Path
from typing import Any
from uuid import UUID

import psutil
import pytest

from adapters.claude.driver import ClaudeDriver
from adapters.claude.program import CLAUDE
from adapters.contract import Completed, McpEndpoint
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import do, heard, log_of, play, prompts, refused, spec

pytestmark = pytest.mark.usefixtures("nothing_left_running")
MCP = McpEndpoint(url="http://127.0.0.1:9/mcp", binding_handle="handle")


def starts(cwd: Path) -> list[list[str]]:
    return [entry["argv"] for entry in log_of(cwd) if entry["ev"] == "start"]


def files(cwd: Path) -> list[Path]:
    return list(cwd.glob("mcp-tester.*.json"))


# ---------------------------------------------------------------- fresh
async def test_a_fresh_session_has_an_id_of_ours_and_asks_nobody(open_claude: Open, cwd: Path):
    session = await open_claude()
    assert not session.info.resumed and not session.info.context_lost
    (arguments,) = starts(cwd)
    assert arguments == [*CLAUDE.args, "--session-id", session.info.native_session_id]
    assert UUID(session.info.native_session_id).version == 4
    assert [entry["method"] for entry in log_of(cwd) if entry["ev"] == "heard"] == ["initialize", "set_permission_mode"]
    assert heard(cwd, "set_permission_mode")[0]["params"]["mode"] == "bypassPermissions"
    assert prompts(cwd) == []


async def test_the_room_stands_in_a_file_that_only_its_owner_reads_and_that_goes_with_the_session(
    open_claude: Open, cwd: Path
):
    session = await open_claude(mcp=MCP, run_dir=cwd)
    (told,) = [entry for entry in log_of(cwd) if entry["ev"] == "mcp"]
    assert told["servers"] == {
        "groupx": {"type": "http", "url": MCP.url, "headers": {"X-GroupX-Binding": MCP.binding_handle}}
    }
    assert told["mode"] == "0o600"
    (file,) = files(cwd)
    assert "handle" not in " ".join(psutil.Process(session.info.process.pid).cmdline())
    assert "--strict-mcp-config" not in starts(cwd)[0], "the person's own servers stay"
    await session.close()
    assert not file.exists()


async def test_a_file_that_a_lost_process_has_left_is_removed(open_claude: Open, cwd: Path):
    left, others = cwd / "mcp-tester.old.json", cwd / "mcp-tester-2.old.json"
    left.touch()
    others.touch()
    await open_claude(mcp=MCP, run_dir=cwd)
    assert not left.exists() and others.exists()


@pytest.mark.parametrize("startup", [{"exit": 3}, {"replies": {"initialize": {"exit": 3}}}], ids=str)
async def test_a_start_that_fails_leaves_no_file(cwd: Path, startup: dict[str, Any]):
    agent = spec(cwd, "claude", startup, run_dir=cwd)
    with pytest.raises(Exception, match="exit code 3"):
        await ClaudeDriver().open(agent, MCP, None)
    assert files(cwd) == []


async def test_a_folder_that_takes_no_file_is_a_failed_start(cwd: Path):
    agent = spec(cwd, "claude", run_dir=cwd / "nowhere")
    with pytest.raises(Exception, match="could not be written") as caught:
        await ClaudeDriver().open(agent, MCP, None)
    assert caught.value.code is ErrorCode.NATIVE_START_FAILED and caught.value.temporary


@pytest.mark.parametrize(("own", "seen"), [({}, "false"), ({"ENABLE_TOOL_SEARCH": "auto"}, "auto")])
async def test_tools_of_the_room_are_not_hidden_unless_the_person_says_so(
    open_claude: Open, own: dict[str, str], seen: str
):
    session = await open_claude(env=own)
    assert psutil.Process(session.info.process.pid).environ()["ENABLE_TOOL_SEARCH"] == seen


async def test_a_flag_that_an_older_version_does_not_know_is_left_out(cwd: Path):
    known = [argument for argument in CLAUDE.args if argument != "--include-partial-messages"]
    driver = ClaudeDriver()
    session = await driver.open(spec(cwd, "claude", {"known_flags": [*known, "--session-id"]}), None, None)
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")
    assert "--include-partial-messages" not in starts(cwd)[-1]
    await session.close()


# ---------------------------------------------------------------- permission mode
@pytest.mark.parametrize(
    "startup",
    [
        {"replies": {"set_permission_mode": {"error": "Cannot set permission mode: disabled by settings"}}},
        {"replies": {"set_permission_mode": {"response": {"mode": "default"}}}},
        {"mode_after": "default"},
    ],
    ids=["refused", "downgraded", "another mode"],
)
async def test_a_mode_that_is_refused_or_another_blocks_the_agent(cwd: Path, startup: dict[str, Any]):
    failure = await refused(cwd, startup, driver="claude")
    assert failure.code is ErrorCode.NATIVE_POLICY_BLOCKED and not failure.temporary and failure.hint


@pytest.mark.parametrize("reply", [{"response": None}, {"response": {}}, {"error": "Unsupported control request"}])
async def test_an_answer_that_tells_no_mode_counts_as_obeyed(open_claude: Open, reply: dict[str, Any]):
    session = await open_claude({"replies": {"set_permission_mode": reply}})
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")


@pytest.mark.skipif(os.getuid() != 0, reason="only root is refused")
async def test_root_is_told_what_to_do(cwd: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.delenv("IS_SANDBOX", raising=False)
    agent = spec(cwd, "claude")
    with pytest.raises(Exception, match="as root") as caught:
        await ClaudeDriver().open(replace(agent, env={}), None, None)
    assert caught.value.code is ErrorCode.NATIVE_START_FAILED and not caught.value.temporary
    assert "IS_SANDBOX=1" in caught.value.hint


# ---------------------------------------------------------------- failures
async def test_a_missing_sign_in_says_how(cwd: Path):
    startup = {"replies": {"initialize": {"exit": 1, "stderr": "Invalid API key · Please run /login"}}}
    failure = await refused(cwd, startup, driver="claude")
    assert failure.code is ErrorCode.NATIVE_AUTH_REQUIRED and failure.hint == CLAUDE.sign_in


@pytest.mark.parametrize("subtype", ["initialize", "set_permission_mode"])
async def test_a_handshake_without_an_answer_ends_in_time(cwd: Path, subtype: str):
    startup = {"replies": {subtype: {"hang": True}}}
    failure = await refused(cwd, startup, driver="claude", handshake_ms=1_500, request_ms=300)
    assert failure.code is ErrorCode.NATIVE_START_FAILED and failure.temporary
    assert subtype in failure.message


@pytest.mark.parametrize(
    ("reply", "code"),
    [
        ({"error": "Not logged in · Please run /login"}, ErrorCode.NATIVE_AUTH_REQUIRED),
        ({"error": "oops"}, ErrorCode.NATIVE_START_FAILED),
        ({"frames": [{"level": "info"}] * 201, "hang": True}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ({"frames": [{"type": 5}], "hang": True}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        (
            {"frames": [{"type": "result", "is_error": True, "result": "429 slow down"}], "exit": 1},
            ErrorCode.NATIVE_RATE_LIMITED,
        ),
    ],
    ids=lambda value: str(value)[:50],
)
async def test_a_refused_handshake_is_classified(cwd: Path, reply: dict[str, Any], code: ErrorCode):
    assert (await refused(cwd, {"replies": {"initialize": reply}}, driver="claude")).code is code


async def test_an_end_with_an_error_after_a_failed_turn_is_no_crash_when_we_close(open_claude: Open):
    session = await open_claude()
    await play(session, do({"error": {"text": "API Error: 500"}}))
    record = await session.close()
    assert record.exit_code == 1 and session.loss is None


# ---------------------------------------------------------------- resume
async def test_a_resume_in_a_new_process_keeps_the_session(open_claude: Open, cwd: Path):
    first = await open_claude()
    await first.close()
    second = await open_claude(resume=first.info.native_session_id)
    assert second.info.resumed and not second.info.context_lost
    assert second.info.native_session_id == first.info.native_session_id
    assert starts(cwd)[-1][-2:] == ["--resume", first.info.native_session_id]
    assert (await play(second, do({"text": "hi"})))[-1] == Completed("hi")


@pytest.mark.parametrize("disguise", ["result", "words"])
async def test_a_session_that_is_not_there_gives_a_fresh_one_that_says_so(open_claude: Open, cwd: Path, disguise: str):
    unknown = "00000000-0000-4000-8000-000000000000"
    session = await open_claude({"resume_fails": disguise}, resume=unknown)
    assert session.info.context_lost and not session.info.resumed
    assert session.info.native_session_id != unknown and len(starts(cwd)) == 2
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")


async def test_an_id_of_another_kind_of_agent_is_not_even_tried(open_claude: Open, cwd: Path):
    session = await open_claude(resume="ses_4711")
    assert session.info.context_lost and len(starts(cwd)) == 1


@pytest.mark.parametrize("reply", [{"exit": 3}, {"hang": True}, {"frames": [{"type": 5}], "hang": True}], ids=str)
async def test_a_start_that_fails_over_a_resume_says_so(open_claude: Open, cwd: Path, reply: dict[str, Any]):
    first = await open_claude()
    await first.close()
    startup = {"replies": {"initialize": reply}}
    resume = first.info.native_session_id
    failure = await refused(cwd, startup, driver="claude", resume=resume, handshake_ms=1_500)
    assert failure.while_resuming and failure.temporary


async def test_a_start_that_wants_a_sign_in_is_not_the_sessions_fault(open_claude: Open, cwd: Path):
    first = await open_claude()
    await first.close()
    startup = {"replies": {"initialize": {"exit": 1, "stderr": "Not logged in"}}}
    failure = await refused(cwd, startup, driver="claude", resume=first.info.native_session_id)
    assert failure.code is ErrorCode.NATIVE_AUTH_REQUIRED and not failure.while_resuming
