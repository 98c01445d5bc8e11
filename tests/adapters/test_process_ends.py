"""However an agent's process ends, the turn ends once, within 2 s of the cause, and keeps the text so far."""

import asyncio
import os
import signal
from pathlib import Path
from typing import Any

import psutil
import pytest

from adapters.contract import (
    Completed,
    SessionLoss,
)
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.dialects import Dialect
from tests.adapters.scripted import (
    MIB,
    Running,
    do,
    failed,
    logged,
    play,
    prompts,
    streamed,
)


# ---------------------------------------------------------------- the end of a process
@pytest.mark.parametrize("code", [0, 1, 7])
async def test_an_exit_ends_the_turn_with_its_code_and_the_text_so_far(open_any: Open, cwd: Path, code: int):
    session = await open_any()
    events = await play(session, do({"text": "partial"}, {"stderr": 500}, {"exit": code}))
    assert streamed(events) == "partial"
    assert failed(events).code is ErrorCode.NATIVE_EXITED
    assert f"exit code {code}" in failed(events).message
    assert "eeee" not in failed(events).message and "eeee" in session.last_words
    assert session.exit_code == code and not session.usable
    assert prompts(cwd) == ["1"]


async def test_a_killed_process_ends_the_turn_within_two_seconds(open_any: Open):
    session = await open_any()
    running = Running(session, do({"text": "partial"}, {"wait": ""}))
    await running.has_text()
    os.kill(session.info.process.pid, signal.SIGKILL)
    events = await running.end(within_seconds=2)
    assert failed(events).code is ErrorCode.NATIVE_EXITED
    assert session.exit_code == -signal.SIGKILL
    assert streamed(events) == "partial"


@pytest.mark.parametrize("kind", ["holds", "stubborn", "talks"])
async def test_a_death_is_noticed_although_a_grandchild_holds_the_pipes(open_any: Open, cwd: Path, kind: str):
    session = await open_any()
    running = Running(session, do({"text": "partial"}, {"grandchild": kind}, {"wait": ""}))
    await logged(cwd, "grandchild")
    os.kill(session.info.process.pid, signal.SIGKILL)
    events = await running.end(within_seconds=2)
    assert failed(events).code is ErrorCode.NATIVE_EXITED
    assert streamed(events).startswith("partial")
    assert prompts(cwd) == ["1"]


async def test_the_end_of_output_alone_ends_the_turn(open_any: Open):
    session = await open_any()
    events = await play(session, do({"text": "partial"}, {"close_output": True}))
    assert failed(events).code is ErrorCode.NATIVE_EXITED
    assert session.exit_code is None and not session.usable


async def test_a_death_between_turns_is_told(open_any: Open):
    session = await open_any()
    os.kill(session.info.process.pid, signal.SIGKILL)
    async with asyncio.timeout(2):
        await session.gone()
    assert not session.usable
    assert failed(await play(session, do({"text": "hi"}))).code is ErrorCode.NATIVE_SESSION_LOST


async def test_standard_error_is_drained_and_only_its_end_kept(open_any: Open):
    session = await open_any()
    assert (await play(session, do({"stderr": 3 * MIB}, {"text": "hi"})))[-1] == Completed("hi")
    assert len(session.last_words) == 2_000


async def test_an_agent_that_stops_reading_does_not_hang_us(open_any: Open):
    session = await open_any({"deaf_after_session": True}, request_ms=300)
    events = await play(session, "x" * (4 * MIB))
    assert failed(events).code is ErrorCode.NATIVE_SESSION_LOST
    assert not session.usable


async def test_a_slow_reader_slows_down_the_agent_and_loses_nothing(open_any: Open):
    session = await open_any()
    text = "".join(str(number % 10) for number in range(2_000))
    running = session.prompt(do(*[{"text": digit} for digit in text], {"big": 3 * MIB}))
    read = [await anext(running)]
    await logged(Path(psutil.Process(session.info.process.pid).cwd()), "prompt")
    read += [event async for event in running]
    assert streamed(read) == text + ("0123456789" * MIB)[: 3 * MIB]


# ---------------------------------------------------------------- why a session is lost
EXITED, BROKEN = ErrorCode.NATIVE_EXITED, ErrorCode.PROTOCOL_INVALID_MESSAGE


@pytest.mark.parametrize(
    ("step", "code", "message", "exit_code"),
    [
        ({"exit": 7}, EXITED, "The agent's process ended with exit code 7.", 7),
        ({"close_output": True}, EXITED, "The agent closed its output.", None),
        ("unknown answer", BROKEN, "The agent broke its protocol: an answer to no request.", None),
        ({"noise": 201}, BROKEN, "The agent broke its protocol: its output is no stream of messages.", None),
    ],
    ids=["exit", "end of output", "protocol", "noise"],
)
async def test_a_session_says_why_it_was_lost(
    open_any: Open,
    dialect: Dialect,
    step: dict[str, Any] | str,
    code: ErrorCode,
    message: str,
    exit_code: int | None,
):
    session = await open_any()
    assert session.loss is None
    step = {"frame": dialect.unknown_answer} if isinstance(step, str) else step
    events = await play(session, do({"text": "a"}, step, {"wait": ""}))
    assert session.loss == SessionLoss(code=code, message=message, exit_code=exit_code)
    assert (failed(events).code, failed(events).message) == (code, message)
    await session.close()
    assert session.loss is not None, "closing afterwards changes nothing"


async def test_a_session_that_was_killed_between_turns_says_so(open_any: Open):
    session = await open_any()
    os.kill(session.info.process.pid, signal.SIGKILL)
    async with asyncio.timeout(2):
        await session.gone()
    message = "The agent's process was ended by signal 9."
    assert session.loss == SessionLoss(code=ErrorCode.NATIVE_EXITED, message=message, exit_code=-9)


async def test_a_session_whose_agent_stops_reading_says_so(open_any: Open):
    session = await open_any({"deaf_after_session": True}, request_ms=300)
    await play(session, "x" * (4 * MIB))
    message = "The agent stopped reading its input."
    assert session.loss == SessionLoss(code=ErrorCode.NATIVE_SESSION_LOST, message=message)


@pytest.mark.parametrize("in_turn", [True, False])
async def test_a_session_that_we_close_is_no_loss(open_any: Open, in_turn: bool):
    session = await open_any()
    running = Running(session, do({"text": "a"}, {"wait": ""} if in_turn else {"text": "b"}))
    await running.has_text()
    await session.close()
    await running.end()
    assert session.loss is None and not session.usable
