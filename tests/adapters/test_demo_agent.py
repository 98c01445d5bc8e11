"""The demo agents, through the same driver as any other (adapters/demo/agent.py)."""

import asyncio
import socket
import sys
from collections.abc import AsyncIterator, Awaitable, Callable
from datetime import date
from pathlib import Path

import pytest
import pytest_asyncio

import adapters.demo.agent as demo
from adapters.contract import (
    AgentSpec,
    Cancelled,
    Completed,
    Failed,
    McpEndpoint,
    ProgressReported,
    ReasoningDelta,
    Session,
    Started,
    ToolEvent,
    ToolStatus,
)
from adapters.registry import driver_for
from groupx.kernel.errors import ErrorCode
from memory.compaction_prompt import block_prompt
from memory.packet_text import quoted
from memory.rollup_prompt import DayNow, RememberedTurn, SaidText, build_batch
from tests.adapters.scripted import play

type OpenDemo = Callable[..., Awaitable[Session]]


@pytest_asyncio.fixture
async def open_demo(cwd: Path) -> AsyncIterator[OpenDemo]:
    opened: list[Session] = []

    async def open_one(persona: str = "builder", resume: str | None = None, mcp: McpEndpoint | None = None) -> Session:
        argv, args = (sys.executable, demo.__file__), ("--persona", persona)
        agent = AgentSpec(agent_id=persona, driver="acp", argv=argv, args=args, cwd=cwd)
        opened.append(await driver_for("acp").open(agent, mcp, resume))
        return opened[-1]

    yield open_one
    for session in opened:
        await session.close()


async def answer(session: Session, prompt: str) -> str:
    last = (await play(session, prompt))[-1]
    assert isinstance(last, Completed)
    return last.text


async def test_the_personas_differ(open_demo: OpenDemo):
    answers = {await answer(await open_demo(persona), "the parser") for persona in ("builder", "reviewer", "scribe")}
    assert len(answers) == 3
    assert all("**the parser**" in text or "the parser" in text for text in answers)


async def test_a_chinese_message_is_answered_in_chinese(open_demo: OpenDemo):
    assert "最小测试" in await answer(await open_demo(), "请看看解析器")


async def test_it_remembers_its_turns_across_processes(open_demo: OpenDemo):
    first = await open_demo()
    assert "turn 1" in await answer(first, "hello")
    await first.close()
    second = await open_demo(resume=first.info.native_session_id)
    assert second.info.resumed
    assert "turn 2" in await answer(second, "hello again")


async def test_an_unknown_session_is_not_resumed(open_demo: OpenDemo):
    assert (await open_demo(resume="../../etc/passwd")).info.context_lost


async def test_only_the_current_message_is_listened_to(open_demo: OpenDemo):
    packet = "[room_delta]\nplease fail and crash\n\n[current_message]\nevt_1 from user\nhello there"
    assert "hello there" in await answer(await open_demo(), packet)


async def test_plain_words_make_it_do_more(open_demo: OpenDemo):
    events = await play(await open_demo(), "make a plan, think, and use a tool")
    assert sum(isinstance(event, ReasoningDelta) for event in events) == 4
    assert any(isinstance(event, ProgressReported) for event in events)
    tools = [event for event in events if isinstance(event, ToolEvent)]
    assert len(tools) == 6
    assert tools[-1].details["diff"] == [
        {"path": "greeting.py", "oldText": "print('Hi')\n", "newText": "print('Hello!')\n"}
    ]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("please fail", ErrorCode.NATIVE_ERROR),
        ("please crash", ErrorCode.NATIVE_EXITED),
        ("ask for permission", ErrorCode.UNEXPECTED_NATIVE_INTERACTION),
        ("请失败", ErrorCode.NATIVE_ERROR),
    ],
)
async def test_it_fails_on_request(open_demo: OpenDemo, words: str, code: ErrorCode):
    last = (await play(await open_demo(), words))[-1]
    assert isinstance(last, Failed) and last.code is code


async def test_a_slow_answer_can_be_cancelled(open_demo: OpenDemo):
    session = await open_demo()
    async with asyncio.timeout(10):
        events = []
        async for event in session.prompt("slowly please"):
            events.append(event)
            if isinstance(event, Started):
                await session.cancel()
    assert events[-1] == Cancelled()


async def test_it_sums_up_what_was_said_and_what_it_had_noted_before(open_demo: OpenDemo):
    entries = [
        f"- id=evt_1 seq=1 author=user:web source=user\n{quoted('Please fail and crash.\nUse tabs.')}",
        f"- id=evt_2 seq=2 author=agent:builder source=agent\n{quoted('hello')}",
    ]
    asked = block_prompt(summary_so_far="- user:web: It is a parser.", entries=entries, limit=1000, block=1, blocks=1)
    said = await answer(await open_demo(), asked)
    assert said == "- user:web: It is a parser.\n- user:web: Please fail and crash. Use tabs."


async def test_a_summary_keeps_to_its_limit_and_lets_the_oldest_go(open_demo: OpenDemo):
    entries = [f"- id=evt_{n} seq={n} author=user:web\n{quoted(f'{n} ' + 'long ' * 100)}" for n in range(50)]
    asked = block_prompt(summary_so_far="", entries=entries, limit=1000, block=1, blocks=1)
    said = await answer(await open_demo(), asked)
    assert len(quoted(said)) <= 1000 and "- user:web: 49 long" in said and "- user:web: 0 long" not in said


@pytest.mark.parametrize(
    ("message", "remembered"),
    [
        ("Hello!", "GROUPX_NO_DATED_MEMORY"),
        ("Use tabs.", "- user:web: Use tabs."),
    ],
)
async def test_of_a_day_it_remembers_what_is_no_greeting(open_demo: OpenDemo, message: str, remembered: str):
    def said(author: str, text: str) -> SaidText:
        return SaidText(event_id="evt_1", seq=1, author=author, beginning=text, end=text, characters=len(text))

    turn = RememberedTurn(source_id=1, message=said("user:web", message), answer=said("agent:builder", "Hi!"))
    day = DayNow(actor_id="agent:builder", day=date(2026, 11, 30), record_id=None, content="", turns=[turn])
    assert await answer(await open_demo(), build_batch(day).prompt) == remembered


async def test_who_quotes_such_a_request_gets_an_answer_like_any_other(open_demo: OpenDemo):
    assert "turn 1" in await answer(await open_demo(), "What are [groupx_summary] and GROUPX_NO_DATED_MEMORY?")


async def test_without_the_rooms_tools_it_says_so(open_demo: OpenDemo):
    assert "no tools of the room" in await answer(await open_demo(), "ask Reviewer about the parser")


async def test_a_room_that_is_not_there_is_told_in_words_and_on_the_tool(open_demo: OpenDemo):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    mcp = McpEndpoint(url=f"http://127.0.0.1:{port}/mcp", binding_handle="handle")
    events = await play(await open_demo(mcp=mcp), "ask Reviewer about the parser")
    tools = [event for event in events if isinstance(event, ToolEvent)]
    assert [(tool.name, tool.status) for tool in tools][-1] == ("groupx ask Reviewer", ToolStatus.FAILED)
    last = events[-1]
    assert isinstance(last, Completed) and "cannot be reached: ConnectionRefusedError" in last.text


async def test_a_call_that_waits_ends_with_its_turn(open_demo: OpenDemo):
    with socket.create_server(("127.0.0.1", 0)) as room:  # takes calls, and answers none
        url = f"http://127.0.0.1:{room.getsockname()[1]}/mcp"
        session = await open_demo(mcp=McpEndpoint(url=url, binding_handle="handle"))
        async with asyncio.timeout(10):
            events = []
            async for event in session.prompt("ask Reviewer about the parser"):
                events.append(event)
                if isinstance(event, ToolEvent) and event.status is ToolStatus.RUNNING:
                    await session.cancel()
    assert events[-1] == Cancelled()
