"""The serve process from its first line to its last: the socket, the runtime, the server, the exit."""

import socket

from django.db import connection

from groupx.kernel.allocator import give_back_large_blocks
from groupx.kernel.clock import SystemClock
from groupx.kernel.config import RunConfig
from groupx.kernel.logs import configure_logging, get_logger
from groupx.server import BoundedServer  # installs the reactor: before anything that imports Twisted's

from groupx.asgi import build_application  # isort: skip
from groupx import database
from groupx.bus_desk import run_bus_desk
from groupx.listener import listen
from groupx.request_tally import RequestTally
from groupx.run_files import make_private_folder, new_secret, read_secret
from groupx.runtime import ServerRuntime, use_runtime
from groupx.sign_in import new_sign_in_token, sign_in_path
from memory.index_follower import IndexFollower
from rooms.fragments import CardPusher
from rooms.transactions import UNAVAILABLE

log = get_logger()


def run_serve(run: RunConfig, fd: int | None, control_fd: int | None, *, prepares: bool) -> None:
    """Serve the room until the control line ends or a signal comes.

    `fd` is a listening socket inherited from the parent; without one the configured port is bound. With
    `prepares` the database is made ready first: the first server of a run does that.

    Raises:
        GroupXError: START_FAILED when the database cannot be made ready.
    """
    configure_logging("serve")
    give_back_large_blocks()
    sign_in = None
    if prepares:
        database.make_ready(run, clock=SystemClock())
        sign_in = _sign_in()
    with _listener(run, fd) as listener:
        port = listener.getsockname()[1]
        runtime = ServerRuntime(run, port, _lane_secret(run), SystemClock(), sign_in=sign_in)
        use_runtime(runtime)
        runtime.on_card_change(CardPusher(runtime.clock).card_changed)
        runtime.run_beside("bus", lambda: run_bus_desk(run, port, runtime.clock))
        index_follower = IndexFollower(runtime.clock)
        runtime.run_beside("index", index_follower.run)
        answered = RequestTally()
        server = BoundedServer(build_application(runtime, answered), on_answer=answered.count)
        server.run_until(runtime.live(server, listener, control_fd))
    index_follower.close()
    runtime.close_database()
    database.close_cleanly()
    log.info("serve_ended")


def _sign_in() -> str | None:
    """Path of a link to the admin. A database that has no room for it costs the link, not the start."""
    try:
        return sign_in_path(new_sign_in_token())
    except UNAVAILABLE as error:
        log.warning("no_sign_in_link", reason=str(error))
        return None
    finally:
        connection.close()


def _listener(run: RunConfig, fd: int | None) -> socket.socket:
    if fd is not None:
        listener = socket.socket(fileno=fd)
        listener.set_inheritable(False)
        return listener
    return listen(run.config.server.host, run.config.server.port)


def _lane_secret(run: RunConfig) -> str:
    try:
        return read_secret(run.run_dir)
    except FileNotFoundError:  # served by hand, without a parent that made one
        make_private_folder(run.state_dir)
        make_private_folder(run.run_dir)
        new_secret(run.run_dir)
        return read_secret(run.run_dir)
