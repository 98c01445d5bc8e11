"""Each real CLI through its driver, against a scripted model on loopback: the same tests for all (docs/drivers.md)."""

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import pytest_asyncio

from adapters.contract import (
    AgentSpec,
    Cancelled,
    Completed,
    Failed,
    NativeEvent,
    ReasoningDelta,
    Session,
    TextDelta,
    ToolEvent,
    ToolPhase,
    ToolStatus,
)
from adapters.registry import driver_for
from tests.fakes.model_server import ModelServer
from tests.live.capabilities import Capability
from tests.live.minutes import another_minute
from tests.live.recipes import Recipe

pytestmark = pytest.mark.live
TURN_SECONDS = 120
CANCEL_SECONDS = 30


@dataclass
class Cli:
    """One CLI with a home and a folder of its own; every session is closed at the end."""

    recipe: Recipe
    spec: AgentSpec
    sessions: list[Session] = field(default_factory=list)

    async def open(self, resume: str | None = None) -> Session:
        session = await driver_for(self.recipe.driver).open(self.spec, None, resume)
        self.sessions.append(session)
        return session


@pytest_asyncio.fixture
async def cli(recipe: Recipe, model: ModelServer, tmp_path: Path) -> AsyncIterator[Cli]:
    work = tmp_path / "work"
    work.mkdir()
    spec = AgentSpec(
        agent_id="agent",
        driver=recipe.driver,
        argv=(recipe.executable,),
        cwd=work,
        env=recipe.env(tmp_path / "home", model),
        handshake_ms=90_000,
        request_ms=60_000,
    )
    opened = Cli(recipe, spec)
    yield opened
    for session in opened.sessions:
        await session.close()


async def said(session: Session, text: str) -> list[NativeEvent]:
    async with asyncio.timeout(TURN_SECONDS):
        return [event async for event in session.prompt(text)]


def answer_of(events: list[NativeEvent]) -> str:
    last = events[-1]
    assert isinstance(last, Completed), last
    return last.text.strip()


def tools_of(events: list[NativeEvent]) -> list[ToolEvent]:
    return [event for event in events if isinstance(event, ToolEvent)]


@pytest.mark.capability(Capability.STREAM)
async def test_an_answer_streams_in(cli: Cli):
    events = await said(await cli.open(), "SAY:hello from a real agent")

    assert answer_of(events) == "hello from a real agent"
    deltas = [event.text for event in events if isinstance(event, TextDelta)]
    assert len(deltas) >= 2 and "".join(deltas).strip() == "hello from a real agent"


@pytest.mark.capability(Capability.REASONING)
async def test_thoughts_are_told_apart_from_the_answer(cli: Cli):
    events = await said(await cli.open(), "REASON:let me think\nSAY:hello")

    thoughts = "".join(event.text for event in events if isinstance(event, ReasoningDelta))
    assert "let me think" in thoughts and answer_of(events) == "hello"


@pytest.mark.capability(Capability.TOOLS)
async def test_a_tool_of_its_own_begins_and_ends_once(cli: Cli):
    events = await said(await cli.open(), cli.recipe.shell("echo made by a tool"))

    tools = tools_of(events)
    assert [t.phase for t in tools if t.phase is not ToolPhase.UPDATED] == [ToolPhase.STARTED, ToolPhase.COMPLETED]
    assert len({tool.tool_call_id for tool in tools}) == 1
    assert tools[-1].status is ToolStatus.COMPLETED
    assert "echo made by a tool" in f"{tools[-1].name} {tools[-1].details.get('input')}"
    assert "made by a tool" in answer_of(events)


@pytest.mark.capability(Capability.UNRESTRICTED)
async def test_writing_in_its_folder_asks_nobody(cli: Cli):
    file = cli.spec.cwd / "made.txt"
    write = cli.recipe.write or (lambda file, text: cli.recipe.shell(f"printf '{text}' > '{file}'"))
    events = await said(await cli.open(), write(file, "written"))

    assert isinstance(events[-1], Completed), events[-1]
    assert file.read_text().strip() == "written"
    assert tools_of(events)[-1].phase is ToolPhase.COMPLETED


@pytest.mark.capability(Capability.CANCEL)
async def test_a_cancelled_turn_ends_and_the_session_is_used_again(cli: Cli):
    session = await cli.open()
    events: list[NativeEvent] = []
    async with asyncio.timeout(TURN_SECONDS):
        async for event in session.prompt("SLOW:60"):
            events.append(event)
            if isinstance(event, TextDelta):
                await session.cancel()
    assert isinstance(events[-1], Cancelled), events[-1]
    assert await session.settled(CANCEL_SECONDS)

    assert answer_of(await said(session, "SAY:still here")) == "still here"


@pytest.mark.capability(Capability.RESUME)
async def test_a_new_process_resumes_the_session_with_its_conversation(cli: Cli, model: ModelServer):
    first = await cli.open()
    assert answer_of(await said(first, "SAY:remember this")) == "remember this"
    await first.close()
    if cli.recipe.resumes_in_another_minute:
        await another_minute()

    second = await cli.open(resume=first.info.native_session_id)
    assert second.info.resumed and not second.info.context_lost
    assert second.info.native_session_id == first.info.native_session_id
    assert second.info.process.pid != first.info.process.pid
    events = await said(second, "SAY:resumed")
    assert answer_of(events) == "resumed"
    assert "remember this" not in "".join(event.text for event in events if isinstance(event, TextDelta))
    told = next("\n".join(r["said"]) for r in model.requests if "SAY:resumed" in r.get("asked", ""))
    assert "SAY:remember this" in told, "the model is told the earlier conversation"


@pytest.mark.capability(Capability.ERRORS)
async def test_an_error_of_the_model_fails_the_turn_with_its_reason(cli: Cli):
    session = await cli.open()
    events = await said(session, "ERROR:400")

    failure = events[-1]
    assert isinstance(failure, Failed), failure
    assert failure.code.startswith("NATIVE_") and failure.message and failure.hint
    assert not failure.session_lost
    assert answer_of(await said(session, "SAY:usable again")) == "usable again"
