"""A cancel: obeyed, ignored, late, crossing other things. A real child process hears it."""

import asyncio
import signal
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from adapters.acp.driver import AcpDriver
from adapters.acp.profiles import BY_DRIVER
from adapters.contract import (
    Cancelled,
    Completed,
    Started,
)
from groupx.kernel.errors import ErrorCode
from tests.adapters.conftest import Open
from tests.adapters.dialects import Dialect
from tests.adapters.scripted import (
    MIB,
    PATIENCE_SECONDS,
    Running,
    do,
    failed,
    heard,
    log_of,
    logged,
    play,
    prompts,
    spec,
)
from tests.loop_steps import begun


async def test_a_cancelled_turn_ends_cancelled_and_the_session_goes_on(open_any: Open):
    session = await open_any()
    running = Running(session, do({"text": "partial"}, {"wait": ""}))
    await running.has_text()
    await session.cancel()
    assert (await running.end())[-1] == Cancelled()
    assert await session.settled(2)
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


@pytest.mark.parametrize("ending", [{"stop": "end_turn"}, {"stop": "max_tokens"}, "an error"], ids=str)
async def test_whatever_the_agent_makes_of_our_cancel_it_is_cancelled(
    open_any: Open, dialect: Dialect, ending: dict[str, Any] | str
):
    session = await open_any()
    ending = dialect.error("aborted") if isinstance(ending, str) else ending
    running = Running(session, do({"text": "partial"}, {"wait": ""}, ending))
    await running.has_text()
    await session.cancel()
    assert (await running.end())[-1] == Cancelled(is_certain=False)


async def test_a_cancel_after_the_terminal_touches_nothing(open_any: Open, dialect: Dialect, cwd: Path):
    session = await open_any()
    await play(session, do({"text": "hi"}))
    await session.cancel()
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")
    assert heard(cwd, dialect.cancel) == []


async def test_a_cancel_never_overtakes_its_prompt(open_any: Open, dialect: Dialect, cwd: Path):
    session = await open_any()
    running = Running(session, do({"wait": ""}))
    await session.cancel()
    assert (await running.end())[-1] == Cancelled()
    methods = [entry["method"] for entry in log_of(cwd) if entry["ev"] == "heard"]
    assert methods[-2:] == [dialect.prompt, dialect.cancel]


async def test_a_cancel_while_the_prompt_is_still_being_written_is_sent_right_after_it(
    open_any: Open, dialect: Dialect, cwd: Path
):
    session = await open_any({"deaf_until": "go"})
    running = Running(session, "x" * (4 * MIB) + do({"wait": ""}))
    await session.cancel()
    assert session.usable
    (cwd / "go").touch()
    assert (await running.end())[-1] == Cancelled()
    methods = [entry["method"] for entry in log_of(cwd) if entry["ev"] == "heard"]
    assert methods[-2:] == [dialect.prompt, dialect.cancel]
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")


async def test_a_prompt_that_is_abandoned_while_it_is_being_written_is_cancelled_right_after_it(
    open_any: Open, dialect: Dialect, cwd: Path
):
    session = await open_any({"deaf_until": "go"})
    abandoned = begun(play(session, "x" * (4 * MIB) + do({"wait": ""})))
    abandoned.cancel()
    await asyncio.gather(abandoned, return_exceptions=True)
    assert session.usable and not await session.settled(0.05)
    (cwd / "go").touch()
    assert await session.settled(PATIENCE_SECONDS)
    assert (await play(session, do({"text": "next"}, n="2")))[-1] == Completed("next")
    assert len(heard(cwd, dialect.cancel)) == 1


async def test_two_cancels_are_sent_once(open_any: Open, dialect: Dialect, cwd: Path):
    session = await open_any()
    running = Running(session, do({"text": "partial"}, {"wait": ""}))
    await running.has_text()
    await asyncio.gather(session.cancel(), session.cancel())
    await running.end()
    assert len(heard(cwd, dialect.cancel)) == 1


async def test_an_abandoned_prompt_is_cancelled_and_its_late_answer_ends_nothing_else(
    open_any: Open, dialect: Dialect, cwd: Path
):
    session = await open_any()
    abandoned = session.prompt(do({"text": "a"}, {"ignore_cancel": True}, {"wait": "go"}, {"text": "b"}))
    assert isinstance(await anext(abandoned), Started)
    await abandoned.aclose()
    await logged(cwd, "heard", method=dialect.cancel)
    assert not await session.settled(0.05)
    refused = await play(session, do({"text": "too early"}, n="2"))
    assert failed(refused).code is ErrorCode.NATIVE_SESSION_LOST
    (cwd / "go").touch()
    assert await session.settled(5)
    assert (await play(session, do({"text": "next"}, n="3")))[-1] == Completed("next")
    assert prompts(cwd) == ["1", "3"]


async def test_an_agent_that_ignores_a_cancel_is_ended_by_closing(open_any: Open):
    session = await open_any({"ignore_eof": True, "ignore_term": True}, close_ms=600)
    running = Running(session, do({"text": "a"}, {"ignore_cancel": True}, {"wait": ""}))
    await running.has_text()
    await session.cancel()
    assert not await session.settled(0.1)
    record = await session.close()
    assert failed(await running.end()).code is ErrorCode.NATIVE_EXITED
    assert record.exit_code == -signal.SIGKILL and record.terminated_ms is not None and record.killed_ms is not None
    assert record.terminated_ms < record.killed_ms <= record.ended_ms
    assert await session.close() == record


@pytest.mark.parametrize(("rest_seconds", "is_settled"), [(3_600.0, False), (0.0, True)])
async def test_a_session_rests_after_a_cancel_where_its_agent_needs_that(
    cwd: Path, rest_seconds: float, is_settled: bool
):
    driver = AcpDriver(replace(BY_DRIVER["codebuddy"], rest_after_cancel_seconds=rest_seconds))
    session = await driver.open(spec(cwd, "codebuddy"), None, None)
    running = Running(session, do({"text": "a"}, {"wait": ""}))
    await running.has_text()
    await session.cancel()
    assert (await running.end())[-1] == Cancelled()
    assert await session.settled(0.2) is is_settled
    await session.close()
