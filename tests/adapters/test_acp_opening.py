"""From a command to a session: handshake, resume in all its disguises, modes, failures that leave nothing behind."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import psutil
import pytest
import pytest_asyncio

from adapters import process_group
from adapters.acp.driver import AcpDriver
from adapters.acp.profiles import BY_DRIVER
from adapters.contract import AdapterError, AgentSpec, Completed, Evidence, McpEndpoint, OpenedProcess
from adapters.process_identity import start_of
from adapters.registry import driver_for
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import PATIENCE_SECONDS, do, heard, log_of, logged, play, prompts, spec, streamed


@pytest_asyncio.fixture(autouse=True)
async def nothing_left_running() -> AsyncIterator[None]:
    before = {child.pid for child in psutil.Process().children(recursive=True)}
    yield
    left = [c for c in psutil.Process().children(recursive=True) if c.pid not in before and c.status() != "zombie"]
    assert not left


async def refused(cwd: Path, startup: dict[str, Any], driver: str = "acp", **more: Any) -> AdapterError:
    with pytest.raises(AdapterError) as caught:
        await driver_for(driver).open(spec(cwd, driver, startup, **more), None, None)
    return caught.value


# ---------------------------------------------------------------- the process, before there is a session
class Opening:
    """An opening that runs in a task, with the processes it told of."""

    def __init__(self, cwd: Path, startup: dict[str, Any], driver: str = "kimi", **more: Any) -> None:
        self.spawned: list[OpenedProcess] = []
        opening = driver_for(driver).open(spec(cwd, driver, startup, **more), None, None, self.spawned.append)
        self._task = asyncio.create_task(opening)

    async def cancelled(self) -> None:
        """Ends when the cancellation has come through."""
        self._task.cancel()
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._task


async def test_a_process_is_told_before_anything_is_said_to_it(cwd: Path):
    told: list[OpenedProcess] = []

    def on_spawn(process: OpenedProcess) -> None:
        assert heard(cwd, "initialize") == [] and psutil.pid_exists(process.pid)
        told.append(process)

    session = await driver_for("acp").open(spec(cwd), None, None, on_spawn)
    assert told == [session.info.process]
    await session.close()


async def test_each_process_of_a_repeated_start_is_told(cwd: Path):
    told: list[OpenedProcess] = []
    agent = spec(cwd, "grok", {"known_flags": ["--always-approve"]})
    session = await AcpDriver(BY_DRIVER["grok"]).open(agent, None, None, told.append)
    await session.close()
    assert len(told) > 1 and len({process.pid for process in told}) == len(told)
    assert told[-1] == session.info.process


async def test_who_is_told_of_a_process_and_fails_leaves_none(cwd: Path):
    def on_spawn(process: OpenedProcess) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await driver_for("acp").open(spec(cwd), None, None, on_spawn)


@pytest.mark.parametrize("method", ["initialize", "session/new", "session/set_mode"])
async def test_an_opening_that_is_cancelled_has_reaped_its_process_before_it_says_so(cwd: Path, method: str):
    startup = {"replies": {method: {"hang": True}}, "grandchild": "stubborn", "ignore_eof": True, "ignore_term": True}
    opening = Opening(cwd, startup, close_ms=500)
    await logged(cwd, "heard", method=method)
    await opening.cancelled()
    (process,) = opening.spawned
    assert not psutil.pid_exists(process.pid)
    assert not process_group.members(process.pid, process.started_at)


async def test_a_cancel_while_a_failed_opening_is_tidied_up_waits_for_that(cwd: Path):
    startup = {"replies": {"session/set_mode": {"hang": True}}, "ignore_eof": True, "ignore_term": True}
    opening = Opening(cwd, startup, close_ms=2_000, request_ms=300)
    await logged(cwd, "eof")  # the end of input is the first step of its end
    await opening.cancelled()
    assert not psutil.pid_exists(opening.spawned[0].pid)


@pytest.mark.parametrize("steps", range(1, 12))
async def test_an_opening_may_be_cancelled_at_any_of_its_first_steps(cwd: Path, steps: int):
    before = set(psutil.Process().children())
    opening = Opening(cwd, {}, "acp", close_ms=500)
    for _ in range(steps):
        await asyncio.sleep(0)
    await opening.cancelled()
    assert set(psutil.Process().children()) == before, "not even as a zombie"


# ---------------------------------------------------------------- fresh sessions
async def test_a_fresh_session_tells_who_it_is(open_agent: Open):
    info = (await open_agent()).info
    assert info.native_session_id.startswith("fake-")
    assert (info.agent_name, info.agent_version) == ("fake-agent", "1.2.3")
    assert not info.resumed and not info.context_lost
    assert info.capabilities["resume"] is Evidence.PROBED
    assert info.process.pid in psutil.pids()
    assert info.process.started_at == start_of(info.process.pid)


async def test_the_session_gets_the_rooms_mcp_server(open_agent: Open, cwd: Path):
    await open_agent(mcp=McpEndpoint(url="http://127.0.0.1:9/mcp", binding_handle="handle"))
    (server,) = heard(cwd, "session/new")[0]["params"]["mcpServers"]
    assert server["name"] == "groupx"
    assert server["headers"] == [{"name": "X-GroupX-Binding", "value": "handle"}]


async def test_files_and_terminals_of_ours_are_declared_off(open_agent: Open, cwd: Path):
    await open_agent()
    capabilities = heard(cwd, "initialize")[0]["params"]["clientCapabilities"]
    assert capabilities == {"fs": {"readTextFile": False, "writeTextFile": False}, "terminal": False}


async def test_the_child_inherits_no_secret_of_ours(open_agent: Open, cwd: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GROUPX_LANE_SECRET", "s3cret")
    monkeypatch.setenv("GROUPX_RUN_CONFIG", "/somewhere")
    await open_agent()
    assert log_of(cwd)[0]["env"] == ["GROUPX_AGENT_ID"]


async def test_the_child_runs_in_its_own_session_and_in_its_folder(open_agent: Open, cwd: Path):
    pid = (await open_agent()).info.process.pid
    assert os.getsid(pid) == os.getpgid(pid) == pid
    assert psutil.Process(pid).cwd() == str(cwd)


async def test_an_agent_without_capabilities_or_names_still_opens(open_agent: Open):
    session = await open_agent({"replies": {"initialize": {"result": {}}}})
    assert session.info.agent_name is None
    assert isinstance((await play(session, do({"text": "hi"})))[-1], Completed)


async def test_a_banner_before_the_handshake_is_skipped_and_shown(open_agent: Open):
    session = await open_agent({"banner": ["Welcome!", "", '"text"', "\x1b[2J"], "stderr": 200_000})
    kinds = {getattr(e, "kind", None): getattr(e, "count", None) for e in await play(session, do({"text": "hi"}))}
    assert kinds["noise"] == 4


# ---------------------------------------------------------------- modes
async def test_kimi_gets_its_unrestricted_mode_before_the_first_prompt(open_agent: Open, cwd: Path):
    await open_agent(driver="kimi")
    assert [entry["method"] for entry in log_of(cwd) if entry["ev"] == "heard"] == [
        "initialize",
        "session/new",
        "session/set_mode",
    ]
    assert heard(cwd, "session/set_mode")[0]["params"]["modeId"] == "auto"


async def test_kimi_gets_its_mode_again_after_a_resume(open_agent: Open, cwd: Path):
    first = await open_agent(driver="kimi")
    await first.close()
    second = await open_agent(driver="kimi", resume=first.info.native_session_id)
    assert second.info.resumed
    assert len(heard(cwd, "session/set_mode")) == 2


async def test_the_open_driver_sets_no_mode_unless_told(open_agent: Open, cwd: Path):
    await open_agent()
    assert heard(cwd, "session/set_mode") == []


async def test_the_open_driver_sets_the_configured_mode(open_agent: Open, cwd: Path):
    await open_agent(mode="yolo")
    assert heard(cwd, "session/set_mode")[0]["params"]["modeId"] == "yolo"


@pytest.mark.parametrize(
    ("error", "code"),
    [
        ({"code": -32603, "message": "Disabled by your organization's policy"}, ErrorCode.NATIVE_POLICY_BLOCKED),
        ({"code": -32602, "message": "unknown mode"}, ErrorCode.NATIVE_START_FAILED),
        ({"code": -32601, "message": "Method not found"}, ErrorCode.NATIVE_START_FAILED),
    ],
)
async def test_a_refused_mode_is_a_policy_only_when_the_agent_says_so(
    cwd: Path, error: dict[str, Any], code: ErrorCode
):
    failure = await refused(cwd, {"replies": {"session/set_mode": {"error": error}}}, driver="kimi")
    assert failure.code is code
    assert not failure.temporary


# ---------------------------------------------------------------- resume
async def test_a_resume_in_a_new_process_keeps_the_session(open_agent: Open, cwd: Path):
    first = await open_agent()
    await first.close()
    second = await open_agent(resume=first.info.native_session_id)
    assert second.info.resumed and not second.info.context_lost
    assert second.info.native_session_id == first.info.native_session_id
    assert heard(cwd, "session/load") == []


async def test_load_is_used_where_resume_is_not_announced(open_agent: Open, cwd: Path):
    first = await open_agent({"capabilities": {"loadSession": True}})
    await first.close()
    second = await open_agent({"capabilities": {"loadSession": True}}, resume=first.info.native_session_id)
    assert second.info.resumed
    assert heard(cwd, "session/resume") == [] and len(heard(cwd, "session/load")) == 1


@pytest.mark.parametrize("where", ["history", "history_after"])
async def test_history_told_again_is_no_news(open_agent: Open, where: str):
    chunk = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "old words"}}
    first = await open_agent()
    await first.close()
    second = await open_agent({where: [chunk] * 50}, resume=first.info.native_session_id)
    events = await play(second, do({"text": "new words"}))
    assert streamed(events) == "new words"
    assert events[-1] == Completed("new words")


@pytest.mark.parametrize(
    "startup",
    [
        {},  # the id is not known
        {"capabilities": {}},  # resume is not announced
        {"replies": {"session/resume": {"result": {"success": False}}}},
        {"replies": {"session/resume": {"error": {"code": -32603, "message": "Internal error"}}}},
        {"replies": {"session/resume": {"hang": True}}},
    ],
    ids=["unknown id", "not announced", "a success that is none", "an error", "no answer"],
)
async def test_a_resume_that_fails_gives_a_fresh_session_that_says_so(open_agent: Open, startup: dict[str, Any]):
    session = await open_agent(startup, resume="long-gone", request_ms=300)
    assert session.info.context_lost and not session.info.resumed
    assert session.info.native_session_id != "long-gone"
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")


async def test_a_late_answer_to_a_resume_is_counted_and_harms_nothing(open_agent: Open):
    startup = {"replies": {"session/resume": {"hang": True}}}
    session = await open_agent(startup, resume="long-gone", request_ms=300)
    late = {"frame": {"id": 2, "result": {}}}  # initialize was 1
    events = await play(session, do({"text": "hi"}, late))
    assert events[-1] == Completed("hi")
    assert any(getattr(event, "kind", None) == "late_answer" for event in events)


# ---------------------------------------------------------------- what goes wrong
async def test_a_missing_command_is_named(cwd: Path):
    agent = AgentSpec(agent_id="a", driver="acp", argv=("no-such-command-anywhere",), cwd=cwd)
    with pytest.raises(AdapterError, match="no-such-command-anywhere") as caught:
        await driver_for("acp").open(agent, None, None)
    assert caught.value.code is ErrorCode.COMMAND_NOT_FOUND


async def test_a_missing_script_is_named(cwd: Path):
    agent = AgentSpec(agent_id="a", driver="acp", argv=(sys.executable, "/no/such/script.py"), cwd=cwd)
    with pytest.raises(AdapterError, match=r"/no/such/script\.py") as caught:
        await driver_for("acp").open(agent, None, None)
    assert caught.value.code is ErrorCode.COMMAND_NOT_FOUND


async def test_a_missing_folder_is_named(cwd: Path):
    failure = await refused(cwd / "nowhere", {})
    assert failure.code is ErrorCode.NATIVE_START_FAILED and "nowhere" in failure.message


async def test_a_command_on_the_path_of_the_agent_is_found(cwd: Path):
    shim = cwd / "bin" / "my-agent"
    shim.parent.mkdir()
    shim.write_text("#!/bin/sh\nexit 3\n")
    shim.chmod(0o755)
    agent = AgentSpec(agent_id="a", driver="acp", argv=("my-agent",), cwd=cwd, env={"PATH": str(shim.parent)})
    with pytest.raises(AdapterError) as caught:
        await driver_for("acp").open(agent, None, None)
    assert (caught.value.code, caught.value.exit_code) == (ErrorCode.NATIVE_START_FAILED, 3)


async def test_a_file_that_is_no_program_is_a_failed_start(cwd: Path):
    file = cwd / "not-a-program"
    file.write_bytes(b"\x00\x01\x02")
    file.chmod(0o755)
    agent = AgentSpec(agent_id="a", driver="acp", argv=(str(file),), cwd=cwd)
    with pytest.raises(AdapterError) as caught:
        await driver_for("acp").open(agent, None, None)
    assert caught.value.code is ErrorCode.NATIVE_START_FAILED


async def test_an_agent_that_ends_at_once_gives_its_last_words(cwd: Path):
    reply = {"exit": 4, "stderr": "cannot read my settings"}
    failure = await refused(cwd, {"replies": {"initialize": reply}})
    assert (failure.code, failure.exit_code) == (ErrorCode.NATIVE_START_FAILED, 4)
    assert failure.output == "cannot read my settings"
    assert "settings" not in failure.message
    assert failure.temporary


async def test_an_agent_that_ends_because_nobody_is_signed_in_says_how(cwd: Path):
    reply = {"exit": 1, "stderr": "Error: not logged in"}
    failure = await refused(cwd, {"replies": {"initialize": reply}}, driver="kimi")
    assert failure.code is ErrorCode.NATIVE_AUTH_REQUIRED
    assert failure.hint == BY_DRIVER["kimi"].sign_in


@pytest.mark.parametrize("method", ["initialize", "session/new"])
async def test_a_handshake_without_an_answer_ends_in_time(cwd: Path, method: str):
    failure = await refused(cwd, {"replies": {method: {"hang": True}}}, handshake_ms=1_500)
    assert failure.code is ErrorCode.NATIVE_START_FAILED
    assert method in failure.message
    assert failure.temporary


@pytest.mark.parametrize(
    ("method", "reply", "code"),
    [
        (
            "session/new",
            {"error": {"code": -32000, "message": "Authentication required"}},
            ErrorCode.NATIVE_AUTH_REQUIRED,
        ),
        ("session/new", {"error": {"code": -32603, "message": "429 slow down"}}, ErrorCode.NATIVE_RATE_LIMITED),
        ("session/new", {"error": {"code": -32603, "message": "oops"}}, ErrorCode.NATIVE_START_FAILED),
        ("session/new", {"result": None}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ("initialize", {"result": "hello"}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ("initialize", {"result": {"protocolVersion": 2}}, ErrorCode.NATIVE_START_FAILED),
        ("initialize", {"frames": [{"id": 77, "result": 1}], "hang": True}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
    ],
)
async def test_a_refused_handshake_is_classified(cwd: Path, method: str, reply: dict[str, Any], code: ErrorCode):
    assert (await refused(cwd, {"replies": {method: reply}})).code is code


async def test_flags_that_the_installed_version_does_not_know_do_not_stop_the_start(open_agent: Open, cwd: Path):
    session = await open_agent({"known_flags": ["--always-approve"]}, driver="grok")
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")
    assert [entry["argv"] for entry in log_of(cwd) if entry["ev"] == "start"] == [
        ["agent", "--always-approve", "stdio"]
    ]


async def test_what_was_learnt_about_flags_is_kept(cwd: Path):
    driver = AcpDriver(BY_DRIVER["grok"])
    agent = spec(cwd, "grok", {"known_flags": []})
    for _ in range(2):
        session = await driver.open(agent, None, None)
        await session.close()
    assert [entry["argv"] for entry in log_of(cwd) if entry["ev"] == "start"] == [["agent", "stdio"]] * 2


async def test_opening_prompts_nothing(open_agent: Open, cwd: Path):
    await open_agent(driver="kimi")
    assert prompts(cwd) == []


async def test_a_probe_finds_path_and_version(cwd: Path):
    shim = cwd / "tool"
    shim.write_text("#!/bin/sh\necho 'tool version 3.14.1-beta (abc)'\n")
    shim.chmod(0o755)
    result = await driver_for("acp").probe((str(shim),))
    assert (result.executable, result.version, result.problem) == (str(shim), "3.14.1-beta", None)


async def test_a_probe_that_finds_nothing_says_how_to_install(monkeypatch: pytest.MonkeyPatch, cwd: Path):
    monkeypatch.setenv("PATH", str(cwd))
    result = await driver_for("grok").probe()
    assert result.executable is None and "grok" in str(result.problem) and "npm install" in str(result.hint)


async def test_opencode_gets_its_permission_by_its_environment(open_agent: Open, cwd: Path):
    session = await open_agent(driver="opencode", env={"OPENCODE_CONFIG_CONTENT": '{"model":"m"}'})
    environment = psutil.Process(session.info.process.pid).environ()
    assert json.loads(environment["OPENCODE_CONFIG_CONTENT"]) == {"model": "m", "permission": "allow"}
