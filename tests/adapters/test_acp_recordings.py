"""Recorded turns of real CLIs, as files of tests/fixtures/acp (named for agent, version and behaviour).

Recorded against the scripted model; session, folders and ports are replaced, lists of commands left out.
"""

import json
from collections import Counter
from itertools import groupby
from pathlib import Path

import pytest

from adapters import jsonrpc
from adapters.acp.messages import read_prompt_reply
from adapters.acp.profiles import BY_DRIVER
from adapters.acp.turn import AcpTurn
from adapters.acp.updates import read_update
from adapters.acp.usage import SessionUsage
from adapters.contract import Completed, NativeEvent, ToolEvent, ToolPhase, UsageReported

RECORDINGS = Path(__file__).parents[1] / "fixtures" / "acp"
KINDS = ["Started", "ReasoningDelta", "tool.started", "tool.updated", "tool.completed", "ReasoningDelta", "TextDelta"]


def messages_of(recording: Path) -> list[jsonrpc.Message]:
    return [jsonrpc.read_message(json.loads(line)) for line in recording.read_text().splitlines()]


async def played(recording: Path) -> list[NativeEvent]:
    """The events of one recorded prompt, without a process."""
    profile = BY_DRIVER[recording.name.split("_")[0]]
    turn, usage = AcpTurn(profile, Counter()), SessionUsage(is_fresh=True, is_of_calls=profile.usage_is_of_calls)
    for message in messages_of(recording):
        match message:
            case jsonrpc.Notification("session/update", params):
                _, update = read_update(params)
                turn.updated(update, usage.told_with(update, params))
            case jsonrpc.Response() as response:
                turn.end(read_prompt_reply(response.result))
    events = []
    while (event := await turn.next()) is not None:
        events.append(event)
    rest, terminal = turn.finish()
    return [*events, *rest, terminal]


def kinds(events: list[NativeEvent]) -> list[str]:
    """What happened, with repetitions folded."""
    names = [event.phase if isinstance(event, ToolEvent) else type(event).__name__ for event in events]
    return [str(name) for name, _ in groupby(names)]


@pytest.mark.parametrize(
    "recording", sorted(RECORDINGS.glob("*_reasons_and_uses_a_tool.jsonl")), ids=lambda path: path.stem
)
async def test_a_real_turn_with_a_tool_is_read_in_native_order(recording: Path):
    events = await played(recording)
    assert kinds(events) == [*KINDS, "UsageReported", "Completed"]
    last = events[-1]
    assert isinstance(last, Completed) and last.text.startswith("RESULT:") and "hello" in last.text
    tools = [event for event in events if isinstance(event, ToolEvent)]
    assert len({event.tool_call_id for event in tools}) == 1
    assert tools[-1].details["output"] == "hello\n"
    assert "echo hello" in str(tools[-1].details["input"])


@pytest.mark.parametrize("recording", sorted(RECORDINGS.glob("*.jsonl")), ids=lambda path: path.stem)
async def test_nothing_that_a_real_agent_sends_is_odd_to_us(recording: Path):
    assert "Diagnostic" not in kinds(await played(recording))


@pytest.mark.parametrize(
    ("recording", "title"),
    [
        ("hermes_0.19.0_reasons_and_runs_a_command", "terminal: echo hello"),
        ("gemini_0.61.0_runs_a_command", "echo hello"),
        ("qwen_0.24.4_runs_a_command", "Shell: echo hello (x)"),
        ("codebuddy_2.117.0_runs_a_command", "`echo hello`"),
    ],
)
async def test_a_tool_is_one_tool_and_ends_under_its_title(recording: str, title: str):
    events = await played(RECORDINGS / f"{recording}.jsonl")
    tools = [event for event in events if isinstance(event, ToolEvent)]
    assert [tool.phase for tool in tools if tool.phase is not ToolPhase.UPDATED] == [
        ToolPhase.STARTED,
        ToolPhase.COMPLETED,
    ]
    assert len({tool.tool_call_id for tool in tools}) == 1
    assert tools[-1].name == title
    assert isinstance(events[-1], Completed) and "hello" in events[-1].text


@pytest.mark.parametrize(
    ("agent", "input_tokens", "output_tokens"),
    [
        ("opencode", 11, 7),
        ("grok", 22, 14),
        ("hermes", 44, 28),
        ("gemini", 22, 14),
        ("qwen", 22, 14),
        ("codebuddy", 22, 14),
    ],
)
async def test_tokens_are_found_where_an_agent_tells_them(agent: str, input_tokens: int, output_tokens: int):
    [recording] = RECORDINGS.glob(f"{agent}_*.jsonl")
    told = [event for event in await played(recording) if isinstance(event, UsageReported)]
    assert (told[-1].input_tokens, told[-1].output_tokens) == (input_tokens, output_tokens)
