"""Each kind of CLI as docs/drivers.md has seen it, against a scripted agent that insists on what the real one does."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.acp.driver import AcpDriver
from adapters.acp.profiles import BY_DRIVER
from adapters.contract import Completed, McpEndpoint, ToolEvent, ToolPhase
from adapters.driver_names import installable_programs
from adapters.probe import probe_all
from adapters.program import Program
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import do, failed, heard, log_of, play, refused, spec, streamed
from tests.fakes.real_habits import HABITS

KEYS = {"env": {"CODEBUDDY_API_KEY": "x"}, "close_ms": 500}
"""What a person has to give by themselves."""
MCP = McpEndpoint(url="http://127.0.0.1:9/mcp", binding_handle="handle")

pytestmark = pytest.mark.usefixtures("nothing_left_running")


def test_habits_are_those_of_profiles():
    assert set(HABITS) <= set(BY_DRIVER)


@pytest.mark.parametrize("driver", HABITS)
async def test_an_agent_works_without_asking_anybody(open_agent: Open, cwd: Path, driver: str):
    session = await open_agent(HABITS[driver], driver=driver, mcp=MCP, **KEYS)
    events = await play(session, do({"text": "done"}))
    assert events[-1] == Completed("done") and streamed(events) == "done"
    assert heard(cwd, "session/new")[0]["params"]["mcpServers"][0]["url"] == MCP.url


@pytest.mark.parametrize("driver", HABITS)
async def test_an_agent_is_resumed_in_a_new_process_and_still_asks_nobody(open_agent: Open, cwd: Path, driver: str):
    first = await open_agent(HABITS[driver], driver=driver, **KEYS)
    await first.close()
    second = await open_agent(HABITS[driver], driver=driver, resume=first.info.native_session_id, mcp=MCP, **KEYS)
    assert second.info.resumed and not second.info.context_lost
    events = await play(second, do({"text": "new words"}))
    assert (events[-1], streamed(events)) == (Completed("new words"), "new words")


@pytest.mark.parametrize("driver", ["opencode", "grok", "kimi", "hermes", "gemini", "qwen", "codebuddy"])
async def test_an_agent_that_is_not_made_unrestricted_asks_and_its_turn_fails(cwd: Path, driver: str):
    """Shows that the scripted agent insists: without what the profile adds, it asks."""
    bare = replace(BY_DRIVER[driver], args=(), mode=None, env={}, env_json={})
    session = await AcpDriver(bare).open(spec(cwd, driver, HABITS[driver], **KEYS), None, None)
    failure = failed(await play(session, do({"text": "done"})))
    assert failure.code is ErrorCode.UNEXPECTED_NATIVE_INTERACTION
    await session.close()


@pytest.mark.parametrize("driver", ["gemini", "qwen"])
async def test_an_older_version_is_started_by_the_older_name_of_its_flag(cwd: Path, driver: str):
    older: dict[str, Any] = {"known_flags": ["--experimental-acp"], "names_flags_bare": True}
    session = await AcpDriver(BY_DRIVER[driver]).open(spec(cwd, driver, older), None, None)
    assert [entry["argv"] for entry in log_of(cwd) if entry["ev"] == "start"] == [["--experimental-acp"]]
    await session.close()


async def test_another_program_of_the_same_name_is_told_apart(cwd: Path):
    failure = await refused(cwd, {"name": "hermes-engine"}, driver="hermes")
    assert failure.code is ErrorCode.NATIVE_START_FAILED and not failure.temporary
    assert "hermes-engine" in failure.message and failure.hint


async def test_an_agent_that_nobody_is_signed_in_to_says_how(cwd: Path):
    failure = await refused(cwd, HABITS["codebuddy"], driver="codebuddy", close_ms=500)
    assert failure.code is ErrorCode.NATIVE_AUTH_REQUIRED
    assert failure.hint == BY_DRIVER["codebuddy"].sign_in


async def test_what_an_agent_says_about_its_mode_is_no_answer(open_agent: Open):
    spoken = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "[MODE_UPDATE] yolo"}}
    frame = {"method": "session/update", "params": {"update": spoken}}
    startup = {"replies": {"session/set_mode": {"frames": [frame], "result": {}}}}
    events = await play(await open_agent(startup, driver="gemini"), do({"text": "hi"}))
    assert streamed(events) == "hi" and len(events) == 3, "not even as a diagnostic"


@pytest.mark.parametrize("more", [[{"text": "done"}], []])
async def test_a_tool_whose_end_hermes_does_not_tell_is_over_when_it_goes_on(
    open_agent: Open, more: list[dict[str, Any]]
):
    """Seen with those that write files; else silence would have no limit until the end of the turn."""
    told = {"sessionUpdate": "tool_call", "toolCallId": "c", "title": "write: a.txt", "kind": "edit"}
    frame = {"frame": {"method": "session/update", "params": {"sessionId": "$session", "update": told}}}
    events = await play(await open_agent(HABITS["hermes"], driver="hermes"), do(frame, *more))
    assert [event.phase for event in events if isinstance(event, ToolEvent)] == [ToolPhase.STARTED, ToolPhase.COMPLETED]
    assert isinstance(events[-1], Completed)


async def test_a_folder_that_a_person_does_not_trust_stays_so(cwd: Path):
    """What a person has set wins, and then the mode is refused."""
    habits = HABITS["gemini"]
    own = {"GEMINI_CLI_TRUST_WORKSPACE": "false"}
    failure = await refused(cwd, habits, driver="gemini", env=own, close_ms=500)
    assert failure.code is ErrorCode.NATIVE_START_FAILED and "untrusted folder" in failure.message


@pytest.mark.parametrize("program", installable_programs(), ids=lambda program: program.driver)
def test_a_program_says_how_to_install_and_how_to_sign_in(program: Program):
    assert program.executables and program.install and program.sign_in


async def test_every_known_cli_on_the_path_is_found_with_its_version(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for program in installable_programs():
        for name in program.executables:
            (tmp_path / name).write_text(f"#!/bin/sh\necho '{name} 1.2.3'\n")
            (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    found = {result.driver: (result.executable, result.version) for result in await probe_all()}
    assert found == {cli.driver: (str(tmp_path / cli.executables[0]), "1.2.3") for cli in installable_programs()}
