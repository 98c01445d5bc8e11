"""What keeps an agent from starting is classified, said in a sentence, and leaves nothing behind."""

import json
import sys
from pathlib import Path
from typing import Any

import psutil
import pytest

from adapters.acp.driver import AcpDriver
from adapters.acp.profiles import BY_DRIVER
from adapters.contract import AdapterError, AgentSpec, Completed
from adapters.registry import driver_for
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import do, log_of, play, prompts, refused, spec

pytestmark = pytest.mark.usefixtures("nothing_left_running")


async def test_a_missing_command_is_named(cwd: Path):
    agent = AgentSpec(agent_id="a", driver="acp", argv=("no-such-command-anywhere",), cwd=cwd)
    with pytest.raises(AdapterError, match="no-such-command-anywhere") as caught:
        await driver_for("acp").open(agent, None, None)
    assert caught.value.code is ErrorCode.COMMAND_NOT_FOUND


async def test_a_file_that_nobody_may_execute_is_not_called_missing(cwd: Path):
    (cwd / "agent").write_text("#!/bin/sh\n")
    agent = AgentSpec(agent_id="a", driver="acp", argv=("./agent",), cwd=cwd)
    with pytest.raises(AdapterError, match=r"“\./agent” may not be executed") as caught:
        await driver_for("acp").open(agent, None, None)
    assert caught.value.code is ErrorCode.COMMAND_NOT_FOUND and "chmod" in (caught.value.hint or "")


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
        (
            "initialize",
            {"frames": [{"level": "info"}] * 201, "hang": True},
            ErrorCode.PROTOCOL_INVALID_MESSAGE,
        ),
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
