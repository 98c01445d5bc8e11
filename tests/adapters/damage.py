"""Recordings of real agents, damaged at random, and a session that hears them without a process."""

import asyncio
import json
import random
from collections.abc import Callable
from typing import Any, cast

from adapters.cli_session import CliSession
from adapters.contract import Cancelled, Completed, Failed, Interrupted, NativeEvent
from adapters.pipes import STDOUT, Pipes
from adapters.process import CliProcess
from tests.loop_steps import begun, rounds

NOBODY = 2**22 + 1
"""Above every process number."""
ODD_VALUES: list[Any] = [
    None, True, 0, -1, 1.5, 10**30, float("inf"), "", "\0", "\ud800", "x" * 70_000, [], [[]], {}, {"a": {"b": []}},
    "session/update", "session/request_permission", "agent_message_chunk", "tool_call", "end_turn", "cancelled",
    "assistant", "result", "stream_event", "text_delta", "tool_use", "success", "error_during_execution",
    "item/completed", "turn/completed", "agentMessage", "commandExecution", "failed", "completed",
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


def damaged(frames: list[dict[str, Any]], rng: random.Random, prompt_id: int) -> bytes:
    """The frames, with some of them broken, doubled or out of order; their answers are to the prompt `prompt_id`."""
    frames = [{**frame, "id": prompt_id} if "method" not in frame else frame for frame in frames]
    frames.insert(rng.randrange(len(frames)), {"id": 0, "method": rng.choice(["fs/read_text_file", "x/ask_user", "y"])})
    asked = {"subtype": rng.choice(["can_use_tool", "invented"])}
    frames.insert(rng.randrange(len(frames)), {"type": "control_request", "request_id": "r", "request": asked})
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


async def told(
    make_session: Callable[[CliProcess], CliSession[Any]], data: bytes, rng: random.Random
) -> list[NativeEvent]:
    """What a session tells of one prompt to an agent that answers `data` and ends."""
    broken: list[dict[str, Any]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: broken.append(context))
    pipes, child = Pipes(), NoProcess()
    session = make_session(CliProcess(cast(asyncio.SubprocessTransport, child), pipes))
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
