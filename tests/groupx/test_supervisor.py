"""The parent at run time (docs/architecture.md, "Processes"), with small real processes as children. Our contract."""

import asyncio
import os
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import psutil
import pytest

from groupx import backoff, child_plans, children, run_files, serving, supervisor, watchdog
from groupx.backoff import BackOff
from groupx.kernel.config import RunConfig
from groupx.kernel.config_file import parse_config
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.listener import listen
from groupx.supervisor import Ending, Supervisor
from tests.fakes import run_child
from tests.waiting import wait_until

COMMAND = [sys.executable, run_child.__file__]
LOOK_SECONDS = 20


# ---------------------------------------------------------------- pure
def test_serve_is_started_again_at_once_and_then_ever_more_slowly_up_to_five_seconds():
    assert [backoff.SERVE.after(deaths) for deaths in (1, 2, 3, 4, 5, 6, 60)] == [0, 0.5, 1, 2, 5, 5, 5]


def test_a_lane_is_started_again_after_one_two_four_up_to_thirty_seconds():
    assert [backoff.LANE.after(deaths) for deaths in (1, 2, 3, 4, 5, 6, 60)] == [1, 2, 4, 8, 16, 30, 30]


@pytest.mark.parametrize(("ran_seconds", "deaths"), [(0.0, 4), (59.0, 4), (60.0, 1), (9_000.0, 1)])
def test_who_ran_well_for_a_minute_starts_counting_anew(ran_seconds: float, deaths: int):
    assert backoff.LANE.count(3, ran_seconds) == deaths


@pytest.mark.parametrize(("close_ms", "seconds"), [(100, 1.2), (4_500, 9.5), (5_000, 10.0), (300_000, 10.0)])
def test_lanes_get_what_ending_a_turn_and_a_cli_may_take(close_ms: int, seconds: float):
    assert supervisor.lanes_grace_seconds(close_ms) == seconds


def test_the_whole_close_takes_fifteen_seconds_at_most_even_when_everything_must_be_killed():
    lanes = supervisor.lanes_grace_seconds(300_000) + children.KILL_SECONDS
    serve = supervisor.SERVE_SECONDS + children.KILL_SECONDS
    orphans = supervisor.ORPHAN_GRACE_SECONDS + 1.0 + 2 * children.ADOPTED_SECONDS  # meanwhile
    assert lanes + max(serve, orphans) <= 15


def test_the_server_leaves_by_itself_before_it_would_be_killed():
    assert serving.EXIT_SECONDS < supervisor.SERVE_SECONDS


def test_children_know_the_snapshot_and_no_other_configuration(tmp_path: Path):
    inherited = {"PATH": "/bin", "GROUPX_CONFIG": "x", "GROUPX_PORT": "1", "GROUPX_LANE_SECRET": "s"}
    assert child_plans.children_environment(inherited, a_run(tmp_path)) == {
        "PATH": "/bin",
        "GROUPX_RUN_CONFIG": str(tmp_path / ".groupx" / "run" / "config.json"),
    }


# ---------------------------------------------------------------- with processes
def a_run(folder: Path, *agents: str, port: int = 4310) -> RunConfig:
    config = {
        "server": {"port": port},
        "agents": {agent: {"driver": "acp", "command": "unused"} for agent in agents},
        "timeouts": {"closeMs": 100},
    }
    return parse_config(config, folder / "groupx.json", frozenset({"acp"}))


class Running:
    """A supervisor at work, and what its children have noted."""

    def __init__(self, run: RunConfig, log: Path, under_test: Supervisor, listener: socket.socket) -> None:
        self.run, self._log, self.supervisor, self._listener = run, log, under_test, listener

    def notes(self) -> list[tuple[str, str, int]]:
        lines = self._log.read_text().splitlines() if self._log.exists() else []
        return [(who, what, int(pid)) for who, what, pid in (line.split() for line in lines)]

    async def noted(self, who: str, what: str, *, times: int = 1) -> int:
        """The pid of the nth note of this kind, waited for."""
        found = await until(lambda: [pid for *note, pid in self.notes() if note == [who, what]][times - 1 : times])
        return found[0]

    async def request(self, path: str) -> bytes:
        reader, writer = await asyncio.open_connection(*self._listener.getsockname())
        writer.write(f"GET {path} HTTP/1.1\r\n\r\n".encode())
        answer = await reader.read()
        writer.close()
        await writer.wait_closed()
        return answer


async def until[T](look: Callable[[], T]) -> T:
    """The children write a file: all that can be done is to look again, beside the loop that the parent runs on."""
    return await asyncio.to_thread(wait_until, look, timeout_seconds=LOOK_SECONDS, what="a note of a child")


def wait_for_death(pid: int) -> None:
    """Return when the child is dead; the parent's loop has not seen it yet."""
    os.waitid(os.P_PID, pid, os.WEXITED | os.WNOWAIT)


@pytest.fixture(autouse=True)
def nothing_is_left(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    log = tmp_path / "notes"
    monkeypatch.setenv("RUN_CHILD_LOG", str(log))
    yield
    pids = [int(line.split()[2]) for line in log.read_text().splitlines()] if log.exists() else []
    left = [pid for pid in pids if psutil.pid_exists(pid)]  # a zombie exists as well: everything must be reaped
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    assert not left


@asynccontextmanager
async def running(
    folder: Path, *agents: str, may_restart: Callable[[], None] = lambda: None
) -> AsyncIterator[tuple[Running, asyncio.Task[Ending]]]:
    with listen("127.0.0.1", 0) as listener:
        run = a_run(folder, *agents, port=listener.getsockname()[1])
        run_files.make_private_folder(run.run_dir)
        under_test = Supervisor(run, listener, command=COMMAND, may_restart=may_restart)
        async with asyncio.timeout(20):
            task = asyncio.create_task(under_test.run())
            try:
                yield Running(run, folder / "notes", under_test, listener), task
            finally:
                under_test.end(Ending.STOP)
                await asyncio.gather(task, return_exceptions=True)


async def test_everything_closes_in_order_and_leaves_no_record(tmp_path: Path):
    async with running(tmp_path, "codex", "grok") as (room, task):
        for agent in ("codex", "grok"):
            await room.noted(agent, "started")
        assert {child.name for child in run_files.recorded_children(room.run.run_dir)} == {
            "serve",
            "lane-codex",
            "lane-grok",
        }

        room.supervisor.end(Ending.STOP)

        assert await task is Ending.STOP
    order = [(who, what) for who, what, _ in room.notes()]
    drained, closed = order.index(("serve", "told-drain")), order.index(("serve", "closed"))
    for agent in ("codex", "grok"):
        assert order.index((agent, "closed")) < closed
    assert drained < closed and closed == len(order) - 1
    assert not run_files.recorded_children(room.run.run_dir) and not run_files.recorded_clis(room.run.run_dir)


async def test_a_signal_ends_the_run_in_order(tmp_path: Path):
    async with running(tmp_path, "codex") as (room, task):
        await room.noted("codex", "started")
        os.kill(os.getpid(), signal.SIGTERM)
        assert await task is Ending.STOP
    assert ("codex", "closed") in [note[:2] for note in room.notes()]


async def test_a_server_that_cannot_start_ends_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("RUN_CHILD_SERVE", "fails")
    async with running(tmp_path, "codex") as (room, task):
        with pytest.raises(GroupXError, match="exit code 3") as failure:
            await task
    assert failure.value.code is ErrorCode.START_FAILED
    assert [note[:2] for note in room.notes()] == [("serve", "started")]


async def test_a_killed_server_comes_back_on_the_same_socket_and_lanes_go_on(tmp_path: Path):
    async with running(tmp_path, "codex") as (room, _):
        lane = await room.noted("codex", "started")
        serve = await room.noted("serve", "started")
        os.kill(serve, signal.SIGKILL)
        wait_for_death(serve)

        assert await room.request("/anything") == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"

        await room.noted("serve", "started", times=2)
        assert psutil.pid_exists(lane)


async def test_a_killed_lane_comes_back_after_its_cli_was_ended(tmp_path: Path):
    async with running(tmp_path, "codex") as (room, _):
        cli = await room.noted("codex", "cli")
        os.kill(await room.noted("codex", "started"), signal.SIGKILL)

        await room.noted("codex", "started", times=2)

        assert not psutil.pid_exists(cli)  # ended and reaped


@pytest.mark.parametrize("who", ["serve", "codex"])
async def test_a_child_that_is_frozen_for_good_is_replaced_and_the_others_go_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, who: str
):
    monkeypatch.setattr(watchdog, "PING_SECONDS", 0.05)
    monkeypatch.setattr(watchdog, "HUNG_SECONDS", 0.5)
    async with running(tmp_path, "codex", "grok") as (room, task):
        frozen = await room.noted(who, "started")
        for other in ("serve", "codex", "grok"):
            await room.noted(other, "started")
        os.kill(frozen, signal.SIGSTOP)

        await room.noted(who, "started", times=2)

        assert not psutil.pid_exists(frozen)
        assert not task.done()
        starts = [name for name, what, _ in room.notes() if what == "started"]
        assert sorted(starts) == sorted(["serve", "codex", "grok", who])


async def test_a_lane_that_keeps_dying_is_reported_to_the_server_and_tried_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(backoff, "LANE", BackOff(delays=(0.0,), well_after_seconds=60.0))
    async with running(tmp_path, "broken", "codex") as (room, _):
        await room.noted("serve", "told-lane_down-broken", times=2)  # for every death from the third on

        notes = [note[:2] for note in room.notes()]
        assert notes[: notes.index(("serve", "told-lane_down-broken"))].count(("broken", "started")) >= 3
        assert ("serve", "told-lane_down-codex") not in notes
        await room.noted("broken", "started", times=6)


async def test_a_lane_that_does_not_close_is_killed_and_its_cli_as_well(tmp_path: Path):
    async with running(tmp_path, "stubborn", "codex") as (room, task):
        cli = await room.noted("stubborn", "cli")
        await room.noted("stubborn", "started")
        room.supervisor.end(Ending.STOP)
        assert await task is Ending.STOP
        assert not psutil.pid_exists(cli)
    assert room.notes()[-1][:2] == ("serve", "closed")


@pytest.mark.skipif(not psutil.LINUX, reason="elsewhere start times are the wall clock's")
async def test_no_step_of_the_clock_saves_a_lane_that_does_not_close(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    async with running(tmp_path, "stubborn") as (room, task):
        cli = await room.noted("stubborn", "cli")
        lane = await room.noted("stubborn", "started")
        boot_time = psutil.boot_time()
        monkeypatch.setattr("psutil._pslinux.boot_time", lambda: boot_time + 3_600)
        room.supervisor.end(Ending.STOP)
        assert await task is Ending.STOP
        assert not psutil.pid_exists(lane) and not psutil.pid_exists(cli)


async def test_the_server_may_ask_for_the_end(tmp_path: Path):
    async with running(tmp_path) as (room, task):
        await room.request("/say/shutdown")
        assert await task is Ending.STOP


async def test_the_server_may_ask_for_a_restart(tmp_path: Path):
    async with running(tmp_path) as (room, task):
        await room.request("/say/restart")
        assert await task is Ending.RESTART


async def test_a_restart_that_could_not_succeed_changes_nothing(tmp_path: Path):
    asked = asyncio.Event()

    def refuse() -> None:
        asked.set()
        raise GroupXError(ErrorCode.CONFIG_INVALID, "agents.codex.driver is “x”.")

    async with running(tmp_path, may_restart=refuse) as (room, task):
        await room.request("/say/restart")
        await asked.wait()
        assert (await room.request("/anything")).endswith(b"ok")
        assert not task.done()
