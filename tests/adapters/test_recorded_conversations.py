"""Recorded conversations with real CLIs, replayed by a child process to the real drivers: what each vendor's version
of then does still gives the same turns. `python -m tests.live.record` makes them anew."""

import asyncio
import sys
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from adapters.contract import (
    AgentSpec,
    Cancelled,
    Completed,
    Diagnostic,
    Failed,
    McpEndpoint,
    NativeEvent,
    ReasoningDelta,
    Session,
    TextDelta,
    ToolEvent,
    ToolPhase,
    ToolStatus,
)
from adapters.registry import driver_for
from tests.fakes.recordings import BEHAVIOURS, SESSION, Recording, recordings, spoken
from tests.live.capabilities import Capability
from tests.live.recipes import RECIPES

REPLAYED = Path(__file__).parents[1] / "fakes" / "replayed_cli.py"
RECORDED = recordings()
LACKS = {recipe.driver: recipe.lacks for recipe in RECIPES}
MCP = McpEndpoint(url="http://127.0.0.1:1/mcp", binding_handle="handle")
PATIENCE_SECONDS = 10.0

pytestmark = pytest.mark.usefixtures("nothing_left_running")


def each(behaviour: str) -> pytest.MarkDecorator:
    found = [recording for recording in RECORDED if recording.behaviour == behaviour]
    return pytest.mark.parametrize("recording", found, ids=lambda recording: f"{recording.cli}-{recording.version}")


@asynccontextmanager
async def opened(recording: Recording, cwd: Path) -> AsyncIterator[Session]:
    spec = AgentSpec(
        agent_id="agent",
        driver=recording.cli,
        argv=(sys.executable, str(REPLAYED), str(recording.file)),
        cwd=cwd,
        env={"IS_SANDBOX": "1", "CODEBUDDY_API_KEY": "none"},
        handshake_ms=5_000,
        request_ms=5_000,
        close_ms=2_000,
    )
    session = await driver_for(recording.cli).open(
        spec, MCP if recording.has_room else None, SESSION if recording.resumes else None
    )
    try:
        yield session
    finally:
        await session.close()


async def replayed(recording: Recording, cwd: Path) -> list[list[NativeEvent]]:
    """The events of each prompt."""
    async with opened(recording, cwd) as session, asyncio.timeout(PATIENCE_SECONDS):
        turns = []
        for prompt in recording.prompts:
            turns.append(await spoken(session, prompt))
            assert await session.settled(PATIENCE_SECONDS)
        assert session.info.resumed is recording.resumes
        assert session.info.native_session_id == SESSION or not recording.resumes
        return turns


def test_each_cli_that_was_recorded_was_recorded_with_every_behaviour():
    counted = Counter((recording.cli, recording.version) for recording in RECORDED)
    assert counted and set(counted.values()) == {len(BEHAVIOURS)}
    assert len(counted) == len({recording.cli for recording in RECORDED}), "one version of each"


@each("thinks_and_uses_a_tool")
async def test_thoughts_a_tool_and_an_answer_are_told_in_native_order(recording: Recording, tmp_path: Path):
    [events] = await replayed(recording, tmp_path)

    last = events[-1]
    assert isinstance(last, Completed) and "hello" in last.text
    tools = [event for event in events if isinstance(event, ToolEvent)]
    assert [t.phase for t in tools if t.phase is not ToolPhase.UPDATED] == [ToolPhase.STARTED, ToolPhase.COMPLETED]
    assert len({tool.tool_call_id for tool in tools}) == 1
    assert "echo hello" in f"{tools[-1].name} {tools[-1].details.get('input')}"
    if Capability.REASONING not in LACKS[recording.cli]:
        first = next(event for event in events if isinstance(event, ReasoningDelta | ToolEvent))
        assert isinstance(first, ReasoningDelta), "it thought before it acted"


@each("is_cancelled_and_used_again")
async def test_a_cancelled_turn_is_followed_by_another(recording: Recording, tmp_path: Path):
    first, second = await replayed(recording, tmp_path)

    assert isinstance(first[-1], Cancelled) and any(isinstance(event, TextDelta) for event in first)
    last = second[-1]
    assert isinstance(last, Completed) and last.text.strip() == "still here"


@each("passes_on_a_models_error")
async def test_a_models_error_fails_the_turn_and_no_other(recording: Recording, tmp_path: Path):
    first, second = await replayed(recording, tmp_path)

    if Capability.ERRORS in LACKS[recording.cli]:
        assert isinstance(first[-1], Completed), LACKS[recording.cli][Capability.ERRORS]
    else:
        assert isinstance(first[-1], Failed) and first[-1].message and not first[-1].session_lost
    last = second[-1]
    assert isinstance(last, Completed) and last.text.strip() == "usable again"


@each("is_resumed_in_a_new_process")
async def test_history_told_again_is_no_answer(recording: Recording, tmp_path: Path):
    [events] = await replayed(recording, tmp_path)

    last = events[-1]
    assert isinstance(last, Completed) and last.text.strip() == "resumed"


@each("asks_another_agent")
async def test_a_call_of_the_rooms_tool_is_shown_and_its_answer_used(recording: Recording, tmp_path: Path):
    [events] = await replayed(recording, tmp_path)

    last = events[-1]
    assert isinstance(last, Completed) and last.text.strip() == "They say forty-two."
    ask = [event for event in events if isinstance(event, ToolEvent)][-1]
    assert (ask.phase, ask.status) == (ToolPhase.COMPLETED, ToolStatus.COMPLETED)
    output = ask.details["output"]
    assert "ask" in ask.name and isinstance(output, str) and "evt_1" in output


@pytest.mark.parametrize("recording", RECORDED, ids=lambda recording: recording.name)
async def test_nothing_that_a_real_cli_sends_is_odd_to_us(recording: Recording, tmp_path: Path):
    turns = await replayed(recording, tmp_path)
    assert not [event for events in turns for event in events if isinstance(event, Diagnostic)]
