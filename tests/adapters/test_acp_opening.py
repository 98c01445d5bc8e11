"""From a command to a session: who it is, what it is given, its mode. Our contract."""

from pathlib import Path
from typing import Any

import psutil
import pytest

from adapters.contract import Completed, Evidence, McpEndpoint
from adapters.process_identity import start_of
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import do, heard, log_of, play, refused

pytestmark = pytest.mark.usefixtures("nothing_left_running")


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


@pytest.mark.parametrize("reply", [{}, None])
async def test_an_agent_without_capabilities_or_names_still_opens(open_agent: Open, reply: object):
    session = await open_agent({"replies": {"initialize": {"result": reply}}})
    assert session.info.agent_name is None
    assert isinstance((await play(session, do({"text": "hi"})))[-1], Completed)


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
