"""What the processes that work a CLI have in common, a lane's and the assistant's: their parent's line, the records of
their CLIs, and an end in time."""

import asyncio
import os
import signal
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from adapters.contract import OpenedProcess
from adapters.process import end_orphan
from groupx.control import ControlLine, Word
from groupx.kernel.clock import Clock
from groupx.kernel.logs import get_logger
from groupx.run_files import CliUse, forget_cli, record_cli, recorded_clis
from turns.control import LaneControl, Stop
from turns.lane_link import LaneLink

log = get_logger()

ORPHAN_GRACE_SECONDS = 2.0
CONNECT_SECONDS = 5.0
CLOSE_SECONDS = 12.0
"""After the parent's own patience; the worker's last exit when nobody is left to end it."""
RESTART_LOOK_SECONDS = 0.5
FAILED_EXIT_CODE = 70


async def end_orphans(run_dir: Path, worker: str) -> None:
    """CLIs that a former process of this worker has left."""
    for orphan in recorded_clis(run_dir, worker):
        await end_orphan(orphan.pid, orphan.started_at, ORPHAN_GRACE_SECONDS)
        forget_cli(run_dir, worker, orphan.use)


async def first_connection(link: LaneLink, control: LaneControl, clock: Clock) -> None:
    """Until the server is there, the worker is to close, or CONNECT_SECONDS have passed."""
    tasks = {
        asyncio.create_task(link.connected.wait(), name="first-connection"),
        asyncio.create_task(control.stopping.wait(), name="stopping"),
    }
    await clock.wait(tasks, CONNECT_SECONDS)
    for task in tasks:
        task.cancel()


def record(run_dir: Path, worker: str, process: OpenedProcess, use: CliUse) -> None:
    """So that whoever comes after a dead worker finds its CLI. A disk that is full is no reason not to work."""
    try:
        record_cli(run_dir, worker, process.pid, process.started_at, use)
    except OSError:
        log.exception("cli_not_recorded", pid=process.pid)


def close_when_failed(task: asyncio.Task[None], close: Callable[[], None]) -> None:
    """Without its parent's line or its own link a worker must not live on unseen."""

    def ended(task: asyncio.Task[None]) -> None:
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("lane_side_task_failed", task=task.get_name(), exc_info=error)
            close()

    task.add_done_callback(ended)


async def exit_in_time(control: LaneControl, run_dir: Path, worker: str) -> None:
    """Once the worker is to close: whatever hangs then, its CLI and it are gone after CLOSE_SECONDS."""
    while control.stop is not Stop.CLOSING:
        await control.stopping.wait()
        if control.stop is not Stop.CLOSING:
            await asyncio.sleep(RESTART_LOOK_SECONDS)
    timer = threading.Timer(CLOSE_SECONDS, _leave, (run_dir, worker))
    timer.daemon = True
    timer.start()


def _leave(run_dir: Path, worker: str) -> None:
    log.error("lane_did_not_end", seconds=CLOSE_SECONDS)
    for cli in recorded_clis(run_dir, worker):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(cli.pid, signal.SIGKILL)
    os._exit(FAILED_EXIT_CODE)


async def close_with_parent(control_fd: int | None, close: Callable[[], None]) -> None:
    if control_fd is not None:
        line = await ControlLine.open(control_fd)
        line.on_line(lambda word: line.send(Word.PONG) if word == Word.PING else None)
        await line.closed()
        log.info("parent_gone")
        close()
