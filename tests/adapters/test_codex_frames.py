"""Frames of Codex that contradict its protocol end a session, odd and late ones do not. A real child sends them."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from adapters.contract import (
    Cancelled,
    Completed,
    Diagnostic,
    Started,
    TextDelta,
    ToolEvent,
    UsageReported,
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
    play,
    prompts,
    streamed,
)


def notice(method: str, **params: Any) -> dict[str, Any]:
    return {"notice": {"method": method, "params": params}}


def delta(text: object, **more: Any) -> dict[str, Any]:
    return notice("item/agentMessage/delta", itemId="m", delta=text, **more)


# ---------------------------------------------------------------- frames that contradict the protocol
@pytest.mark.parametrize(
    "step",
    [
        {"frame": {"id": 987, "result": {}}},
        {"frame": {"id": "no such", "error": {"code": 1, "message": "x"}}},
        {"frame": {"id": {}, "result": {}}},
        {"frame": {"method": 5}},
        {"frame": {"method": "turn/started", "params": "text"}},
        {"frame": {"id": "$id", "result": {}}},  # a second answer to the prompt
        delta(5),
        notice("item/started", item="text"),
        notice("item/completed", item={"type": "agentMessage", "id": "m", "text": 5}),
        notice("turn/completed", turn=5),
        notice("item/started", threadId=5),
        notice("item/started", turnId=[]),
    ],
    ids=lambda step: str(step)[:60],
)
async def test_a_frame_that_contradicts_the_protocol_fails_the_turn_once(
    open_agent: Open, cwd: Path, step: dict[str, Any]
):
    session = await open_agent(driver="codex")
    events = await play(session, do({"text": "partial"}, step, {"text": "more"}, {"wait": ""}))
    assert failed(events).code is ErrorCode.PROTOCOL_INVALID_MESSAGE
    assert streamed(events) == "partial"
    assert failed(events).session_lost and not session.usable
    assert prompts(cwd) == ["1"]


async def test_numbers_of_its_requests_are_its_own(open_agent: Open, cwd: Path):
    session = await open_agent(driver="codex")
    same = {"frame": {"id": "$id", "method": "x/y"}}
    assert (await play(session, do(same, same, {"ask": {"method": "x/z"}}, {"text": "hi"})))[-1] == Completed("hi")
    answers = [(entry["id"], entry["error"]["code"]) for entry in log_of(cwd) if entry["ev"] == "answer"]
    assert answers == [(4, -32601), (4, -32601), (0, -32601)]


# ---------------------------------------------------------------- shapes that are only odd
async def test_what_is_not_of_the_turn_is_no_event_of_it(open_agent: Open):
    around = (
        delta("not ours", threadId="another"),
        delta("not this turn's", turnId="another"),
        {"frame": {"method": "account/updated", "params": {}}},
        {"frame": {"method": "warning", "params": {"message": "unknown model"}}},
        notice("item/inventedYesterday"),
    )
    events = await play(await open_agent(driver="codex"), do(*around, {"text": "hi"}, *around))
    assert [event for event in events if not isinstance(event, Diagnostic)] == [
        Started("turn-1"),
        TextDelta("hi"),
        Completed("hi"),
    ]
    assert diagnostics(events) == {"other_session": 2, "late_text": 2, "unknown_update": 2}


async def test_a_missing_result_ends_the_turn_as_usual(open_agent: Open):
    events = await play(await open_agent(driver="codex"), do({"unnamed": True}, {"text": "hi"}))
    assert events[-1] == Completed("hi")


async def test_a_turn_without_a_name_can_be_cancelled_by_that_of_its_first_word(open_agent: Open, cwd: Path):
    session = await open_agent(driver="codex")
    running = Running(session, do({"unnamed": True}, {"text": "a"}, {"wait": ""}))
    await running.has_text()
    await session.cancel()
    assert (await running.end())[-1] == Cancelled()
    assert heard(cwd, "turn/interrupt")[0]["params"]["turnId"] == "turn-1"


async def test_notifications_before_the_threads_answer_belong_to_nobody(open_agent: Open):
    early = {"method": "item/agentMessage/delta", "params": {"turnId": "old", "itemId": "m", "delta": "early"}}
    events = await play(await open_agent({"before_session": [early]}, driver="codex"), do({"text": "hi"}))
    assert streamed(events) == "hi" and events[-1] == Completed("hi")


async def test_an_mcp_server_of_ours_that_could_not_be_reached_is_counted(open_agent: Open):
    lost = [
        {"frame": {"method": "mcpServer/startupStatus/updated", "params": {"name": name, "status": "failed"}}}
        for name in ("groupx", "somebody else's")
    ]
    events = await play(await open_agent(driver="codex"), do(*lost, {"text": "hi"}))
    assert diagnostics(events) == {"mcp_not_connected": 1}


@pytest.mark.parametrize("method", ["item/tool/call", "account/chatgptAuthTokens/refresh", "invented/yesterday"])
async def test_requests_we_do_not_serve_are_refused_and_the_turn_goes_on(open_agent: Open, cwd: Path, method: str):
    events = await play(await open_agent(driver="codex"), do({"ask": {"method": method}}, {"text": "hi"}))
    assert events[-1] == Completed("hi")
    (answer,) = [entry for entry in log_of(cwd) if entry["ev"] == "answer"]
    assert answer["error"]["code"] == -32601


async def test_an_image_as_a_tools_output_has_no_place_in_the_log(open_agent: Open):
    picture = {"type": "imageGeneration", "status": "completed", "revisedPrompt": "a cat", "result": "x" * 100_000}
    events = await play(await open_agent(driver="codex"), do({"whole": picture}, {"text": "hi"}))
    (_, tool) = [event for event in events if isinstance(event, ToolEvent)]
    assert tool.details == {"input": "a cat"}


# ---------------------------------------------------------------- what comes late
async def test_words_of_a_turn_that_is_over_are_a_diagnostic_of_the_next(open_agent: Open, cwd: Path):
    session = await open_agent(driver="codex")
    late = (delta("late"), notice("item/started", item={"type": "sleep", "id": "s"}), {"write": "said"})
    await play(session, do({"text": "hi"}, {"stop": "completed"}, {"wait": "go"}, *late))
    (cwd / "go").touch()
    events = await play(session, do({"wait": "said"}, {"text": "next"}, n="2"))
    assert events[-1] == Completed("next") and streamed(events) == "next"
    assert diagnostics(events) == {"late_text": 1, "other_turn": 1}


async def test_sums_told_again_of_a_turn_that_is_over_are_no_news(open_agent: Open, cwd: Path):
    session = await open_agent(driver="codex")
    sums = {"totalTokens": 5, "inputTokens": 3, "cachedInputTokens": 0, "outputTokens": 2, "reasoningOutputTokens": 0}
    again = notice("thread/tokenUsage/updated", tokenUsage={"total": sums, "last": sums})
    await play(session, do({"text": "hi"}, {"stop": "completed"}, {"wait": "go"}, again, {"write": "said"}))
    (cwd / "go").touch()
    events = await play(session, do({"wait": "said"}, {"text": "next"}, n="2"))
    assert events[-1] == Completed("next") and diagnostics(events) == {}


async def test_a_second_end_of_a_turn_does_not_end_the_next(open_agent: Open, cwd: Path):
    session = await open_agent(driver="codex")
    again = notice("turn/completed", turn={"id": "turn-1", "status": "failed", "items": []})
    await play(session, do({"text": "hi"}, {"stop": "completed"}, again, {"write": "said"}))
    events = await play(session, do({"wait": "said"}, {"text": "next"}, n="2"))
    assert events[-1] == Completed("next")


async def test_a_second_prompt_is_never_sent_while_a_turn_runs(open_agent: Open, cwd: Path):
    """It would steer that turn."""
    session = await open_agent(driver="codex")
    abandoned = session.prompt(do({"text": "a"}, {"ignore_cancel": True}, {"wait": "go"}))
    assert await anext(abandoned) == Started("turn-1")
    await abandoned.aclose()
    assert failed(await play(session, do({"text": "b"}, n="2"))).code is ErrorCode.NATIVE_SESSION_LOST
    (cwd / "go").touch()
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert await session.settled(PATIENCE_SECONDS)
    assert (await play(session, do({"text": "c"}, n="3")))[-1] == Completed("c")
    assert prompts(cwd) == ["1", "3"] and not [entry for entry in log_of(cwd) if entry["ev"] == "steered"]


async def test_a_cancel_that_comes_before_codex_knows_of_the_turn_is_repeated(open_agent: Open, cwd: Path):
    session = await open_agent({"refuses_interrupts": 2}, driver="codex")
    ticks = [{"pause_ms": 20}, notice("turn/diff/updated", diff="")] * 20
    running = Running(session, do({"text": "a"}, *ticks, {"wait": ""}))
    await running.has_text()
    await session.cancel()
    assert (await running.end())[-1] == Cancelled()
    assert len(heard(cwd, "turn/interrupt")) == 3


# ---------------------------------------------------------------- figures
async def test_tokens_are_told_per_turn(open_agent: Open):
    session = await open_agent(driver="codex")
    told = []
    for n, total in (("1", 18), ("2", 50)):
        events = await play(session, do({"text": "hi"}, {"usage": {"total": {"totalTokens": total}}}, n=n))
        told += [event.total_tokens for event in events if isinstance(event, UsageReported)]
    assert told == [18, 32]
