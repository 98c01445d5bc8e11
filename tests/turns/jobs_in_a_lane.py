"""A lane that is asked something outside its turns: what the tests of jobs in a lane stand on."""

import asyncio
from pathlib import Path

import pytest

from adapters.contract import (
    AgentSpec,
    Completed,
    Started,
    TextDelta,
    ToolEvent,
    ToolPhase,
    ToolStatus,
)
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import Timeouts
from tests.fakes.adapter import ScriptedSession
from tests.turns.stage import WAIT_SECONDS
from turns.agent_jobs import ask_agent
from turns.job_ends import JobFailed
from turns.models import Lane
from turns.short_session import ShortSession

A_TOOL_THAT_STAYS_OPEN = ToolEvent(phase=ToolPhase.STARTED, tool_call_id="t", name="look", status=ToolStatus.RUNNING)


def short_session(driver, clock):
    return ShortSession(
        spec=AgentSpec(agent_id="builder", driver="scripted", argv=("scripted",), cwd=Path("/tmp")),
        driver=driver,
        timeouts=Timeouts(),
        process_spawned=lambda process: None,
        process_ended=lambda: None,
        clock=clock,
    )


async def ask(prompt="Sum it up.", agent="agent:builder"):
    async with asyncio.timeout(WAIT_SECONDS):
        return await ask_agent(agent, prompt, asked_by="test", is_good=bool, clock=SystemClock())


def saying(*events):
    session = ScriptedSession("short")
    session.say(*events)
    return session


def answering(text):
    return saying(Started(), TextDelta(text), Completed(text))


async def until_ready(lane):
    await lane.until(lambda: Lane.objects.filter(status="ready").exists())


class HeldSession(ScriptedSession):
    """Its process takes until it is let go to close."""

    def __init__(self):
        super().__init__("short")
        self.closes, self.may_close = asyncio.Event(), asyncio.Event()

    async def close(self):
        self.closes.set()
        await self.may_close.wait()
        return await super().close()


async def begun(short, prompt="Sum it up."):
    """Somebody who waits for an answer that does not come yet."""
    asking = asyncio.create_task(ask(prompt))
    async with asyncio.timeout(WAIT_SECONDS):
        await short.prompted.wait()
    return asking


async def failure_of(asking):
    with pytest.raises(JobFailed) as failed:
        await asking
    return failed.value
