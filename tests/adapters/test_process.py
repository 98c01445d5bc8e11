"""One child process: its environment, its ordered end, what it leaves behind. Our contract (adapters/process.py)."""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import psutil
import pytest
import pytest_asyncio

from adapters import process_group, process_identity
from adapters.framing import write_line
from adapters.process import CliProcess, InputStuck, NoiseFlood, child_environment, end_orphan
from tests.loop_steps import begun

STUBBORN = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('{}', flush=True); signal.pause()"
STAYS = "import signal; print('{}', flush=True); signal.pause()"
POLITE = "import sys; print('{}', flush=True); sys.stdin.read()"
PARENT = (
    "import signal, subprocess, sys\n"
    "child = subprocess.Popen([sys.executable, '-c', {code!r}], stdout=subprocess.PIPE)\n"
    "child.stdout.readline()\n"
    "print('{{\"child\": %d}}' % child.pid, flush=True)\n"
    "{then}"
)


@pytest_asyncio.fixture
async def started() -> AsyncIterator[list[CliProcess]]:
    processes: list[CliProcess] = []
    yield processes
    for process in processes:
        await process.stop(500)


async def start(started: list[CliProcess], code: str) -> CliProcess:
    process = await CliProcess.spawn((sys.executable, "-c", code), cwd=Path("/"), env=child_environment("a", {}))
    started.append(process)
    return process


async def first_frame(process: CliProcess) -> dict[str, object]:
    async with asyncio.timeout(10):
        async for frame in process.frames():
            return frame
    raise AssertionError("no frame")


def is_alive(pid: int) -> bool:
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


# ---------------------------------------------------------------- environment
def test_nothing_of_ours_is_inherited_but_the_agents_own_name(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("GROUPX_LANE_SECRET", "s3cret")
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "groupx.settings")
    monkeypatch.setenv("KEPT", "1")
    env = child_environment("codex", {"ADDED": "2"})
    assert [name for name in env if name.startswith("GROUPX")] == ["GROUPX_AGENT_ID"]
    assert (env["GROUPX_AGENT_ID"], env["KEPT"], env["ADDED"]) == ("codex", "1", "2")
    assert "DJANGO_SETTINGS_MODULE" not in env


def test_the_settings_of_another_django_project_stay(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("DJANGO_SETTINGS_MODULE", "shop.settings")
    assert child_environment("a", {})["DJANGO_SETTINGS_MODULE"] == "shop.settings"


# ---------------------------------------------------------------- the ordered end
async def test_the_end_of_input_is_enough_for_a_polite_child(started: list[CliProcess]):
    process = await start(started, POLITE)
    await first_frame(process)
    record = await process.stop(2_000)
    assert (record.exit_code, record.terminated_ms, record.killed_ms, record.survivors) == (0, None, None, 0)


async def test_a_child_that_ignores_the_end_of_input_is_terminated(started: list[CliProcess]):
    process = await start(started, STAYS)
    await first_frame(process)
    record = await process.stop(500)
    assert record.exit_code == -signal.SIGTERM
    assert record.terminated_ms is not None and record.terminated_ms >= 190
    assert record.killed_ms is None


async def test_a_child_that_ignores_everything_is_killed_in_time(started: list[CliProcess]):
    process = await start(started, STUBBORN)
    await first_frame(process)
    record = await process.stop(500)
    assert record.exit_code == -signal.SIGKILL
    assert record.terminated_ms is not None and record.killed_ms is not None
    assert record.terminated_ms < record.killed_ms <= record.ended_ms < 2_000
    assert record.survivors == 0


@pytest.mark.parametrize("then", ["", "sys.stdin.read()", "signal.pause()"], ids=["leader gone", "polite", "stays"])
async def test_grandchildren_end_with_their_leader(started: list[CliProcess], then: str):
    process = await start(started, PARENT.format(code=STUBBORN, then=then))
    child = (await first_frame(process))["child"]
    assert isinstance(child, int)
    if not then:
        assert await process.exited(5)
    record = await process.stop(500)
    assert record.survivors == 0 and record.killed_ms is not None
    assert not is_alive(child)


async def test_a_grandchild_in_a_group_of_its_own_ends_too(started: list[CliProcess]):
    code = "import os; os.setpgid(0, 0); " + STUBBORN
    process = await start(started, PARENT.format(code=code, then="signal.pause()"))
    child = (await first_frame(process))["child"]
    assert isinstance(child, int) and os.getpgid(child) == child
    await process.stop(500)
    assert not is_alive(child)


async def test_stopping_twice_is_stopping_once(started: list[CliProcess]):
    process = await start(started, POLITE)
    first, second = await asyncio.gather(process.stop(500), process.stop(500))
    assert first is second


async def test_a_cancelled_stop_still_stops(started: list[CliProcess]):
    process = await start(started, STUBBORN)
    await first_frame(process)
    stopping = begun(process.stop(300))
    stopping.cancel()
    record = await process.stop(300)
    assert record.survivors == 0 and not is_alive(process.opened.pid)


async def test_every_child_is_reaped(started: list[CliProcess]):
    process = await start(started, "")
    assert await process.exited(5)
    assert not psutil.pid_exists(process.opened.pid)
    assert process.exit_code == 0


# ---------------------------------------------------------------- pipes
async def test_frames_left_in_the_pipe_of_a_dead_child_are_read(started: list[CliProcess]):
    process = await start(started, "print('{\"n\": 1}\\n' * 50, end='{\"n\": 2}', flush=True)")
    assert await process.exited(5)
    frames = [frame async for frame in process.frames()]
    assert frames == [{"n": 1}] * 50 + [{"n": 2}]


async def test_reading_pauses_while_nobody_takes(started: list[CliProcess]):
    code = "import sys\nfor i in range(200):\n print('{\"x\": \"' + 'y' * 100_000 + '\"}', flush=True)"
    process = await start(started, code)
    frames = process.frames()
    await anext(frames)
    assert not await process.exited(0.5)  # 20 MB are more than all buffers on the way hold
    assert 1 + len([frame async for frame in frames]) == 200


async def test_an_endless_line_is_given_up(started: list[CliProcess]):
    process = await start(started, "import sys\nwhile True: sys.stdout.write('x' * 1_000_000)")
    with pytest.raises(NoiseFlood):
        async for _ in process.frames():
            pass


async def test_a_child_that_does_not_read_is_noticed(started: list[CliProcess]):
    process = await start(started, STAYS)
    await first_frame(process)
    process.write(write_line({"x": "y" * 1_000_000}))
    with pytest.raises(InputStuck):
        await process.drained(0.2)
    with pytest.raises(InputStuck):
        for _ in range(3):
            process.post({"x": "y" * 500_000})


async def test_small_frames_behind_a_large_one_are_no_pile(started: list[CliProcess]):
    process = await start(started, STAYS)
    await first_frame(process)
    process.write(write_line({"x": "y" * 8_000_000}))
    for _ in range(3):
        process.post({"x": "y" * 300_000})
    with pytest.raises(InputStuck):
        process.post({"x": "y" * 300_000})


# ---------------------------------------------------------------- a clock that is set
@pytest.fixture(params=[-86_400, 3_600], ids=["a day back", "an hour on"])
def clock_step(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """Sets the wall clock, as far as it can be seen: the boot seems to have been at another time of day."""
    if not psutil.LINUX:
        pytest.skip("shifts what is read of Linux")
    boot_time = psutil.boot_time()
    return lambda: monkeypatch.setattr("psutil._pslinux.boot_time", lambda: boot_time + request.param)


@pytest.mark.parametrize("counts_from_boot", [True, False], ids=["ticks", "time of day"])
async def test_no_step_of_the_clock_saves_a_process_of_ours(
    started: list[CliProcess],
    clock_step: Callable[[], None],
    monkeypatch: pytest.MonkeyPatch,
    counts_from_boot: bool,
):
    monkeypatch.setattr(process_identity, "COUNTS_FROM_BOOT", counts_from_boot)
    process = await start(started, PARENT.format(code=STUBBORN, then="signal.pause()"))
    child = (await first_frame(process))["child"]
    assert isinstance(child, int)
    clock_step()
    record = await process.stop(500)
    assert record.terminated_ms is not None and record.killed_ms is not None
    assert not is_alive(process.opened.pid) and not is_alive(child)


async def test_no_step_of_the_clock_saves_an_orphan(started: list[CliProcess], clock_step: Callable[[], None]):
    process = await orphan()
    started.append(process)
    clock_step()
    assert await end_orphan(process.opened.pid, process.opened.started_at, grace_seconds=0.2)
    assert not is_alive(process.opened.pid)


@pytest.mark.skipif(not psutil.LINUX, reason="shifts what is read of Linux")
async def test_where_only_the_time_of_day_is_known_a_second_does_not_matter(
    started: list[CliProcess], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(process_identity, "COUNTS_FROM_BOOT", False)
    process = await orphan()
    started.append(process)
    boot_time = psutil.boot_time()
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: boot_time + 5)
    assert not await end_orphan(process.opened.pid, process.opened.started_at, grace_seconds=0.2)
    monkeypatch.setattr("psutil._pslinux.boot_time", lambda: boot_time + 0.9)
    assert await end_orphan(process.opened.pid, process.opened.started_at, grace_seconds=0.2)


def test_a_start_is_told_exactly_and_a_boot_by_its_id():
    assert process_identity.start_of(os.getpid()) == process_identity.start_of(os.getpid())
    assert process_identity.start_of(2**22 + 1) is None  # above every pid
    if process_identity.COUNTS_FROM_BOOT:
        assert process_identity.boot_id() == process_identity.boot_id() != None  # noqa: E711


# ---------------------------------------------------------------- orphans of a former run
async def orphan(code: str = STUBBORN) -> CliProcess:
    process = await CliProcess.spawn((sys.executable, "-c", code), cwd=Path("/"), env=child_environment("a", {}))
    await first_frame(process)
    return process


async def test_an_orphan_of_a_former_run_is_ended(started: list[CliProcess]):
    process = await orphan()
    started.append(process)
    assert await end_orphan(process.opened.pid, process.opened.started_at, grace_seconds=0.2)
    assert not is_alive(process.opened.pid)
    assert not await end_orphan(process.opened.pid, process.opened.started_at, grace_seconds=0.2)


async def test_a_number_that_another_program_has_now_is_left_alone(started: list[CliProcess]):
    process = await orphan()
    started.append(process)
    assert not await end_orphan(process.opened.pid, process.opened.started_at - 100, grace_seconds=0.2)
    assert is_alive(process.opened.pid)


async def test_an_orphan_whose_leader_has_gone_is_ended_by_its_group(started: list[CliProcess]):
    process = await start(started, PARENT.format(code=STUBBORN, then=""))
    child = (await first_frame(process))["child"]
    assert isinstance(child, int)
    assert await process.exited(5)
    assert process_group.members(process.opened.pid, process.opened.started_at)
    assert not await end_orphan(process.opened.pid, process.opened.started_at + 100, grace_seconds=0.2)
    assert await end_orphan(process.opened.pid, process.opened.started_at, grace_seconds=0.2)
    assert not is_alive(child)


# ---------------------------------------------------------------- without a shell
async def test_an_npm_shim_is_started_without_a_shell(started: list[CliProcess], tmp_path: Path):
    """npm puts links to scripts on PATH; whatever an argument holds, no shell ever reads it."""
    script = tmp_path / "lib" / "cli.py"
    script.parent.mkdir()
    script.write_text(
        f"#!{sys.executable}\nimport json, sys\nprint(json.dumps({{'argv': sys.argv[1:]}}), flush=True)\n"
    )
    script.chmod(0o755)
    shim = tmp_path / "bin" / "some-cli"
    shim.parent.mkdir()
    shim.symlink_to(Path("..") / "lib" / "cli.py")
    hostile = ("; touch hacked", "$(touch hacked)", "a b", '"', "*", "")
    process = await CliProcess.spawn(("some-cli", *hostile), cwd=tmp_path, env={"PATH": str(shim.parent)})
    started.append(process)
    assert (await first_frame(process))["argv"] == list(hostile)
    assert not (tmp_path / "hacked").exists()
