"""Work on a room's files that nothing of the room may see: its lock is held, and no process of it lives. No Django."""

from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from adapters import process_group
from groupx import run_files
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.run_config import as_typed_here
from groupx.terminal_words import gettext as _

LOCK_SECONDS = 1.0


@contextmanager
def locked(run: RunConfig) -> Iterator[None]:
    """No parent runs this room, and none can start while the block works.

    Raises:
        GroupXError: RUNTIME_LOCKED when the room runs, START_FAILED when its folder cannot be used.
    """
    try:
        run_files.make_private_folder(run.state_dir)
        run_files.make_private_folder(run.run_dir)
        lock = run_files.RunLock(run.run_dir)
        is_ours = lock.acquire(wait_seconds=LOCK_SECONDS)
    except OSError as error:
        raise GroupXError(
            ErrorCode.START_FAILED,
            _("The folder %(folder)s cannot be used: %(reason)s.")
            % {"folder": run.state_dir, "reason": error.strerror or error},
        ) from error
    if not is_ours:
        raise room_runs(run)
    try:
        yield
    finally:
        lock.release()


@contextmanager
def quiet(run: RunConfig) -> Iterator[None]:
    """The same, and nothing that a former run has left is alive.

    Raises:
        GroupXError: RUNTIME_LOCKED also for such a process; START_FAILED.
    """
    with locked(run):
        if left := survivors(run):
            raise GroupXError(
                ErrorCode.RUNTIME_LOCKED,
                _("A process of the last run still lives (pid %(pid)d). “%(command)s” ends it.")
                % {"pid": left[0].pid, "command": as_typed_here(run, "doctor", "--repair")},
            )
        yield


def room_runs(run: RunConfig) -> GroupXError:
    return GroupXError(
        ErrorCode.RUNTIME_LOCKED,
        _("This room runs. Stop it first: %(command)s") % {"command": as_typed_here(run, "stop")},
    )


def survivors(run: RunConfig) -> list[psutil.Process]:
    """Living processes that the run's records name, or that those have started. Meaningful while no room runs."""
    recorded = [*run_files.recorded_children(run.run_dir), *run_files.recorded_clis(run.run_dir)]
    return [process for record in recorded for process in process_group.members(record.pid, record.started_at)]
