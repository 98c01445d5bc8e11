"""Whose a turn of Claude Code is, and what only its begin tells of the session. A real child process says it."""

from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adapters.claude.session import ClaudeSession
from adapters.contract import (
    Cancelled,
    Completed,
    Interrupted,
)
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import (
    PATIENCE_SECONDS,
    Running,
    diagnostics,
    do,
    failed,
    heard,
    log_of,
    logged,
    play,
    prompts,
    streamed,
)


def frame(**fields: Any) -> dict[str, Any]:
    return {"frame": fields}


async def all_is_heard(session: ClaudeSession) -> None:
    """What both sides had said before has been read."""
    await session.connection.request("set_permission_mode", {"mode": "bypassPermissions"}, PATIENCE_SECONDS)


# ---------------------------------------------------------------- whose turn it is
async def test_an_end_that_nobody_waits_for_ends_no_other_turn(open_claude: Open, cwd: Path):
    session = await open_claude()
    twice = frame(type="result", subtype="success")
    assert (await play(session, do({"text": "hi"}, {"stop": "end_turn"}, twice, {"note": "said"})))[-1].text == "hi"
    await logged(cwd, "note")
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


@pytest.mark.parametrize("startup", [{}, {"tells_no_prompts": True}], ids=str)
async def test_a_prompt_waits_for_what_the_agent_does_by_itself_and_has_an_end_of_its_own(
    open_claude: Open, cwd: Path, startup: dict[str, Any]
):
    session = await open_claude(startup)
    by_itself = {"own_turn": {"text": "by myself", "wait": "go"}}
    first = await play(session, do({"text": "hi"}, {"stop": "end_turn"}, by_itself))
    assert first[-1] == Completed("hi")
    await logged(cwd, "own_turn")
    await all_is_heard(session)
    running = Running(session, do({"text": "mine"}, n="2"))
    await logged(cwd, "prompt", n="2")
    (cwd / "go").touch()
    events = await running.end()
    assert events[-1] == Completed("mine") and streamed(events) == "mine"
    assert Counter(diagnostics(first)) + Counter(diagnostics(events)) == {"late_text": 2, "own_turn": 1}


async def test_a_prompt_that_is_cancelled_while_it_waits_is_interrupted_when_it_starts(open_claude: Open, cwd: Path):
    session = await open_claude()
    by_itself = {"own_turn": {"text": "by myself", "wait": "go"}}
    await play(session, do({"text": "hi"}, {"stop": "end_turn"}, by_itself))
    await logged(cwd, "own_turn")
    running = Running(session, do({"text": "mine"}, {"wait": ""}, n="2"))
    await logged(cwd, "prompt", n="2")
    await session.cancel()
    await all_is_heard(session)
    (cwd / "go").touch()
    assert (await running.end())[-1] == Cancelled()
    assert len(heard(cwd, "interrupt")) == 2


@pytest.mark.parametrize(
    ("state", "terminal"), [("completed", Completed("hi")), ("cancelled", Interrupted)], ids=["completed", "cancelled"]
)
async def test_a_turn_whose_result_is_missing_ends_with_its_prompt(open_claude: Open, state: str, terminal: Any):
    told = frame(type="command_lifecycle", command_uuid="$prompt", state=state)
    last = (await play(await open_claude(), do({"text": "hi"}, told, {"wait": ""})))[-1]
    assert last == terminal if isinstance(terminal, Completed) else isinstance(last, terminal)


# ---------------------------------------------------------------- what only the begin of a turn tells
async def test_a_resumed_session_that_turns_out_to_be_another_fails_its_turn(open_claude: Open, cwd: Path):
    first = await open_claude()
    await first.close()
    session = await open_claude({"init": {"session_id": "another"}}, resume=first.info.native_session_id)
    failure = failed(await play(session, do({"text": "who am I?"}, {"wait": ""})))
    assert failure.code is ErrorCode.NATIVE_SESSION_LOST and failure.session_lost
    assert await session.settled(5) and len(heard(cwd, "interrupt")) == 1
    assert prompts(cwd) == ["1"]


@pytest.mark.parametrize(
    ("init", "oddity"),
    [
        ({"session_id": "another"}, "other_session"),
        ({"cwd": "/elsewhere"}, "other_folder"),
        ({"mcp_servers": [{"name": "groupx", "status": "failed"}]}, "mcp_not_connected"),
        ({"mcp_servers": [{"name": "groupx", "status": "pending"}]}, None),
        ({"mcp_servers": []}, None),
        ({"cwd": None, "permissionMode": None}, None),
    ],
    ids=str,
)
async def test_what_is_odd_about_a_session_is_counted(open_claude: Open, init: dict[str, Any], oddity: str | None):
    events = await play(await open_claude({"init": init}), do({"text": "hi"}))
    assert events[-1] == Completed("hi")
    assert diagnostics(events) == ({oddity: 1} if oddity else {})


async def test_a_mode_that_the_model_changed_is_set_again(open_claude: Open, cwd: Path):
    session = await open_claude({"init": {"permissionMode": "plan"}})
    for n in ("1", "2"):
        assert (await play(session, do({"text": "hi"}, n=n)))[-1] == Completed("hi")
    asked = [entry["method"] for entry in log_of(cwd) if entry["ev"] == "heard"]
    assert asked[1:5] == ["set_permission_mode", "user", "set_permission_mode", "user"]


async def test_a_mode_that_is_refused_in_mid_session_fails_the_turn_as_blocked(open_claude: Open, cwd: Path):
    session = await open_claude({"init": {"permissionMode": "default"}, "mode_later": "default"})
    failure = failed(await play(session, do({"text": "a"}, {"wait": ""})))
    assert failure.code is ErrorCode.NATIVE_POLICY_BLOCKED and failure.hint
    assert await session.settled(5)
