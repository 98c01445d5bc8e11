"""A session begins when its CLI has reached the room's MCP server, where the CLI tells that (docs/drivers.md)."""

from pathlib import Path
from typing import Any

import pytest

from adapters.contract import AdapterError, Completed, McpEndpoint
from tests.adapters.conftest import Open
from tests.adapters.scripted import diagnostics, do, heard, play
from tests.fakes.real_habits import HABITS

pytestmark = pytest.mark.usefixtures("nothing_left_running")
MCP = McpEndpoint(url="http://127.0.0.1:9/mcp", binding_handle="handle")
RELOAD = "config/mcpServer/reload"
REFUSED = {"error": {"code": -32600, "message": f"Invalid request: unknown variant `{RELOAD}`"}}


async def test_codex_is_told_to_try_again_until_it_has_reached_the_rooms_tools(open_agent: Open, cwd: Path):
    session = await open_agent({"room_tools": ["failed", "failed", "ready"]}, driver="codex", mcp=MCP)
    events = await play(session, do({"text": "hi"}))
    assert (len(heard(cwd, RELOAD)), diagnostics(events), events[-1]) == (2, {}, Completed("hi"))


async def test_a_resumed_thread_waits_for_them_too(open_agent: Open, cwd: Path):
    first = await open_agent(driver="codex", mcp=MCP)
    await first.close()
    failing = {"room_tools": ["failed", "ready"]}
    await open_agent(failing, driver="codex", resume=first.info.native_session_id, mcp=MCP)
    assert len(heard(cwd, RELOAD)) == 1


@pytest.mark.parametrize(
    ("driver", "startup", "told"),
    [
        ("codex", {"room_tools": ["failed"], "replies": {RELOAD: REFUSED}}, {"mcp_not_connected": 1}),
        ("codex", {"room_tools": ["starting"]}, {}),
        ("grok", {"tells_mcp_by": "invented/yesterday"}, {}),
    ],
    ids=["an older version that does not try again", "no word of it", "a word of another name"],
)
async def test_a_session_without_the_rooms_tools_is_used_all_the_same(
    open_agent: Open, monkeypatch: pytest.MonkeyPatch, driver: str, startup: dict[str, Any], told: dict[str, int]
):
    monkeypatch.setattr("adapters.codex.opening.ROOM_TOOLS_SECONDS", 1.0)
    monkeypatch.setattr("adapters.acp.opening.ROOM_TOOLS_SECONDS", 0.1)
    session = await open_agent(HABITS.get(driver, {}) | startup, driver=driver, mcp=MCP)
    events = await play(session, do({"text": "hi"}))
    assert (diagnostics(events), events[-1]) == (told, Completed("hi"))


async def test_an_agent_that_ends_meanwhile_is_told_as_such(open_agent: Open):
    """The wait for the tools is over with the process."""
    with pytest.raises(AdapterError):
        await open_agent({"room_tools": ["failed"], "replies": {RELOAD: {"exit": 3}}}, driver="codex", mcp=MCP)
