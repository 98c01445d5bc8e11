"""Whatever an agent sends, its turn ends in exactly one terminal and nothing of ours breaks. Our contract.

What is sent are recordings of real agents, damaged at random. Most examples play on pipes without a process, which is
the only thing that is scripted there; some go through a real one.
"""

import asyncio
import json
import random
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.acp.profiles import PROFILES
from adapters.acp.session import AcpSession
from adapters.claude.session import ClaudeSession
from adapters.cli_session import CliSession
from adapters.codex.session import CodexSession
from adapters.contract import AgentSpec
from adapters.process import CliProcess
from groupx.kernel.clock import SystemClock
from tests.adapters.conftest import Open
from tests.adapters.damage import assert_ended_once, damaged, told
from tests.adapters.scripted import do, play, prompts, raw64

FIXTURES = Path(__file__).parents[1] / "fixtures"
SESSION = "5e551010-0000-4000-8000-000000000000"
type Frames = list[dict[str, Any]]


def _frames(file: Path) -> Frames:
    return [json.loads(line) for line in file.read_text().splitlines()]


def _codex_turns(file: Path) -> list[Frames]:
    """From the answer that names the turn to its end."""
    said = [line["<-"] for line in _frames(file)[1:] if "<-" in line]
    begins = [at for at, frame in enumerate(said) if "turn" in (frame.get("result") or {})]
    ends = [at for at, frame in enumerate(said) if frame.get("method") == "turn/completed"]
    return [said[first : last + 1] for first, last in zip(begins, ends, strict=True)]


def _claude_turns(file: Path) -> list[Frames]:
    """Each to its result, as an older version would say them: what became of a prompt is told by an id of then."""
    said = [line["<-"] for line in _frames(file)[1:] if "<-" in line]
    told = [frame for frame in said if frame.get("type") not in ("control_response", "command_lifecycle")]
    ends = [at for at, frame in enumerate(told) if frame["type"] == "result"]
    return [told[first:last] for first, last in pairwise([0, *(end + 1 for end in ends)])]


ACP_TURNS = [_frames(file) for file in sorted((FIXTURES / "acp").glob("*.jsonl"))]
CODEX_TURNS = [turn for file in sorted((FIXTURES / "codex").glob("*.jsonl")) for turn in _codex_turns(file)]
CLAUDE_TURNS = [turn for file in sorted((FIXTURES / "claude").glob("*.jsonl")) for turn in _claude_turns(file)]


def acp_session(process: CliProcess, rng: random.Random) -> CliSession[Any]:
    session = AcpSession(process, rng.choice(PROFILES), request_ms=5_000, close_ms=1)
    session.begin("SESSION", resumed=rng.random() < 0.5)
    return session


def codex_session(process: CliProcess, rng: random.Random) -> CliSession[Any]:
    session = CodexSession(process, request_ms=5_000, close_ms=1)
    session.begin(SESSION, resumed=rng.random() < 0.5)
    return session


def claude_session(process: CliProcess, rng: random.Random) -> CliSession[Any]:
    spec = AgentSpec(agent_id="a", driver="claude", argv=("claude",), cwd=Path("/project"), close_ms=1)
    session = ClaudeSession(process, SESSION, spec, None, SystemClock())
    session.begin(resumed=rng.random() < 0.5)
    return session


KINDS: dict[str, tuple[Callable[[CliProcess, random.Random], CliSession[Any]], list[Frames]]] = {
    "acp": (acp_session, ACP_TURNS),
    "claude": (claude_session, CLAUDE_TURNS),
    "codex": (codex_session, CODEX_TURNS),
}


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=400, deadline=None)
@given(seed=st.integers(0, 2**32))
def test_whatever_an_agent_sends_its_turn_ends_exactly_once(kind: str, seed: int):
    rng = random.Random(seed)
    make_session, turns = KINDS[kind]
    data = damaged(rng.choice(turns), rng, prompt_id=1)
    assert_ended_once(asyncio.run(told(lambda process: make_session(process, rng), data, rng)))


@pytest.mark.parametrize("kind", KINDS)
@settings(max_examples=100, deadline=None)
@given(data=st.binary(max_size=400), seed=st.integers(0, 2**32))
def test_bytes_that_mean_nothing_end_a_turn_exactly_once(kind: str, data: bytes, seed: int):
    rng = random.Random(seed)
    assert_ended_once(asyncio.run(told(lambda process: KINDS[kind][0](process, rng), data, rng)))


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("turn", range(8))
def test_a_turn_that_is_not_damaged_ends_by_itself(kind: str, turn: int):
    """Shows that what is damaged above is a conversation that these sessions follow."""
    make_session, turns = KINDS[kind]
    frames = [{**f, "id": 1} if "method" not in f else f for f in turns[turn % len(turns)]]
    data = b"".join(json.dumps(frame).encode() + b"\n" for frame in frames)
    never = random.Random(0)
    never.choice = lambda seq: seq[0]  # type: ignore[method-assign]  # no cancel, small pieces
    events = asyncio.run(told(lambda process: make_session(process, never), data, never))
    assert_ended_once(events)
    assert getattr(events[-1], "code", None) != "NATIVE_EXITED"


# ---------------------------------------------------------------- through a real process
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("kind", KINDS)
async def test_whatever_a_real_process_sends_its_turn_ends_exactly_once(
    open_agent: Open, cwd: Path, kind: str, seed: int
):
    session = await open_agent(driver=kind, request_ms=2_000)
    rng = random.Random(seed)
    prompt_id = {"acp": 3, "codex": 4}.get(kind, 0)  # after the handshake
    data = damaged(rng.choice(KINDS[kind][1]), rng, prompt_id)
    data = data.replace(SESSION.encode(), b"$session").replace(b'"SESSION"', b'"$session"')
    assert_ended_once(await play(session, do(raw64(data), rng.choice([{"exit": 1}, {"text": "and on"}]))))
    assert prompts(cwd) == ["1"]
