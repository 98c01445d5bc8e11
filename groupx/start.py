"""`groupx_start`, step by step: the port, the lock, what a former run left, the run's files, the children.

The order is the safety: who has the port and the lock is alone, and only then touches anything of the room.
The database is the first server's business (groupx/database.py): this process never imports Django.
"""

import asyncio
import errno
import os
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import psutil

from adapters.process import end_orphan
from groupx import lifecycle, run_files
from groupx.child_plans import base_command
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import RunConfig, read_run_config
from groupx.kernel.environment import for_others, value_of
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.kernel.logs import get_logger
from groupx.lifecycle import Found, StartStep
from groupx.listener import listen
from groupx.room_parent import Ended, cannot_listen, run_room, unusable_folder, write_run_files
from groupx.setup_parent import FirstStart
from groupx.sign_in_link import sign_in_sentence
from groupx.stop import where_it_runs
from groupx.terminal_words import gettext as _

log = get_logger()

WAIT_SECONDS = 30.0
"""For another start of this room to become healthy, or its former run to close."""
LOOK_AGAIN_SECONDS = 0.1
LOCK_SECONDS = 2.0
LEFT_GRACE_SECONDS = 1.0


@dataclass(frozen=True, kw_only=True)
class StartOptions:
    opens_browser: bool = True
    listen_fd: int | None = None
    """The listening socket that the process held before it replaced itself."""


@dataclass
class Timing:
    """Milliseconds of each step, for the one line that says where a start spent its time."""

    steps: dict[str, int] = field(default_factory=dict)
    _last: float = field(default_factory=time.monotonic)

    def done(self, step: str) -> None:
        now = time.monotonic()
        self.steps[f"{step}_ms"] = round((now - self._last) * 1000)
        self._last = now


def _age_seconds() -> float:
    """How long this process lives already: what its imports and the configuration took."""
    return max(0.0, SystemClock().now().timestamp() - psutil.Process().create_time())


def start(run: RunConfig, options: StartOptions, say: Callable[[str], None]) -> int:
    """Run the room until it is ended; gives the exit code. Replaces this process for a restart.

    Raises:
        GroupXError: PORT_IN_USE, RUNTIME_LOCKED or START_FAILED; nothing was left running by us.
    """
    timing = Timing()
    if options.listen_fd is None:  # a process that has replaced itself is older than what it now runs
        timing.steps["imports_ms"] = round(_age_seconds() * 1000)
    listener = take_port(run, options.listen_fd)
    if listener is None:
        _say_where(run, options, say)
        return 0
    timing.done("port")
    lock = take_lock(run)
    try:
        with listener:
            prepare(run, timing)
            ended = asyncio.run(_live(run, listener, options, timing, say))
            if ended.next_listener is not None:
                replace_process(ended.run, ended.next_listener)
    finally:
        lock.release()
    say(_("GroupX has stopped."))
    return 0


def _say_where(run: RunConfig, options: StartOptions, say: Callable[[str], None]) -> None:
    """Of a room that runs already, or of its setup."""
    say(setup_sentence(run) if run.is_setup else _("GroupX is already running: %(url)s") % {"url": f"{run.origin}/"})
    if options.opens_browser:
        open_in_browser(f"{run.origin}/setup" if run.is_setup else f"{run.origin}/")


async def _live(
    run: RunConfig, listener: socket.socket, options: StartOptions, timing: Timing, say: Callable[[str], None]
) -> Ended:
    def room_runs(room: RunConfig, sign_in: str | None) -> None:
        timing.done("serve")
        log.info("runtime_started", origin=room.origin, **timing.steps)
        say(_("GroupX is running: %(url)s") % {"url": f"{room.origin}/"})
        if sign_in is not None:
            say(sign_in_sentence(room, sign_in))
        if options.opens_browser and not run.is_setup:  # the page of a setup goes there by itself
            open_in_browser(f"{room.origin}/")

    def setup_runs() -> None:
        say(setup_sentence(run))
        if options.opens_browser:
            open_in_browser(f"{run.origin}/setup")

    if run.is_setup:
        return await FirstStart(run, listener, setup_runs, room_runs).run()
    return await run_room(run, listener, room_runs)


def setup_sentence(run: RunConfig) -> str:
    return _("GroupX needs to be set up: %(url)s") % {"url": f"{run.origin}/setup"}


# ---------------------------------------------------------------- port and lock
def take_port(run: RunConfig, listen_fd: int | None = None) -> socket.socket | None:
    """The listening socket, or None when this very room already answers there.

    Raises:
        GroupXError: PORT_IN_USE with a sentence that names the port and, if known, the program; RUNTIME_LOCKED when
            this room runs already, on another port.
    """
    if listen_fd is not None:
        os.set_inheritable(listen_fd, False)
        return socket.socket(fileno=listen_fd)
    deadline = time.monotonic() + WAIT_SECONDS
    while (listener := _listen_if_free(run)) is None:
        running, found = where_it_runs(run)
        if found.is_ours and running is not run:
            raise _runs_already(running.origin)
        room_is_locked = run_files.is_locked(run.run_dir / "lock")
        step = lifecycle.decide_start(found, room_is_locked=room_is_locked)
        if step is StartStep.REUSE:
            return None
        if step is StartStep.REFUSE or time.monotonic() > deadline:
            return _last_attempt(run, found, room_is_locked=room_is_locked)
        time.sleep(LOOK_AGAIN_SECONDS)
    return listener


def _last_attempt(run: RunConfig, found: Found, *, room_is_locked: bool) -> socket.socket:
    """Whoever was there may have gone while it was looked at, or be an orphan of ours; else it is refused."""
    owner = lifecycle.owner_of_port(run.config.server.port)
    if owner is not None and not room_is_locked:
        _end_orphan_server(run, owner.pid)
    if (listener := _listen_if_free(run)) is not None:
        return listener
    raise GroupXError(ErrorCode.PORT_IN_USE, lifecycle.who_is_there(found, run, owner))


def _listen_if_free(run: RunConfig) -> socket.socket | None:
    try:
        return listen(run.config.server.host, run.config.server.port)
    except OSError as error:
        if error.errno == errno.EADDRINUSE:
            return None
        raise cannot_listen(run, error) from error


def _end_orphan_server(run: RunConfig, owner_pid: int) -> None:
    """End a server of this room whose parent is dead and which does not end by itself."""
    if owner_pid not in [child.pid for child in run_files.recorded_children(run.run_dir)]:
        return
    lock = run_files.RunLock(run.run_dir)
    if lock.acquire():
        try:
            asyncio.run(end_former_run(run))
        finally:
            lock.release()


def take_lock(run: RunConfig) -> run_files.RunLock:
    """
    Raises:
        GroupXError: RUNTIME_LOCKED when this room runs already, on another port.
    """
    try:
        run_files.make_private_folder(run.state_dir)
        run_files.make_private_folder(run.run_dir)
        lock = run_files.RunLock(run.run_dir)
        if lock.acquire(wait_seconds=LOCK_SECONDS):
            return lock
    except OSError as error:
        raise unusable_folder(run, error) from error
    raise _runs_already(_running_origin(run))


def _runs_already(origin: str) -> GroupXError:
    return GroupXError(
        ErrorCode.RUNTIME_LOCKED,
        _("This room already runs at %(url)s; one room has one runtime.") % {"url": f"{origin}/"},
    )


def _running_origin(run: RunConfig) -> str:
    try:
        return read_run_config(run_files.snapshot_path(run.run_dir)).origin
    except (OSError, ValueError):
        return run.origin


# ---------------------------------------------------------------- before the children
def prepare(run: RunConfig, timing: Timing) -> None:
    """What must lie there before serve starts, which then makes the database ready. Needs the port and the lock.

    Raises:
        GroupXError: START_FAILED when the disk is full or read-only.
    """
    asyncio.run(end_former_run(run))
    timing.done("former_run")
    write_run_files(run)
    timing.done("run_files")


async def end_former_run(run: RunConfig) -> None:
    """End processes of a run whose parent died, lanes before their CLIs; only those whose start time matches.

    Needs the lock of the run.
    """
    run_dir = run.run_dir
    children, clis = run_files.recorded_children(run_dir), run_files.recorded_clis(run_dir)
    await asyncio.gather(*(end_orphan(child.pid, child.started_at, LEFT_GRACE_SECONDS) for child in children))
    await asyncio.gather(*(end_orphan(cli.pid, cli.started_at, LEFT_GRACE_SECONDS) for cli in clis))
    for child in children:
        run_files.forget_child(run_dir, child.name)
    for cli in clis:
        run_files.forget_cli(run_dir, cli.agent_id, cli.use)


# ---------------------------------------------------------------- afterwards
def replace_process(run: RunConfig, listener: socket.socket) -> None:
    """Become a fresh parent with the newest configuration and code; the listening socket stays open throughout."""
    listener.set_inheritable(True)
    argv = [*base_command(), "groupx_start", "--config", str(run.config_path), "--no-open"]
    if run.given_port is not None:
        argv += ["--port", str(run.given_port)]
    argv += ["--listen-fd", str(listener.fileno())]
    sys.stdout.flush()
    sys.stderr.flush()
    os.execv(argv[0], argv)


def open_in_browser(url: str) -> None:
    """Show the room, where there is a screen. Nothing of ours waits for it or ends with it."""
    if sys.platform == "linux" and not (value_of("DISPLAY") or value_of("WAYLAND_DISPLAY")):
        return
    try:
        subprocess.Popen(
            [sys.executable, "-m", "webbrowser", "-t", url],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            env=for_others(),
        )
    except OSError as error:
        log.warning("browser_not_opened", reason=error.strerror)
