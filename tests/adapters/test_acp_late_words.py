"""Text and figures that come before, beside or after what they belong to. A real child process sends them."""

import asyncio
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from adapters.acp.profiles import BY_DRIVER
from adapters.acp.turn import AcpTurn
from adapters.contract import (
    Completed,
    Failed,
    Started,
    TextDelta,
    UsageReported,
)
from adapters.endings import PromptReply
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.scripted import (
    PATIENCE_SECONDS,
    diagnostics,
    do,
    play,
)


async def test_text_after_the_reply_is_attached_where_the_agent_is_known_for_it(open_agent: Open):
    session = await open_agent(driver="opencode")
    events = await play(session, do({"text": "first "}, {"stop": "end_turn"}, {"text": "last"}))
    assert events[-1] == Completed("first last")


async def test_a_late_update_that_says_nothing_does_not_hold_the_turn():
    turn = AcpTurn(BY_DRIVER["opencode"], Counter())
    turn.end(PromptReply(stop_reason="end_turn"))
    turn.begin()
    assert await turn.next() == Started()
    asyncio.get_running_loop().call_soon(turn.begin)  # while the last words are waited for
    async with asyncio.timeout(PATIENCE_SECONDS):
        assert await turn.next() is None


async def test_text_after_the_turn_is_a_diagnostic_of_the_next(open_agent: Open, cwd: Path):
    session = await open_agent()
    steps = ({"text": "hi"}, {"stop": "end_turn"}, {"wait": "go"}, {"text": "late"})
    assert (await play(session, do(*steps)))[-1] == Completed("hi")
    session.heard.clear()
    (cwd / "go").touch()
    async with asyncio.timeout(PATIENCE_SECONDS):
        await session.heard.wait()
    events = await play(session, do({"text": "next"}, n="2"))
    assert events[-1] == Completed("next")
    assert diagnostics(events) == {"late_text": 1}


async def test_usage_alone_does_not_prove_that_the_prompt_arrived(open_agent: Open):
    session = await open_agent()
    update = {"sessionUpdate": "usage_update", "used": 5, "size": 10}
    events = await play(session, do({"update": update}, {"exit": 1}))
    assert [type(event) for event in events] == [Failed]
    assert isinstance(events[0], Failed) and events[0].code is ErrorCode.NATIVE_EXITED


async def test_usage_is_told_once_the_turn_has_begun(open_agent: Open):
    update = {"sessionUpdate": "usage_update", "used": 5, "size": 10}
    events = await play(await open_agent(), do({"update": update}, {"text": "hi"}))
    usage = UsageReported(context_used=5, context_size=10)
    assert events == [Started(), usage, TextDelta("hi"), Completed("hi")]


async def test_a_sessions_cost_is_split_into_its_turns(open_agent: Open):
    def cost(amount: float) -> dict[str, Any]:
        return {"update": {"sessionUpdate": "usage_update", "cost": {"amount": amount, "currency": "USD"}}}

    session = await open_agent()
    costs = []
    for amount in (0.5, 0.75):
        events = await play(session, do({"text": "hi"}, cost(amount)))
        costs += [event.cost_usd for event in events if isinstance(event, UsageReported)]
    assert costs == [0.5, 0.25]


async def test_the_calls_of_a_turn_are_added_up_where_an_agent_tells_each(open_agent: Open):
    def call(tokens: int) -> dict[str, Any]:
        usage = {"prompt_tokens": tokens, "completion_tokens": 1, "total_tokens": tokens + 1}
        return {"update": {"sessionUpdate": "usage_update", "used": 5, "size": 10, "_meta": {"usage": usage}}}

    session = await open_agent({"name": "codebuddy"}, driver="codebuddy")
    for n in ("1", "2"):
        events = await play(session, do({"text": "hi"}, call(10), call(20), n=n))
        told = [event for event in events if isinstance(event, UsageReported)]
        assert told[-1] == UsageReported(
            input_tokens=30, output_tokens=2, total_tokens=32, context_used=5, context_size=10
        )


@pytest.mark.parametrize("number", ["1e999", "-1e999", "NaN", "1" * 400])
async def test_a_number_that_no_store_keeps_is_dropped_and_the_turn_goes_on(open_agent: Open, number: str):
    def told(update: str) -> dict[str, Any]:
        return {"raw": f'{{"method":"session/update","params":{{"update":{update.replace("#", number)}}}}}'}

    session = await open_agent()
    usage = told('{"sessionUpdate":"usage_update","used":#,"size":#,"cost":{"amount":#,"currency":"USD"}}')
    tool = told('{"sessionUpdate":"tool_call","toolCallId":"c","rawInput":{"a":#,"b":[#]},"rawOutput":#}')
    events = await play(session, do({"text": "hi"}, usage, tool))
    assert events[-1] == Completed("hi")
    assert UsageReported() in events
    for event in events:
        json.dumps(vars(event), allow_nan=False)
