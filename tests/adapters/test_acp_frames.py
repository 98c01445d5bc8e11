"""Frames that contradict the protocol end a session, odd ones do not. A real child process sends them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adapters.contract import (
    Completed,
    Diagnostic,
    ProgressReported,
    Started,
    TextDelta,
)
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import (
    PATIENCE_SECONDS,
    chunk,
    diagnostics,
    do,
    failed,
    log_of,
    play,
    prompts,
    streamed,
)


# ---------------------------------------------------------------- frames that contradict the protocol
@pytest.mark.parametrize(
    "step",
    [
        {"frame": {"id": 987, "result": {}}},
        {"frame": {"id": "no such", "error": {"code": 1, "message": "x"}}},
        {"frame": {"id": {}, "result": {}}},
        {"frame": {"method": 5}},
        {"frame": {"method": "session/update", "params": "text"}},
        {"update": "text"},
        {"update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": 5}}},
        {"update": {"sessionUpdate": "tool_call", "toolCallId": 5}},
        {"frame": {"id": "$id", "result": "a string"}},
        {"frame": {"id": "$id", "result": {"stopReason": 5}}},
    ],
    ids=lambda step: str(step)[:60],
)
async def test_a_frame_that_contradicts_the_protocol_fails_the_turn_once(
    open_agent: Open, cwd: Path, step: dict[str, Any]
):
    session = await open_agent()
    events = await play(session, do({"text": "partial"}, step, {"text": "more"}, {"wait": ""}))
    assert failed(events).code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert streamed(events) == "partial"
    assert failed(events).session_lost and not session.usable
    assert prompts(cwd) == ["1"]


async def test_a_second_answer_to_the_same_prompt_breaks_the_session(open_agent: Open):
    session = await open_agent()
    twice = {"frame": {"id": "$id", "result": {"stopReason": "end_turn"}}}
    assert (await play(session, do({"text": "hi"}, twice, twice, {"wait": ""})))[-1] == Completed("hi")
    async with asyncio.timeout(PATIENCE_SECONDS):
        await session.gone()
    assert failed(await play(session, do({"text": "hi"}))).code is ErrorCode.NATIVE_SESSION_LOST


async def test_an_error_about_no_request_is_only_counted(open_agent: Open):
    frame = {"frame": {"id": None, "error": {"code": -32700, "message": "parse error"}}}
    assert (await play(await open_agent(), do(frame, {"text": "hi"})))[-1] == Completed("hi")


# ---------------------------------------------------------------- shapes that are only odd
@pytest.mark.parametrize(
    "update",
    [
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": ""}},
        {"sessionUpdate": "agent_message_chunk", "content": None},
        {"sessionUpdate": "agent_message_chunk"},
        {"sessionUpdate": "agent_thought_chunk", "content": {"type": "text", "text": ""}},
        {"sessionUpdate": "invented_yesterday", "x": 1},
        {"sessionUpdate": None},
        {},
        None,
        {"sessionUpdate": "tool_call"},
        {"sessionUpdate": "plan", "entries": None},
        {"sessionUpdate": "usage_update"},
        {"sessionUpdate": "current_mode_update", "currentModeId": "auto"},
    ],
    ids=str,
)
async def test_an_odd_update_does_not_stop_the_turn(open_agent: Open, update: object):
    events = await play(await open_agent(), do({"update": update}, {"text": "hi"}))
    assert events[-1] == Completed("hi")
    assert [event for event in events if isinstance(event, TextDelta)] == [TextDelta("hi")]


async def test_unknown_updates_are_counted(open_agent: Open):
    events = await play(
        await open_agent(), do(*[{"update": {"sessionUpdate": f"new_{i}"}} for i in range(3)], {"text": "hi"})
    )
    assert diagnostics(events) == {"unknown_update": 3}


async def test_a_missing_result_ends_the_turn_as_usual(open_agent: Open):
    events = await play(await open_agent(), do({"text": "hi"}, {"reply": None}))
    assert events[-1] == Completed("hi")


async def test_updates_for_another_session_are_ignored_and_counted(open_agent: Open):
    events = await play(await open_agent(), do(chunk("not ours", "another"), {"text": "ours"}))
    assert events[-1] == Completed("ours")
    assert diagnostics(events) == {"other_session": 1}


async def test_updates_before_the_sessions_answer_belong_to_nobody(open_agent: Open):
    early = {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "early"}}
    events = await play(await open_agent({"before_session": [early]}), do({"text": "hi"}))
    assert events[-1] == Completed("hi")
    assert streamed(events) == "hi"


async def test_notifications_of_the_agents_own_are_ignored(open_agent: Open):
    own = {"frame": {"method": "_vendor/status", "params": {"busy": True}}}
    assert (await play(await open_agent(), do(own, {"text": "hi"})))[-1] == Completed("hi")


@pytest.mark.parametrize("method", ["fs/read_text_file", "terminal/create", "craft/drainMidTurnQueue", "_x/y"])
async def test_requests_we_do_not_serve_are_refused_and_the_turn_goes_on(open_agent: Open, cwd: Path, method: str):
    events = await play(await open_agent(), do({"ask": {"method": method}}, {"text": "hi"}))
    assert events[0] == Started()
    assert events[-1] == Completed("hi")
    (answer,) = [entry for entry in log_of(cwd) if entry["ev"] == "answer"]
    assert answer["error"]["code"] == -32601


async def test_numbers_of_its_requests_are_its_own(open_agent: Open, cwd: Path):
    """Both sides count from where they like; an agent that counts badly is answered all the same."""
    session = await open_agent()
    same = {"frame": {"id": "$id", "method": "_x/y"}}
    assert (await play(session, do(same, same, {"ask": {"method": "_x/z"}}, {"text": "hi"})))[-1] == Completed("hi")
    answers = [(entry["id"], entry["error"]["code"]) for entry in log_of(cwd) if entry["ev"] == "answer"]
    assert answers == [(3, -32601), (3, -32601), (0, -32601)]


async def test_a_plan_is_told_as_progress(open_agent: Open):
    plan = {"update": {"sessionUpdate": "plan", "entries": [{"content": "look", "status": "pending"}]}}
    events = await play(await open_agent(), do(plan, {"text": "hi"}))
    assert ProgressReported("plan", {"entries": [{"content": "look", "status": "pending"}]}) in events


async def test_what_is_not_of_the_turn_is_no_event_of_it(open_agent: Open):
    around = (
        chunk("not ours", "another"),
        {"frame": {"method": "_vendor/rate_limits", "params": {}}},
        {"update": {"sessionUpdate": "session_info_update", "title": "t"}},
        {"update": {"sessionUpdate": "invented_yesterday"}},
    )
    events = await play(await open_agent(), do(*around, {"text": "hi"}, *around))
    assert [event for event in events if not isinstance(event, Diagnostic)] == [
        Started(),
        TextDelta("hi"),
        Completed("hi"),
    ]
