"""Whatever an agent sends, its turn ends in exactly one terminal and nothing of ours breaks. Our contract.

What is sent are recordings of real agents, damaged at random. Most examples play on pipes without a process, which is
the only thing that is scripted there; some go through a real one.
"""

import asyncio
import json
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from adapters.acp.profiles import PROFILES, Profile
from adapters.acp.session import AcpSession
from adapters.contract import Cancelled, Completed, Failed, Interrupted, NativeEvent
from adapters.pipes import STDOUT, Pipes
from adapters.process import CliProcess
from tests.adapters.conftest import Open
from tests.adapters.scripted import do, play, prompts, raw64
from tests.loop_steps import begun, rounds

RECORDINGS = sorted((Path(__file__).parents[1] / "fixtures" / "acp").glob("*.jsonl"))
NOBODY = 2**22 + 1
"""Above every process number."""
ODD_VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, float("inf"), "", "\0", "\ud800", "x" * 70_000, [], [[]], {}, {"a": {"b": []}},
    "session/update", "session/request_permission", "agent_message_chunk", "tool_call", "end_turn", "cancelled",
]  # fmt: skip


# ---------------------------------------------------------------- damage
def bend(value: Any, rng: random.Random) -> Any:
    """The JSON value with something in it replaced, left out, doubled or wrapped."""
    if isinstance(value, dict) and value and rng.random() < 0.85:
        key = rng.choice(list(value))
        match rng.randrange(8):
            case 0:
                return {name: inner for name, inner in value.items() if name != key}
            case 1:
                return {**value, key: [value[key]]}
            case 2:
                return {**value, rng.choice(["id", "method", "params", "result", "error", "extra"]): value[key]}
            case _:
                return {**value, key: bend(value[key], rng)}
    if isinstance(value, list) and value and rng.random() < 0.7:
        at = rng.randrange(len(value))
        return [*value[:at], bend(value[at], rng), *value[at:]]
    return rng.choice(ODD_VALUES)


def bend_line(line: bytes, rng: random.Random) -> bytes:
    try:
        bent = bend(json.loads(line), rng)
    except ValueError:  # broken enough already
        return line
    return json.dumps(bent, ensure_ascii=rng.random() < 0.5).encode("utf-8", "surrogatepass") + b"\n"


def cut_line(line: bytes, rng: random.Random) -> bytes:
    return line[: rng.randrange(len(line))] + rng.choice([b"", b"\n"])


def scratch_line(line: bytes, rng: random.Random) -> bytes:
    at = rng.randrange(len(line))
    return line[:at] + rng.randbytes(rng.randrange(1, 5)) + line[at + rng.randrange(3) :]


def decorate_line(line: bytes, rng: random.Random) -> bytes:
    before = [b"\xef\xbb\xbf", b"\x1b[32m", b"\r", b"Warning!\n", b"\n", b"[]\n", b'{"level":1}\n' * 90]
    return rng.choice(before) + line


DAMAGES: list[Callable[[bytes, random.Random], bytes]] = [
    bend_line, bend_line, bend_line, cut_line, scratch_line, decorate_line,
    lambda line, rng: b"",
    lambda line, rng: line * rng.randrange(2, 260),
]  # fmt: skip


def damaged(rng: random.Random, prompt_id: int) -> bytes:
    """A recording whose last answer is to the prompt `prompt_id`, with some of it broken, doubled or out of order."""
    frames = [json.loads(line) for line in rng.choice(RECORDINGS).read_bytes().splitlines()]
    frames = [{**frame, "id": prompt_id} if "method" not in frame else frame for frame in frames]
    frames.insert(rng.randrange(len(frames)), {"id": 0, "method": rng.choice(["fs/read_text_file", "x/ask_user", "y"])})
    lines = [json.dumps(frame).encode() + b"\n" for frame in frames]
    if rng.random() < 0.3:
        rng.shuffle(lines)
    for _ in range(rng.choice([0, 1, 1, 2, 5])):
        at = rng.randrange(len(lines))
        lines[at] = rng.choice(DAMAGES)(lines[at] or b"{}\n", rng)
    return b"".join(lines)


# ---------------------------------------------------------------- on pipes without a process
class NoProcess:
    """A child that takes everything and never was."""

    returncode: int | None = None

    def get_pid(self) -> int:
        return NOBODY

    def get_returncode(self) -> int | None:
        return self.returncode

    def get_pipe_transport(self, fd: int) -> None:
        return None

    def close(self) -> None:
        pass


async def told(profile: Profile, data: bytes, rng: random.Random) -> list[NativeEvent]:
    """What a session tells of one prompt to an agent that answers `data` and ends."""
    broken: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: broken.append(context))
    pipes, child = Pipes(), NoProcess()
    session = AcpSession(
        CliProcess(cast(asyncio.SubprocessTransport, child), pipes), profile, request_ms=5_000, close_ms=1
    )
    session.begin("SESSION", resumed=rng.random() < 0.5)
    events: list[NativeEvent] = []

    async def listen() -> None:
        async for event in session.prompt("go"):
            events.append(event)

    listening = begun(listen())
    cancel_at = rng.choice([None, None, 0, rng.randrange(len(data) + 1)])
    at = 0
    while at < len(data):
        size = rng.choice([1, 7, 100, 4_096, 65_536])
        pipes.pipe_data_received(STDOUT, data[at : at + size])
        if cancel_at is not None and cancel_at <= at:
            await session.cancel()
        at += size
        await rounds()
    child.returncode = rng.choice([0, 1, -9])
    pipes.exited.set()
    pipes.pipe_connection_lost(STDOUT, None)
    async with asyncio.timeout(10):
        await listening
        await session.connection.close()
    assert broken == []
    return events


def assert_ended_once(events: list[NativeEvent]) -> None:
    terminals = [event for event in events if isinstance(event, Completed | Failed | Cancelled | Interrupted)]
    assert terminals == events[-1:]
    if isinstance(terminals[0], Failed):
        assert terminals[0].message != "GroupX could not read what the agent sent.", "the reader itself broke"
    for event in events:
        json.dumps(vars(event), allow_nan=False, ensure_ascii=False).encode()


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**32), st.sampled_from(PROFILES))
def test_whatever_an_agent_sends_its_turn_ends_exactly_once(seed: int, profile: Profile):
    rng = random.Random(seed)
    assert_ended_once(asyncio.run(told(profile, damaged(rng, prompt_id=1), rng)))


@settings(max_examples=100, deadline=None)
@given(st.binary(max_size=400), st.integers(0, 2**32))
def test_bytes_that_mean_nothing_end_a_turn_exactly_once(data: bytes, seed: int):
    assert_ended_once(asyncio.run(told(PROFILES[0], data, random.Random(seed))))


# ---------------------------------------------------------------- through a real process
@pytest.mark.parametrize("seed", range(12))
async def test_whatever_a_real_process_sends_its_turn_ends_exactly_once(open_agent: Open, cwd: Path, seed: int):
    session = await open_agent(request_ms=2_000)
    rng = random.Random(seed)
    data = damaged(rng, prompt_id=3).replace(b"SESSION", b"$session")  # initialize was 1, session/new 2
    assert_ended_once(await play(session, do(raw64(data), rng.choice([{"exit": 1}, {"text": "and on"}]))))
    assert prompts(cwd) == ["1"]
