"""The process of an opening: what it is given, who is told of it, and that it is gone when the opening fails."""

import asyncio
import os
from pathlib import Path
from typing import Any

import psutil
import pytest

from adapters import process_group
from adapters.acp.driver import AcpDriver
from adapters.acp.profiles import BY_DRIVER
from adapters.contract import OpenedProcess
from adapters.registry import driver_for
from tests.adapters.conftest import Open
from tests.adapters.dialects import ACP, DIALECTS, Dialect
from tests.adapters.scripted import PATIENCE_SECONDS, do, heard, log_of, logged, play, spec
from tests.loop_steps import rounds

pytestmark = pytest.mark.usefixtures("nothing_left_running")


class Opening:
    """An opening that runs in a task, with the processes it told of."""

    def __init__(self, cwd: Path, startup: dict[str, Any], driver: str, **more: Any) -> None:
        self.spawned: list[OpenedProcess] = []
        opening = driver_for(driver).open(spec(cwd, driver, startup, **more), None, None, self.spawned.append)
        self._task = asyncio.create_task(opening)

    async def cancelled(self) -> None:
        """Ends when the cancellation has come through."""
        self._task.cancel()
        with pytest.raises(asyncio.CancelledError):
            async with asyncio.timeout(PATIENCE_SECONDS):
                await self._task


# ---------------------------------------------------------------- what it is given
async def test_the_child_inherits_no_secret_of_ours(open_any: Open, cwd: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GROUPX_LANE_SECRET", "s3cret")
    monkeypatch.setenv("GROUPX_RUN_CONFIG", "/somewhere")
    await open_any()
    assert log_of(cwd)[0]["env"] == ["GROUPX_AGENT_ID"]


async def test_the_child_runs_in_its_own_session_and_in_its_folder(open_any: Open, cwd: Path):
    pid = (await open_any()).info.process.pid
    assert os.getsid(pid) == os.getpgid(pid) == pid
    assert psutil.Process(pid).cwd() == str(cwd)


async def test_a_banner_before_the_handshake_is_skipped_and_shown(open_any: Open):
    session = await open_any({"banner": ["Welcome!", "", '"text"', "\x1b[2J"], "stderr": 200_000})
    kinds = {getattr(e, "kind", None): getattr(e, "count", None) for e in await play(session, do({"text": "hi"}))}
    assert kinds["noise"] == 4


# ---------------------------------------------------------------- whom it is told to, and its end
async def test_a_process_is_told_before_anything_is_said_to_it(cwd: Path, dialect: Dialect):
    told: list[OpenedProcess] = []

    def on_spawn(process: OpenedProcess) -> None:
        assert heard(cwd, "initialize") == [] and psutil.pid_exists(process.pid)
        told.append(process)

    session = await driver_for(dialect.driver).open(spec(cwd, dialect.driver), None, None, on_spawn)
    assert told == [session.info.process]
    await session.close()


async def test_each_process_of_a_repeated_start_is_told(cwd: Path):
    told: list[OpenedProcess] = []
    agent = spec(cwd, "grok", {"known_flags": ["--always-approve"]})
    session = await AcpDriver(BY_DRIVER["grok"]).open(agent, None, None, told.append)
    await session.close()
    assert len(told) > 1 and len({process.pid for process in told}) == len(told)
    assert told[-1] == session.info.process


async def test_who_is_told_of_a_process_and_fails_leaves_none(cwd: Path, dialect: Dialect):
    def on_spawn(process: OpenedProcess) -> None:
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        await driver_for(dialect.driver).open(spec(cwd, dialect.driver), None, None, on_spawn)


STEPS = [
    ("kimi", "initialize"),
    ("kimi", "session/new"),
    ("kimi", "session/set_mode"),
    *((dialect.driver, method) for dialect in DIALECTS.values() for method in dialect.handshake if dialect != ACP),
]


@pytest.mark.parametrize(("driver", "method"), STEPS)
async def test_an_opening_that_is_cancelled_has_reaped_its_process_before_it_says_so(
    cwd: Path, driver: str, method: str
):
    startup = {"replies": {method: {"hang": True}}, "grandchild": "stubborn", "ignore_eof": True, "ignore_term": True}
    opening = Opening(cwd, startup, driver, close_ms=500)
    await logged(cwd, "heard", method=method)
    await opening.cancelled()
    (process,) = opening.spawned
    assert not psutil.pid_exists(process.pid)
    assert not process_group.members(process.pid, process.started_at)


async def test_a_cancel_while_a_failed_opening_is_tidied_up_waits_for_that(cwd: Path, dialect: Dialect):
    startup = {"replies": {dialect.handshake[-1]: {"hang": True}}, "ignore_eof": True, "ignore_term": True}
    opening = Opening(cwd, startup, dialect.driver, close_ms=2_000, request_ms=300, handshake_ms=3_000)
    await logged(cwd, "eof")  # the end of input is the first step of its end
    await opening.cancelled()
    assert not psutil.pid_exists(opening.spawned[0].pid)


@pytest.mark.parametrize("steps", range(1, 12))
async def test_an_opening_may_be_cancelled_at_any_of_its_first_steps(cwd: Path, dialect: Dialect, steps: int):
    before = set(psutil.Process().children())
    opening = Opening(cwd, {}, dialect.driver, close_ms=500)
    await rounds(steps)
    await opening.cancelled()
    assert set(psutil.Process().children()) == before, "not even as a zombie"
