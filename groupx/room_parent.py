"""One room in the parent's hands: the files of its children, its run, and what must be true before a restart."""

import socket
from dataclasses import dataclass
from typing import Protocol

from groupx import run_files
from groupx.children import Reaper
from groupx.kernel.config import RunConfig
from groupx.kernel.errors import ErrorCode, GroupXError
from groupx.listener import listen
from groupx.run_config import read_anew
from groupx.supervisor import Ending, Supervisor
from groupx.terminal_words import gettext as _


@dataclass(frozen=True, kw_only=True)
class Ended:
    run: RunConfig
    """What ran at the end."""
    next_listener: socket.socket | None = None
    """Where it goes on with the newest configuration and code; None: it has been stopped."""


class RoomRuns(Protocol):
    def __call__(self, run: RunConfig, sign_in: str | None) -> None:
        """The room is healthy. `sign_in`: path of a link to the admin."""


class RoomParent:
    """A supervisor with what its restart needs."""

    def __init__(self, run: RunConfig, listener: socket.socket, reaper: Reaper | None = None) -> None:
        self._run, self._listener = run, listener
        self._next: socket.socket | None = None
        self.supervisor = Supervisor(run, listener, may_restart=self._may_restart, reaper=reaper)

    def ended(self, ending: Ending) -> Ended:
        return Ended(run=self._run, next_listener=self._next if ending is Ending.RESTART else None)

    def _may_restart(self) -> None:
        self._next = listener_for_restart(self._run, self._listener)


async def run_room(run: RunConfig, listener: socket.socket, room_runs: RoomRuns) -> Ended:
    """
    Raises:
        GroupXError: START_FAILED; nothing of the room lives then.
    """
    room = RoomParent(run, listener)
    return room.ended(await room.supervisor.run(lambda: room_runs(run, room.supervisor.sign_in)))


def listener_for_restart(run: RunConfig, listener: socket.socket) -> socket.socket:
    """The socket of the next run: the one we hold, or one on the new port that the file names now.

    Raises:
        GroupXError: CONFIG_INVALID or START_FAILED; then the present run must go on.
    """
    if run.is_setup and not run.config_path.exists():
        return listener
    return listener_of(read_anew(run, port=run.given_port), run, listener)


def listener_of(changed: RunConfig, run: RunConfig, listener: socket.socket) -> socket.socket:
    """The one that `run` has, or a new one where `changed` has another address.

    Raises:
        GroupXError: START_FAILED when that cannot be had.
    """
    if changed.config.server == run.config.server:
        return listener
    try:
        return listen(changed.config.server.host, changed.config.server.port)
    except OSError as error:
        raise cannot_listen(changed, error) from error


def write_run_files(run: RunConfig) -> None:
    """
    Raises:
        GroupXError: START_FAILED when the disk is full or read-only.
    """
    try:
        run_files.ensure_secret_key(run.state_dir)
        run_files.new_secret(run.run_dir)
        run_files.write_private(run_files.snapshot_path(run.run_dir), run.model_dump_json(by_alias=True))
    except OSError as error:
        raise unusable_folder(run, error) from error


def cannot_listen(run: RunConfig, error: OSError) -> GroupXError:
    server = run.config.server
    return GroupXError(
        ErrorCode.START_FAILED,
        _("GroupX cannot listen on %(host)s port %(port)d: %(reason)s.")
        % {"host": server.host, "port": server.port, "reason": error.strerror or error},
    )


def unusable_folder(run: RunConfig, error: OSError) -> GroupXError:
    return GroupXError(
        ErrorCode.START_FAILED,
        _("The folder %(folder)s cannot be used: %(reason)s.")
        % {"folder": run.state_dir, "reason": error.strerror or error},
    )
