"""A Codex thread taken up in a new process, and all the ways in which that fails."""

from pathlib import Path
from typing import Any

import pytest

from adapters.contract import Completed, McpEndpoint
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import do, failed, heard, play, prompts, refused

pytestmark = pytest.mark.usefixtures("nothing_left_running")
MCP = McpEndpoint(url="http://127.0.0.1:9/mcp", binding_handle="another")


async def test_a_resume_in_a_new_process_keeps_the_thread_and_gives_everything_again(open_agent: Open, cwd: Path):
    first = await open_agent(driver="codex")
    await first.close()
    second = await open_agent(driver="codex", resume=first.info.native_session_id, mcp=MCP)
    assert second.info.resumed and not second.info.context_lost
    assert second.info.native_session_id == first.info.native_session_id
    (resume,) = heard(cwd, "thread/resume")
    assert resume["params"] == {
        "threadId": first.info.native_session_id,
        "cwd": str(cwd),
        "approvalPolicy": "never",
        "sandbox": "danger-full-access",
        "config": {"mcp_servers": {"groupx": {"url": MCP.url, "http_headers": {"X-GroupX-Binding": "another"}}}},
        "excludeTurns": True,
    }
    assert (await play(second, do({"text": "hi"})))[-1] == Completed("hi")


@pytest.mark.parametrize(
    "startup",
    [
        {},  # the id is not known
        {"replies": {"thread/resume": {"error": {"code": -32603, "message": "Internal error"}}}},
        {"replies": {"thread/resume": {"error": {"code": -32600, "message": "unknown variant"}}}},
        {"replies": {"thread/resume": {"hang": True}}},
    ],
    ids=["unknown id", "an error", "an older version", "no answer"],
)
async def test_a_resume_that_fails_gives_a_fresh_thread_that_says_so(open_agent: Open, startup: dict[str, Any]):
    session = await open_agent(startup, driver="codex", resume="long-gone", request_ms=1_000)
    assert session.info.context_lost and not session.info.resumed
    assert session.info.native_session_id != "long-gone"
    assert (await play(session, do({"text": "hi"})))[-1] == Completed("hi")


async def test_a_late_answer_to_a_resume_is_counted_and_harms_nothing(open_agent: Open):
    startup = {"replies": {"thread/resume": {"hang": True}}}
    session = await open_agent(startup, driver="codex", resume="long-gone", request_ms=1_000)
    late = {"frame": {"id": 3, "result": {}}}  # after initialize and configRequirements/read
    events = await play(session, do({"text": "hi"}, late))
    assert events[-1] == Completed("hi")
    assert any(getattr(event, "kind", None) == "late_answer" for event in events)


async def test_a_resume_that_gives_another_thread_has_lost_the_context(open_agent: Open):
    startup = {"replies": {"thread/resume": {"result": {"thread": {"id": "another"}}}}}
    info = (await open_agent(startup, driver="codex", resume="long-gone")).info
    assert (info.native_session_id, info.resumed, info.context_lost) == ("another", False, True)


async def test_a_thread_that_turns_out_dead_at_the_prompt_is_not_prompted_again(open_agent: Open, cwd: Path):
    startup = {"replies": {"thread/resume": {"result": {"thread": {"id": "never-was"}}}}}
    session = await open_agent(startup, driver="codex", resume="never-was")
    assert session.info.resumed, "nothing gave it away"
    failure = failed(await play(session, do({"text": "hi"})))
    assert failure.code is ErrorCode.NATIVE_SESSION_LOST and failure.session_lost
    assert len(heard(cwd, "turn/start")) == 1 and prompts(cwd) == []


@pytest.mark.parametrize(
    ("replies", "code"),
    [
        ({"thread/resume": {"exit": 3}}, ErrorCode.NATIVE_START_FAILED),
        ({"thread/resume": {"frames": [{"id": 77, "result": 1}], "hang": True}}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ({"thread/resume": {"result": "yes"}}, ErrorCode.PROTOCOL_INVALID_MESSAGE),
        ({"thread/resume": {"hang": True}, "thread/start": {"hang": True}}, ErrorCode.NATIVE_START_FAILED),
        ({"thread/resume": {"error": {"message": "no"}}, "thread/start": {"exit": 3}}, ErrorCode.NATIVE_START_FAILED),
    ],
    ids=["dies", "breaks the protocol", "answers nonsense", "hangs for good", "dies afterwards"],
)
async def test_a_start_that_fails_over_a_resume_says_so(cwd: Path, replies: dict[str, Any], code: ErrorCode):
    limits = {"request_ms": 1_000, "handshake_ms": 1_500}
    failure = await refused(cwd, {"replies": replies}, driver="codex", resume="old", **limits)
    assert failure.code is code and failure.while_resuming


@pytest.mark.parametrize("method", ["initialize", "configRequirements/read"])
async def test_a_start_that_fails_otherwise_is_not_the_threads_fault(open_agent: Open, cwd: Path, method: str):
    first = await open_agent(driver="codex")
    await first.close()
    startup = {"replies": {method: {"exit": 3}}}
    failure = await refused(cwd, startup, driver="codex", resume=first.info.native_session_id)
    assert not failure.while_resuming
